#!/usr/bin/env python3
"""The numbers that attend look shows, against attention computed here from the same queries and keys.

usage: ATTEND_BINARY=build/dev/attend test_look_numbers.py
"""
import json
import math
import os
import random
import subprocess
import unittest

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
TOLERANCE = 1e-12


def look(example, *arguments):
    done = subprocess.run([BINARY, "look", "-", *arguments], input=json.dumps(example), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def random_example(tokens, heads, kv_heads, width, causal, seed):
    draw = random.Random(seed)
    matrix = lambda columns: [[draw.gauss(0, 1) for _ in range(columns)] for _ in range(tokens)]
    return {"tokens": ["w%d" % i for i in range(tokens)], "heads": heads, "kv_heads": kv_heads, "causal": causal,
            "q": matrix(heads * width), "k": matrix(kv_heads * width), "v": matrix(kv_heads * 2)}


def weights_of(example, head):
    """Rows of weights, None where hidden: softmax(q k / sqrt(width))."""
    tokens, shared = len(example["tokens"]), example["heads"] // example["kv_heads"]
    width = len(example["q"][0]) // example["heads"]
    part = lambda row, index: row[index * width:(index + 1) * width]
    rows = []
    for i in range(tokens):
        seen = range(i + 1) if example["causal"] else range(tokens)
        query = part(example["q"][i], head)
        keys = [part(example["k"][j], head // shared) for j in seen]
        scores = [sum(a * b for a, b in zip(query, key)) / math.sqrt(width) for key in keys]
        powers = [math.exp(score - max(scores)) for score in scores]
        rows.append([power / math.fsum(powers) for power in powers] + [None] * (tokens - len(scores)))
    return rows


class Numbers(unittest.TestCase):
    sizes = [(1, 1, 1, 1, False), (5, 1, 1, 3, False), (5, 1, 1, 3, True), (9, 4, 2, 2, True), (40, 2, 2, 4, False)]
    cases = [random_example(*size, seed) for seed, size in enumerate(sizes)]

    def check(self, found, expected):
        self.assertEqual(len(found), len(expected))
        for a, b in zip(found, expected):
            if b is None:
                self.assertIsNone(a)
            else:
                self.assertLess(abs(a - b), TOLERANCE)

    def each_head(self, *arguments):
        """(example, weights of a head, what look says of it) for every head of every case."""
        for example in self.cases:
            said = json.loads(look(example, "--json", *arguments))
            self.assertEqual((said["tokens"], said["causal"]), (example["tokens"], example["causal"]))
            self.assertEqual([head["head"] for head in said["heads"]], list(range(1, example["heads"] + 1)))
            for head in said["heads"]:
                yield example, weights_of(example, head["head"] - 1), head

    def test_grid(self):
        for _, weights, head in self.each_head():
            for found, expected in zip(head["weights"], weights, strict=True):
                self.check(found, expected)

    def test_rows(self):
        for example, weights, head in self.each_head("--rows", "w0,#1"):
            self.assertEqual([(row["query"], row["token"]) for row in head["rows"]], [(0, "w0"), (0, "w0")])
            self.check(head["rows"][0]["weights"], weights[0])

    def test_top(self):
        for example, weights, head in self.each_head("--top", "3"):
            for query, entry in enumerate(head["top"]):
                order = sorted((-w, key) for key, w in enumerate(weights[query]) if w is not None)[:3]
                self.assertEqual([key["key"] for key in entry["keys"]], [key for _, key in order])
                self.assertEqual([key["token"] for key in entry["keys"]], [example["tokens"][key] for _, key in order])
                self.check([key["weight"] for key in entry["keys"]], [-w for w, _ in order])
                self.check([entry["rest"]], [1 + sum(w for w, _ in order)])

    def test_entropy(self):
        for _, weights, head in self.each_head("--entropy"):
            seen = [[w for w in row if w is not None] for row in weights]
            self.check(head["entropy"], [-sum(w * math.log(w) for w in row if w > 0) for row in seen])
            self.assertEqual(head["keys_seen"], [len(row) for row in seen])

    def test_received(self):
        for _, weights, head in self.each_head("--received"):
            self.check(head["received"], [sum(row[key] or 0 for row in weights) for key in range(len(weights))])

    def test_full_and_causal(self):
        example = dict(self.cases[1])
        both = json.loads(look(example, "--compare-causal", "--json"))
        for name, causal in (("full", False), ("causal", True)):
            example["causal"] = causal
            self.assertEqual(both[name], json.loads(look(example, "--json")))

    def test_one_head(self):
        example = self.cases[3]
        every, one = (json.loads(look(example, "--json", *chosen)) for chosen in ((), ("--head", "2")))
        self.assertEqual(one["heads"], [every["heads"][1]])

    def test_scale(self):
        example = dict(self.cases[1], scale=0.25)
        self.assertEqual(look(self.cases[1], "--scale", "0.25", "--json"), look(example, "--json"))

    def test_cells_of_a_large_grid_show_the_largest_of_their_weights(self):
        example = random_example(120, 1, 1, 2, True, 7)
        weights = weights_of(example, 0)
        lines = look(example, "--causal").split("\n")
        first_cells = lines[3].split("0", 1)[1].lstrip()  # after the position of the first query
        together = 4  # 120 tokens in 36 cells at most
        largest = max(w for row in weights[:together] for w in row[:together] if w is not None)
        top = max(w for row in weights for w in row if w is not None)
        self.assertAlmostEqual(top, 1)
        self.assertEqual(first_cells[:2], "·░▒▓█"[round(4 * largest)] * 2)
        self.assertIn("each cell: the largest weight of 4 queries and 4 keys", lines)


if __name__ == "__main__":
    unittest.main()
