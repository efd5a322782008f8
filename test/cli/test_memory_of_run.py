#!/usr/bin/env python3
"""131,072 tokens in linear memory, measured from outside: the most that attend run ever holds is its inputs and outputs
and 32 MiB.  The keys seen are limited to a window, so that it takes seconds; bench/claims measures the causal whole.

usage: ATTEND_BINARY=build/release/attend test_memory_of_run.py [--causal]
"""
import os
import struct
import subprocess
import sys
import tempfile
import unittest

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
TOKENS, WIDTH, ALLOWED = 131072, 64, 32 << 20
SEEN = ["--causal"] if "--causal" in sys.argv else ["--window", "255,0"]


def write_npy(path, tokens, width):
    header = ("{'descr': '<f4', 'fortran_order': False, 'shape': (%d, %d), }" % (tokens, width)).encode()
    header += b" " * (63 - (len(header) + 10) % 64) + b"\n"
    row = struct.pack("<%df" % width, *((i * 7919 % 13) / 13 - 0.5 for i in range(width)))
    turned = [row[4 * n:] + row[:4 * n] for n in range(width)]
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(b"".join(turned[n % width] for n in range(tokens)))


def most_memory(command):
    """Bytes that the command held at most."""
    process = subprocess.Popen(command)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError("%s ended with %d" % (command, process.returncode))
    return usage.ru_maxrss * 1024


def is_sanitized():
    with open(BINARY, "rb") as file:
        text = file.read()
    return b"__asan_init" in text or b"__tsan_init" in text


@unittest.skipIf(is_sanitized(), "a sanitizer needs memory of its own")
class Memory(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        for name in "qkv":
            write_npy(self.path(name), TOKENS, WIDTH)

    def path(self, name):
        return os.path.join(self.folder.name, name + ".npy")

    def run_attend(self, *more):
        return most_memory([BINARY, "run", "--q", self.path("q"), "--k", self.path("k"), "--v", self.path("v"), "-o",
                            self.path("o"), *SEEN, *more])

    def test_output(self):
        most, tensors = self.run_attend(), 4 * TOKENS * WIDTH * 4
        self.assertLessEqual(most, tensors + ALLOWED)
        self.report("output", most, tensors)

    def test_output_and_lse(self):
        most, tensors = self.run_attend("--lse", self.path("lse")), 4 * TOKENS * WIDTH * 4 + TOKENS * 4
        self.assertLessEqual(most, tensors + ALLOWED)
        self.report("output and lse", most, tensors)

    @staticmethod
    def report(what, most, tensors):
        print("%s: at most %.1f MiB, %.1f MiB of them inputs and outputs; a grid would be %.0f MiB" % (
            what, most / 2**20, tensors / 2**20, TOKENS * TOKENS * 4 / 2**20))


if __name__ == "__main__":
    unittest.main(argv=[word for word in sys.argv if word != "--causal"])
