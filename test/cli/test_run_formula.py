#!/usr/bin/env python3
"""attend run against the formula, written out here in numpy from the header's own words: every option, in every layout.

usage: ATTEND_BINARY=build/dev/attend test_run_formula.py
"""
import json
import os
import struct
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    print("skipped: 18 cases (numpy is missing)")
    sys.exit(0)

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
LAYOUTS = {"BHTD": (0, 1, 2, 3), "BTHD": (0, 2, 1, 3), "HTD": (1, 2, 3), "THD": (2, 1, 3), "TD": (2, 3)}
B, H, G, TQ, TK, D, E = 2, 4, 2, 5, 7, 3, 6
INFINITE = float("inf")


def seen(i, j, ahead, back):
    """i and j counted as positions of keys."""
    return (ahead is None or j <= i + ahead) and (back is None or j >= i - back)


def row_of(scores, values, sink):
    """Weights, log-sum-exp and output of one query."""
    everything = numpy.append(scores, sink)
    top = everything.max()
    if top == -INFINITE:
        return numpy.zeros_like(scores), -INFINITE, numpy.zeros(values.shape[1])
    lse = top + numpy.log(numpy.exp(everything - top).sum())
    weights = numpy.exp(scores - lse)
    return weights, lse, weights @ values


def attention(q, k, v, scale=None, softcap=0, ahead=None, back=None, offsets=0, mask=True, bias=0, slopes=None,
              sinks=None, counts=None):
    """q (B, H, Tq, D), k (B, G, Tk, D), v (B, G, Tk, E) -> o, lse, weights, in double."""
    q, k, v = (x.astype(float) for x in (q, k, v))
    batch, heads, queries = q.shape[:3]
    keys = k.shape[2]
    grid = (batch, heads, queries, keys)
    mask, bias = numpy.broadcast_to(mask, grid), numpy.broadcast_to(bias, grid)
    offsets = numpy.broadcast_to(offsets, batch)
    weights, lse, o = numpy.zeros(grid), numpy.zeros(grid[:3]), numpy.zeros(grid[:3] + v.shape[3:])
    for b, h, i in numpy.ndindex(*grid[:3]):
        g, p = h * k.shape[1] // heads, i + offsets[b]
        scores = k[b, g] @ q[b, h, i] * (q.shape[3] ** -0.5 if scale is None else scale)
        scores = softcap * numpy.tanh(scores / softcap) if softcap else scores
        scores = scores + bias[b, h, i] - (0 if slopes is None else slopes[h] * abs(p - numpy.arange(keys)))
        for j in range(keys):
            if not (mask[b, h, i, j] and seen(p, j, ahead, back) and (counts is None or j < counts[b])):
                scores[j] = -INFINITE
        weights[b, h, i], lse[b, h, i], o[b, h, i] = row_of(scores, v[b, g], -INFINITE if sinks is None else sinks[h])
    return o, lse, weights


def read_safetensors(path):
    with open(path, "rb") as file:
        header = json.loads(file.read(struct.unpack("<Q", file.read(8))[0]))
        data = file.read()
    types = {"F16": "<f2", "F32": "<f4", "F64": "<f8"}
    return {name: numpy.frombuffer(data[slice(*entry["data_offsets"])], types[entry["dtype"]]).reshape(entry["shape"])
            for name, entry in header.items()}


def write_safetensors(path, tensors):
    names = {numpy.dtype("f2"): "F16", numpy.dtype("f4"): "F32", numpy.dtype("f8"): "F64", numpy.dtype("i4"): "I32",
             numpy.dtype("i8"): "I64", numpy.dtype(bool): "BOOL"}
    header, data = {}, b""
    for name, tensor in tensors.items():
        block = numpy.ascontiguousarray(tensor).tobytes()
        span = [len(data), len(data) + len(block)]
        header[name] = {"dtype": names[tensor.dtype], "shape": tensor.shape, "data_offsets": span}
        data += block
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


class Formula(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.draw = numpy.random.default_rng(5)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def save(self, **tensors):
        """As options: --key-count FILE ..."""
        options = []
        for name, tensor in tensors.items():
            numpy.save(self.path(name + ".npy"), tensor)
            options += ["--" + name.replace("_", "-"), self.path(name + ".npy")]
        return options

    def run_attend(self, *options):
        done = subprocess.run([BINARY, "run", *options], capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout

    def normal(self, *shape):
        return self.draw.standard_normal(shape)

    def tensors(self, batch=B, heads=H, groups=G, queries=TQ, keys=TK):
        return {"q": self.normal(batch, heads, queries, D), "k": self.normal(batch, groups, keys, D),
                "v": self.normal(batch, groups, keys, E)}

    def outputs(self, options):
        outputs = [self.path(name) for name in ("o.npy", "lse.npy", "weights.npy")]
        stdout = self.run_attend(*options, "-o", outputs[0], "--lse", outputs[1], "--weights", outputs[2])
        return [numpy.load(path) for path in outputs], stdout

    def compare(self, got, want, tolerance=1e-12):
        for name, one, other in zip(("o", "lse", "weights"), got, want):
            self.assertEqual(one.shape, other.shape, name)
            numpy.testing.assert_allclose(one, other, rtol=tolerance, atol=tolerance, err_msg=name)

    def check(self, options=(), files=None, tensors=None, **meaning):
        tensors = tensors or self.tensors()
        got, _ = self.outputs(self.save(**tensors, **(files or {})) + list(options))
        self.compare(got, attention(**tensors, **meaning))

    def test_plain(self):
        self.check()

    def test_causal_and_alignment(self):
        self.check(["--causal", "--align", "first"], ahead=0)
        self.check(["--causal", "--align", "last"], ahead=0, offsets=TK - TQ)
        self.check(["--causal", "--query-offset", "-2"], ahead=0, offsets=-2)
        self.check(["--causal", "--query-offset", "100"], ahead=0, offsets=100)
        self.check(["--causal"], tensors=self.tensors(keys=TQ), ahead=0)
        offsets = numpy.array([4, -1])
        self.check(["--causal"], {"query_offsets": offsets}, ahead=0, offsets=offsets)

    def test_windows(self):
        self.check(["--window", "2,1", "--align", "last"], ahead=1, back=2, offsets=TK - TQ)
        self.check(["--window", "0,0", "--align", "first"], ahead=0, back=0)
        self.check(["--window", "inf,1", "--align", "first"], ahead=1)
        self.check(["--window", "2,inf", "--align", "first"], back=2)
        self.check(["--window", "inf,inf"])
        self.check(["--causal", "--window", "2,3", "--align", "first"], ahead=0, back=2)
        self.check(["--window", "2,inf", "--causal", "--align", "first"], ahead=0, back=2)

    def test_scale_and_softcap(self):
        for scale in (0, 1, -0.5, 1e-3):
            self.check(["--scale", repr(scale)], scale=scale)
        self.check(["--softcap", "0.75"], softcap=0.75)
        self.check(["--softcap", "0"])
        self.check(["--softcap", "2", "--scale", "3"], softcap=2, scale=3)

    def test_masks_of_every_rank(self):
        grid = (B, H, TQ, TK)
        for shape in ((), (TK,), (TQ, TK), (1, TK), (TQ, 1), (H, TQ, TK), (H, 1, 1), grid, (B, 1, 1, TK)):
            with self.subTest(shape):
                mask = self.draw.random(shape) < 0.6
                self.check(files={"mask": mask}, mask=mask)
                bias = numpy.where(mask, self.normal(*shape), -INFINITE)
                self.check(files={"bias": bias}, bias=bias, mask=bias > -INFINITE)
                self.check(files={"mask": numpy.asfortranarray(mask), "bias": self.normal(*shape) * 0}, mask=mask)

    def test_slopes_and_sinks(self):
        slopes, sinks = abs(self.normal(H)), self.normal(H)
        self.check(["--align", "last"], {"slopes": slopes}, slopes=slopes, offsets=TK - TQ)
        self.check((), {"sinks": sinks}, sinks=sinks)
        self.check(["--causal", "--query-offset", "-3"], {"slopes": slopes, "sinks": sinks}, slopes=slopes, sinks=sinks,
                   ahead=0, offsets=-3)

    def test_key_counts(self):
        counts = numpy.array([3, 7])
        self.check((), {"key_count": counts}, counts=counts)
        self.check(["--causal", "--align", "last"], {"key_count": counts}, counts=counts, ahead=0, offsets=counts - TQ)
        self.check(["--causal", "--align", "first"], {"key_count": counts.astype("u2")}, counts=counts, ahead=0)

    def test_what_is_hidden_does_not_matter(self):
        tensors, counts = self.tensors(), numpy.array([3, 7])
        got, _ = self.outputs(self.save(**tensors, key_count=counts))
        tensors["k"][0, :, 3:] = numpy.nan
        tensors["v"][0, :, 3:] = INFINITE
        spoilt, _ = self.outputs(self.save(**tensors, key_count=counts))
        for one, other in zip(got, spoilt):
            numpy.testing.assert_array_equal(one, other)

    def packed(self, query_lengths, key_lengths):
        """The sequences one by one, and the same one after another with their starts."""
        parts = [self.tensors(1, H, G, queries, keys) for queries, keys in zip(query_lengths, key_lengths)]
        whole = {name: numpy.concatenate([part[name] for part in parts], 2) for name in "qkv"}
        starts = {"query_starts": numpy.cumsum([0] + query_lengths), "key_starts": numpy.cumsum([0] + key_lengths)}
        return parts, whole, starts

    def check_packed(self, options, meaning, query_lengths, key_lengths, files=None):
        parts, whole, starts = self.packed(query_lengths, key_lengths)
        for layout in ("BHTD", "THD"):
            stored = {name: numpy.squeeze(tensor, 0).transpose(1, 0, 2) if layout == "THD" else tensor
                      for name, tensor in whole.items()}
            got, _ = self.outputs(self.save(**stored, **starts, **(files or {})) + ["--layout", layout, *options])
            if layout == "THD":
                got = [tensor.swapaxes(0, 1)[None] for tensor in got]
            for s, part in enumerate(parts):
                rows = slice(*starts["query_starts"][s:s + 2])
                columns = slice(*starts["key_starts"][s:s + 2])
                o, lse, weights = attention(**part, **meaning(s))
                self.compare([got[0][:, :, rows], got[1][:, :, rows], got[2][:, :, rows, columns]], [o, lse, weights])
                elsewhere = numpy.delete(got[2][:, :, rows], numpy.r_[columns], 3)
                self.assertEqual(numpy.count_nonzero(elsewhere), 0)

    def test_packed_sequences(self):
        queries, keys = [2, 0, 3], [4, 1, 2]
        self.check_packed([], lambda s: {}, queries, keys)
        self.check_packed(["--causal", "--align", "first"], lambda s: {"ahead": 0}, queries, keys)
        self.check_packed(["--causal", "--align", "last"], lambda s: {"ahead": 0, "offsets": keys[s] - queries[s]},
                          queries, keys)
        self.check_packed(["--causal"], lambda s: {"ahead": 0}, [2, 3], [2, 3])
        offsets, counts = numpy.array([1, 0, -1]), numpy.array([3, 0, 1])
        self.check_packed(["--causal"], lambda s: {"ahead": 0, "offsets": offsets[s]}, queries, keys,
                          {"query_offsets": offsets})
        meaning = lambda s: {"ahead": 0, "counts": [counts[s]], "offsets": counts[s] - queries[s]}
        self.check_packed(["--causal", "--align", "last"], meaning, queries, keys, {"key_count": counts})

    def in_layout(self, layout, tensor):
        """(B, H, T, D), or (B, H, T), as the layout stores it; axes that it does not have are of size 1."""
        axes = [axis for axis in LAYOUTS[layout] if axis < tensor.ndim]
        absent = tuple(axis for axis in range(tensor.ndim) if axis not in axes)
        present = [axis for axis in range(tensor.ndim) if axis in axes]
        return numpy.squeeze(tensor, absent).transpose([present.index(axis) for axis in axes])

    def test_layouts(self):
        for layout in LAYOUTS:
            with self.subTest(layout):
                tensors = self.tensors(B if "B" in layout else 1, H if "H" in layout else 1, G if "H" in layout else 1)
                want = attention(**tensors, ahead=0, offsets=TK - TQ)
                stored = {name: self.in_layout(layout, tensor) for name, tensor in tensors.items()}
                stored["k"] = numpy.asfortranarray(stored["k"])
                options = ["--layout", layout] if layout in ("BTHD", "THD") else []
                got, _ = self.outputs(self.save(**stored) + options + ["--causal", "--align", "last"])
                self.compare(got, [self.in_layout(layout, tensor) for tensor in want])

    def test_types_of_outputs(self):
        tensors = self.tensors()
        want = attention(**tensors)
        for given, asked, o, other in (("f8", None, "f8", "f8"), ("f8", "f32", "f4", "f4"), ("f4", None, "f4", "f4"),
                                       ("f4", "f64", "f8", "f8"), ("f2", None, "f2", "f4"), ("f4", "f16", "f2", "f4"),
                                       ("f4", "bf16", "V2", "f4")):
            with self.subTest((given, asked)):
                options = self.save(**{name: tensor.astype(given) for name, tensor in tensors.items()})
                got, _ = self.outputs(options + (["--dtype", asked] if asked else []))
                self.assertEqual([x.dtype for x in got], [numpy.dtype(x) for x in (o, other, other)])
                if asked == "bf16":
                    got[0] = (got[0].view("<u2").astype("u4") << 16).view("f4")
                self.compare(got, want, 2e-2 if asked == "bf16" else 5e-3 if "f2" in (given, o) else 1e-5)

    def test_bfloat16(self):
        tensors = {name: x.astype("f4").view("u4") >> 16 << 16 for name, x in self.tensors().items()}
        want = attention(**{name: x.view("f4") for name, x in tensors.items()})
        got, _ = self.outputs(self.save(**{name: (x >> 16).astype("u2").view("V2") for name, x in tensors.items()}) +
                              ["--dtype", "f64"])
        self.compare(got, want)

    def test_paths(self):
        tensors = {name: x.astype("f4") for name, x in self.tensors().items()}
        for path, tolerance in (("fast", 2e-6), ("readable", 1e-7)):
            got, stdout = self.outputs(self.save(**tensors) + ["--path", path, "--json"])
            self.compare(got, attention(**tensors), tolerance)
            self.assertEqual(json.loads(stdout)["path"], path)

    def test_safetensors(self):
        tensors = self.tensors()
        extra = {"mask": self.draw.random((TQ, TK)) < 0.7, "bias": self.normal(H, 1, TK), "slopes": abs(self.normal(H)),
                 "sinks": self.normal(H), "key_count": numpy.array([6, 5]), "query_offsets": numpy.array([1, 2], "i4")}
        write_safetensors(self.path("in.safetensors"), {**tensors, **extra})
        output = self.path("out.safetensors")
        self.run_attend("--in", self.path("in.safetensors"), "-o", output, "--lse", output, "--weights", output,
                        "--causal")
        got = read_safetensors(output)
        self.assertEqual(list(got), ["o", "lse", "weights"])
        counts, offsets = extra.pop("key_count"), extra.pop("query_offsets")
        want = attention(**tensors, **extra, counts=counts, offsets=offsets, ahead=0)
        self.compare([got[name] for name in ("o", "lse", "weights")], want)

    def test_one_tensor_of_many(self):
        """An option may name a .safetensors file too: the tensor has the option's name."""
        tensors, counts = self.tensors(), numpy.array([3, 4])
        write_safetensors(self.path("in.safetensors"), {**tensors, "key_count": counts})
        options = self.save(q=tensors["q"])
        for name in ("k", "v", "key-count"):
            options += ["--" + name, self.path("in.safetensors")]
        got, _ = self.outputs(options)
        self.compare(got, attention(**tensors, counts=counts))

    def test_empty_sizes(self):
        for sizes in ({"queries": 0}, {"keys": 0}, {"batch": 0}):
            with self.subTest(sizes):
                self.check(tensors=self.tensors(**sizes))

    def test_the_report_names_the_offset(self):
        tensors = self.tensors()
        for options, files, offset in (([], {}, None), (["--causal", "--align", "first"], {}, 0),
                                       (["--window", "1,1", "--align", "last"], {}, TK - TQ),
                                       (["--causal"], {"query_offsets": numpy.array([3, 1])}, [3, 1]),
                                       (["--causal", "--align", "last"], {"key_count": numpy.array([3, 7])}, [-2, 2])):
            _, stdout = self.outputs(self.save(**tensors, **files) + options + ["--json"])
            self.assertEqual(json.loads(stdout)["problem"]["query_offset"], offset)

    def test_threads_do_not_matter(self):
        options = self.save(**self.tensors())
        one, _ = self.outputs(options + ["--threads", "1"])
        many, _ = self.outputs(options + ["--threads", "5"])
        for left, right in zip(one, many):
            numpy.testing.assert_array_equal(left, right)


if __name__ == "__main__":
    unittest.main()
