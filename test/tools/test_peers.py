"""bench/peers/compare.py without its peers: the problems it knows, and the table it writes."""
import os
import sys
import unittest

try:
    import numpy
except ImportError:
    print("skipped: 4 cases (numpy is missing)")
    sys.exit(0)

SOURCE = os.environ["ATTEND_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "bench", "peers"))
import compare  # noqa: E402


class Compare(unittest.TestCase):
    def test_every_default_problem_is_known(self):
        for text in compare.PROBLEMS:
            case = compare.case_of(text)
            self.assertIn(case.dtype, compare.AGREE)
            self.assertEqual(compare.random_arrays(dataclasses_small(case))[0].shape[3], case.width)

    def test_work(self):
        case = compare.Case("", 2, 1, 3, 5, 4, -1)
        self.assertEqual(case.flops(), 4 * 4 * 2 * (3 + 4 + 5))
        self.assertEqual(case.bytes(), 4 * (2 * 5 * 4 + 2 * 2 * 3 * 4))

    def test_rows_are_replaced(self):
        rows = compare.put_row([{"problem": "a", "threads": 2, "n": 1}], {"problem": "a", "threads": 1})
        rows = compare.put_row(rows, {"problem": "a", "threads": 2, "n": 2})
        self.assertEqual(rows, [{"problem": "a", "threads": 1}, {"problem": "a", "threads": 2, "n": 2}])

    def test_unfavourable_cells_stand_out(self):
        row = {"ratio": {"a": 1.25, "b": 0.75, "c": 2}, "agree": {"a": True, "b": True, "c": False}, "apart": {"c": 0.1}}
        self.assertEqual([compare.cell(row, name) for name in "abcd"], ["1.25", "**0.75**", "2.00 (differs by 1e-01)", "-"])


def dataclasses_small(case):
    return compare.dataclasses.replace(case, heads=1, kv_heads=1, queries=2, keys=3)


if __name__ == "__main__":
    unittest.main()
