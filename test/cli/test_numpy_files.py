#!/usr/bin/env python3
"""numpy as a second opinion on .npy files: with a mask that lets each query see its own key alone, the output of
attend run is the values themselves, so any array that numpy wrote must come back to numpy unchanged.

usage: ATTEND_BINARY=build/dev/attend test_numpy_files.py
"""
import os
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    print("skipped: 6 cases (numpy is missing)")
    sys.exit(0)

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
SHAPE = (5, 7)  # tokens, width


class NumpyFiles(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run_attend(self, *arguments):
        command = [BINARY, "run"] + [part for name in "qkv" for part in ("--" + name, self.path(name + ".npy"))]
        done = subprocess.run(command + ["-o", self.path("o.npy"), "--path", "readable",
                               *arguments], capture_output=True, text=True)
        return done.returncode, done.stderr

    def values_through_attend(self, values, mask):
        numpy.save(self.path("q.npy"), numpy.ones(SHAPE, values.dtype))
        numpy.save(self.path("k.npy"), numpy.ones(SHAPE, values.dtype))
        numpy.save(self.path("v.npy"), values)
        numpy.save(self.path("mask.npy"), mask)
        self.assertEqual(self.run_attend("--mask", self.path("mask.npy")), (0, ""))
        return numpy.load(self.path("o.npy"))

    def check(self, values, mask=None):
        own_key = numpy.eye(SHAPE[0], dtype=bool) if mask is None else mask
        output = self.values_through_attend(values, own_key)
        self.assertEqual(output.dtype, values.dtype.newbyteorder("<"))
        self.assertTrue(output.flags.c_contiguous)
        numpy.testing.assert_array_equal(output, values)

    def values(self, dtype):
        return numpy.random.default_rng(1).standard_normal(SHAPE).astype(dtype)

    def test_types_and_byte_orders(self):
        for dtype in ("<f2", ">f2", "<f4", ">f4", "<f8", ">f8"):
            with self.subTest(dtype):
                self.check(self.values(dtype))

    def test_fortran_order(self):
        for dtype in ("<f2", ">f4", "<f8"):
            with self.subTest(dtype):
                self.check(numpy.asfortranarray(self.values(dtype)))

    def test_masks(self):
        own_key = numpy.eye(SHAPE[0], dtype=bool)
        for mask in (own_key, numpy.asfortranarray(own_key), own_key.astype("u1"), own_key[None, None]):
            with self.subTest(mask.dtype):
                self.check(self.values("<f4"), mask)

    def test_versions_of_the_header(self):
        for version in ((1, 0), (2, 0), (3, 0)):
            with self.subTest(version):
                values = self.values("<f4")
                self.check(values)
                with open(self.path("v.npy"), "wb") as file:
                    numpy.lib.format.write_array(file, values, version=version)
                self.assertEqual(self.run_attend("--mask", self.path("mask.npy")), (0, ""))
                numpy.testing.assert_array_equal(numpy.load(self.path("o.npy")), values)

    def test_integers_of_all_types(self):
        numpy.save(self.path("v.npy"), self.values("<f4"))
        numpy.save(self.path("q.npy"), numpy.ones(SHAPE, "<f4"))
        numpy.save(self.path("k.npy"), numpy.ones(SHAPE, "<f4"))
        for dtype in ("i1", ">i2", "<i4", ">i8", "<u2", ">u4", "<u8"):
            with self.subTest(dtype):
                numpy.save(self.path("count.npy"), numpy.array([1], dtype))
                self.assertEqual(self.run_attend("--key-count", self.path("count.npy")), (0, ""))
                expected = numpy.broadcast_to(numpy.load(self.path("v.npy"))[0], SHAPE)
                numpy.testing.assert_array_equal(numpy.load(self.path("o.npy")), expected)

    def test_what_numpy_writes_and_attend_refuses(self):
        numpy.save(self.path("q.npy"), numpy.ones(SHAPE, "<f4"))
        numpy.save(self.path("k.npy"), numpy.ones(SHAPE, "<f4"))
        for refused in (numpy.array([[{}]], object), numpy.ones(SHAPE, "<c8"), numpy.full(SHAPE, "a")):
            with self.subTest(refused.dtype):
                numpy.save(self.path("v.npy"), refused)
                code, message = self.run_attend()
                self.assertEqual(code, 1)
                self.assertIn(self.path("v.npy") + ": byte ", message)
                self.assertFalse(os.path.exists(self.path("o.npy")))


if __name__ == "__main__":
    unittest.main()
