#!/usr/bin/env python3
"""attend trace against the exact numbers of the two toys, and against every rounding that their texts print.

The essential numbers stand here; all others come from toys.json in the shared folder and are skipped without it.
ATTEND_BINARY and ATTEND_SHARED say where things are.
"""
import decimal
import json
import math
import os
import re
import subprocess
import sys
import unittest

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
SHARED = os.environ.get("ATTEND_SHARED", os.path.join("..", "shared"))
TOYS = os.path.join(SHARED, "data", "toys.json")
SHARED_CASES = 60  # two toys, full and causal; two softmaxes; 54 roundings
TOLERANCE = 1e-12
EXAMPLES = {"A": "napkin", "B": "cat"}
SAT = 2

ESSENTIAL = {
    ("napkin", False): {
        "normalize": [
            [0.4011120926797859, 0.19777581464042818, 0.4011120926797859],
            [0.19777581464042818, 0.4011120926797859, 0.4011120926797859],
            [0.24825507825772308, 0.24825507825772308, 0.5034898434845538],
        ],
        "combine": [
            [1.6044483707191437, 1.1977758146404283],
            [1.1977758146404283, 1.6044483707191437],
            [1.5034898434845538, 1.5034898434845538],
        ],
    },
    ("napkin", True): {
        "normalize": [
            [1, None, None],
            [0.33023845067334306, 0.6697615493266569, None],
            [0.24825507825772308, 0.24825507825772308, 0.5034898434845538],
        ],
        "combine": [[2, 0], [0.6604769013466861, 1.3395230986533138], [1.5034898434845538, 1.5034898434845538]],
    },
    ("cat", False): {
        "normalize": [
            [0.22118101637021303, 0.10905743430313004, 0.22118101637021303, 0.4485805329564439],
            [0.14115631124284958, 0.2862812295857168, 0.2862812295857168, 0.2862812295857168],
            [0.043417704390054976, 0.7345767021916112, 0.1785878890282788, 0.043417704390054976],
            [0.12282952007783793, 0.505228569985892, 0.24911238985843212, 0.12282952007783793],
        ],
        "combine": [
            [1.1059912865391772, 0.89094256569686991],
            [1.5725624591714336, 0.85884368875715045],
            [3.0251422175465548, 0.40059348244661258],
            [2.2665733200992442, 0.62105429979470217],
        ],
    },
    ("cat", True): {
        "normalize": [
            [1, None, None, None],
            [0.33023845067334306, 0.6697615493266569, None, None],
            [0.045388362913794646, 0.7679179361387025, 0.18669370094750282, None],
            [0.12282952007783793, 0.505228569985892, 0.24911238985843212, 0.12282952007783793],
        ],
        "combine": [
            [1, 0],
            [3.0092846479799706, 0],
            [3.1170601074686046, 0.37338740189500563],
            [2.266573320099244, 0.6210542997947022],
        ],
    },
}


def run(*options):
    return subprocess.run([BINARY, "trace", *options], check=True, capture_output=True, text=True).stdout


def trace(example, causal=False, *options):
    """The JSON of an example with one head: that head's steps, and the rest."""
    options = ("--causal",) + options if causal else options
    got = json.loads(run("--example", example, "--json", *options))
    return got["heads"][0], got


def numbers(text):
    """toys.json gives the same numbers a second time as text."""
    return [numbers(part) for part in text] if isinstance(text, list) else None if text is None else float(text)


class TraceCase(unittest.TestCase):
    def assert_close(self, got, want):
        if isinstance(want, list):
            self.assertEqual(len(got), len(want))
            for one, other in zip(got, want):
                self.assert_close(one, other)
        elif want is None:
            self.assertIsNone(got)
        else:
            self.assertIsNotNone(got)
            self.assertLessEqual(abs(got - want), TOLERANCE)


class Essential(TraceCase):
    def test_numbers(self):
        for (example, causal), want in ESSENTIAL.items():
            with self.subTest(example=example, causal=causal):
                head, got = trace(example, causal)
                self.assert_close(head["normalize"], want["normalize"])
                self.assert_close(head["combine"], want["combine"])
                self.assert_close(got["output"], want["combine"])
                self.assertEqual(got["causal"], causal)

    def test_published_third_weight_of_tired_is_0503(self):
        head, _ = trace("napkin")
        self.assertEqual("%.3f" % head["normalize"][2][2], "0.503")
        self.assertEqual(["%.3f" % number for number in head["combine"][2]], ["1.503", "1.503"])

    def test_seventeen_digits_give_the_same_double(self):
        text = run("--example", "cat", "--json")
        for word in re.findall(r"-?\d[\d.e+-]*", text):
            self.assertEqual("%.17g" % float(word), word.removesuffix(".0"))


@unittest.skipUnless(os.path.exists(TOYS), "skipped: %d cases" % SHARED_CASES)
class Shared(TraceCase):
    @classmethod
    def setUpClass(cls):
        with open(TOYS, encoding="utf-8") as file:
            cls.all = json.load(file)

    def check_steps(self, head, want):
        hidden = [[score is None for score in row] for row in want["scaled"]]
        weights = [[None if h else w for w, h in zip(*rows)] for rows in zip(want["weights"], hidden)]
        self.assert_close(head["compare"], want["scores"])
        self.assert_close(head["mask"], want["scaled"])
        self.assert_close(head["normalize"], weights)
        self.assert_close(head["combine"], want["output"])
        self.assert_close(head["lse"], want["lse"])
        exponentials = [[None if s is None else math.exp(s) for s in row] for row in head["mask"]]
        self.assert_close(exponentials, want["exp"])
        self.assert_close([math.exp(lse) for lse in head["lse"]], want["total"])

    def test_every_number(self):
        for toy, example in EXAMPLES.items():
            for kind in ("full", "causal"):
                with self.subTest(example=example, kind=kind):
                    want = self.all["toys"][toy][kind]
                    head, got = trace(example, kind == "causal")
                    self.check_steps(head, want)
                    self.check_steps(head, {key: numbers(text) for key, text in want["text"].items()})
                    self.assert_close(got["output"], want["output"])
                    self.assert_close(got["scale"], self.all["scale_float64"])
                    self.assertEqual(got["tokens"], self.all["toys"][toy]["tokens"])
                    for key in "qkv":
                        self.assertEqual(head[key], self.all["toys"][toy][key.upper()])

    def test_scale(self):
        for scale, name in (("1", "softmax_0_4_2_0"), ("10", "softmax_0_40_20_0")):
            with self.subTest(scale=scale):
                want = self.all["toys"]["B"][name]
                head, _ = trace("cat", False, "--scale", scale)
                self.assertEqual(head["scale"][SAT], want["input"])
                self.assert_close(head["normalize"][SAT], want["weights"])
                self.assert_close(head["normalize"][SAT], numbers(want["text"]))
                self.assertTrue(math.isclose(math.exp(head["lse"][SAT]), want["total"], rel_tol=TOLERANCE))


def published_values():
    """What the texts print, by the name that toys.json gives it: a function of (row, column)."""
    napkin, _ = trace("napkin")
    napkin_causal, _ = trace("napkin", True)
    cat, _ = trace("cat")
    cat_causal, _ = trace("cat", True)
    one, _ = trace("cat", False, "--scale", "1")
    ten, _ = trace("cat", False, "--scale", "10")
    story = run("--example", "cat", "--row", "sat", "--digits", "2")
    by_hand = re.search(r"From the weights as shown: \[(.*)\]", story)
    return {
        "A weights": lambda row, column: napkin["normalize"][row][column],
        "A output": lambda row, column: napkin["combine"][row][column],
        "A causal weights": lambda row, column: napkin_causal["normalize"][row][column] or 0,
        "B sat scaled": lambda row, column: cat["scale"][SAT][column],
        "B sat exp": lambda row, column: math.exp(cat["scale"][SAT][column]),
        "B sat total": lambda row, column: math.exp(cat["lse"][SAT]),
        "B sat weights": lambda row, column: cat["normalize"][SAT][column],
        "B sat output": lambda row, column: cat["combine"][SAT][column],
        "B sat output from rounded weights": lambda row, column: float(by_hand.group(1).split(", ")[column]),
        "B sat causal total": lambda row, column: math.exp(cat_causal["lse"][SAT]),
        "B sat causal weights": lambda row, column: cat_causal["normalize"][SAT][column] or 0,
        "softmax([0,4,2,0])": lambda row, column: one["normalize"][SAT][column],
        "softmax([0,40,20,0])": lambda row, column: ten["normalize"][SAT][column],
    }


@unittest.skipUnless(os.path.exists(TOYS), "counted above")
class PublishedRoundings(unittest.TestCase):
    def test_each_holds_or_not_as_listed(self):
        with open(TOYS, encoding="utf-8") as file:
            listed = json.load(file)["published_roundings"]
        values = published_values()
        self.assertEqual(len(listed["all"]), listed["checked"])
        broken = []
        for rounding in listed["all"]:
            name, row, column = re.fullmatch(r"(.*?)(?: row (\d+))?(?: col (\d+))?", rounding["what"]).groups()
            value = values[name](int(row or 0), int(column or 0))
            decimals = len(rounding["rounded"].partition(".")[2])
            with self.subTest(what=rounding["what"]):
                self.assertEqual("%.*f" % (decimals, value), rounding["rounded"])
                holds = decimal.Decimal(rounding["published"]) == decimal.Decimal(rounding["rounded"])
                self.assertEqual(holds, rounding["holds"])
                broken += [] if holds else [rounding["what"]]
        self.assertEqual(broken, [rounding["what"] for rounding in listed["do_not_hold"]])
        self.assertEqual(len(broken), 4)


if __name__ == "__main__":
    if not os.path.exists(TOYS):
        print("skipped: %d cases (no %s)" % (SHARED_CASES, TOYS))
    sys.exit(unittest.main(verbosity=1))
