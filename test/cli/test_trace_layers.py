#!/usr/bin/env python3
"""attend trace on examples that begin with x: embed, place, project, several heads, shared keys and merge, against the
same formulas written down once more in plain Python, on random numbers.  ATTEND_BINARY says where the program is.
"""
import itertools
import json
import math
import os
import random
import subprocess
import unittest

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
TOLERANCE = 1e-12
TOKENS, MODEL, WIDTH, VALUES, OUTPUT = 3, 4, 2, 3, 5


def product(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def angle(position, pair, width):
    return position / 10000 ** (2 * pair / width)


def add_positions(x):
    width = len(x[0])
    wave = (math.sin, math.cos)
    return [[n + wave[c % 2](angle(t, c // 2, width)) for c, n in enumerate(row)] for t, row in enumerate(x)]


def turn(rows):
    turned = []
    for t, row in enumerate(rows):
        new = []
        for pair in range(len(row) // 2):
            a, b, theta = row[2 * pair], row[2 * pair + 1], angle(t, pair, len(row))
            new += [a * math.cos(theta) - b * math.sin(theta), a * math.sin(theta) + b * math.cos(theta)]
        turned.append(new)
    return turned


def columns(matrix, head, width):
    return [row[head * width : (head + 1) * width] for row in matrix]


def softmax(scores):
    exponentials = [0 if s is None else math.exp(s) for s in scores]
    return [None if s is None else e / sum(exponentials) for s, e in zip(scores, exponentials)]


def one_head(q, k, v, scale, causal):
    compare = product(q, list(zip(*k)))
    scaled = [[s * scale for s in row] for row in compare]
    mask = [[None if causal and j > i else s for j, s in enumerate(row)] for i, row in enumerate(scaled)]
    weights = [softmax(row) for row in mask]
    return {
        "q": q, "k": k, "v": v, "compare": compare, "scale": scaled, "mask": mask, "normalize": weights,
        "combine": product([[w or 0 for w in row] for row in weights], v),
        "lse": [math.log(sum(math.exp(s) for s in row if s is not None)) for row in mask],
    }  # fmt: skip


def attention(example):
    """What trace must say of an example with x."""
    heads, kv_heads = example.get("heads", 1), example.get("kv_heads", example.get("heads", 1))
    positions, scale = example.get("positions", "none"), example.get("scale", 1 / math.sqrt(WIDTH))
    x = add_positions(example["x"]) if positions == "sinusoidal" else example["x"]
    q, k, v = (product(x, example[name]) for name in ("wq", "wk", "wv"))
    result = []
    for head in range(heads):
        kv_head = head // (heads // kv_heads)
        parts = [columns(q, head, WIDTH), columns(k, kv_head, WIDTH), columns(v, kv_head, VALUES)]
        if positions == "rotary":
            parts[:2] = turn(parts[0]), turn(parts[1])
        result.append(one_head(*parts, scale, example.get("causal", False)))
    output = [sum((head["combine"][t] for head in result), []) for t in range(len(x))]
    return {"heads": result, "output": product(output, example["wo"]) if "wo" in example else output}


def random_matrix(source, rows, width):
    return [[source.uniform(-1, 1) for _ in range(width)] for _ in range(rows)]


def random_example(source, positions, heads, kv_heads, merged, causal):
    example = {
        "tokens": ["a", "b", "c"],
        "x": random_matrix(source, TOKENS, MODEL),
        "wq": random_matrix(source, MODEL, heads * WIDTH),
        "wk": random_matrix(source, MODEL, kv_heads * WIDTH),
        "wv": random_matrix(source, MODEL, kv_heads * VALUES),
        "heads": heads, "kv_heads": kv_heads, "positions": positions, "causal": causal,
    }  # fmt: skip
    if merged:
        example["wo"] = random_matrix(source, heads * VALUES, OUTPUT)
    if causal:
        example["scale"] = source.uniform(-2, 2)
    return example


class Layers(unittest.TestCase):
    def assert_close(self, got, want):
        if isinstance(want, dict):
            self.assertEqual(sorted(got), sorted(want))
            for key in want:
                self.assert_close(got[key], want[key])
        elif isinstance(want, list):
            self.assertEqual(len(got), len(want))
            for one, other in zip(got, want):
                self.assert_close(one, other)
        elif want is None:
            self.assertIsNone(got)
        else:
            self.assertLessEqual(abs(got - want), TOLERANCE * max(1, abs(want)))

    def trace(self, example, *options):
        done = subprocess.run([BINARY, "trace", "-", "--json", *options], input=json.dumps(example), check=True,
                              capture_output=True, text=True)  # fmt: skip
        return json.loads(done.stdout)

    def check(self, example, got):
        want = attention(example)
        self.assert_close(got["heads"], want["heads"])
        self.assert_close(got["output"], want["output"])

    def test_random_examples(self):
        source = random.Random(7)
        kinds = itertools.product(("none", "sinusoidal", "rotary"), ((1, 1), (2, 2), (4, 2), (3, 1)),
                                  (False, True), (False, True))  # fmt: skip
        for positions, (heads, kv_heads), merged, causal in kinds:
            with self.subTest(positions=positions, heads=heads, kv_heads=kv_heads, merged=merged, causal=causal):
                example = random_example(source, positions, heads, kv_heads, merged, causal)
                self.check(example, self.trace(example))

    def test_options_replace_what_the_file_says(self):
        example = random_example(random.Random(8), "none", 2, 2, False, True)
        got = self.trace(example, "--no-causal", "--scale", "0.25")
        self.check({**example, "causal": False, "scale": 0.25}, got)

    def test_compare_causal_holds_both(self):
        example = random_example(random.Random(9), "rotary", 2, 1, True, False)
        got = self.trace(example, "--compare-causal")
        self.assertEqual(sorted(got), ["causal", "full"])
        self.check(example, got["full"])
        self.check({**example, "causal": True}, got["causal"])


if __name__ == "__main__":
    unittest.main(verbosity=1)
