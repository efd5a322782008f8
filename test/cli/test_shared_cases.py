#!/usr/bin/env python3
"""The shared ONNX, FlexAttention and bug cases through `attend run`, by every path, with the runner that lies beside
the cases.

usage: ATTEND_BINARY=build/dev/attend ATTEND_SHARED=../shared test_shared_cases.py
"""
import os
import re
import subprocess
import sys
import unittest

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
SHARED = os.environ.get("ATTEND_SHARED", os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared"))
RUNNER = os.path.join(SHARED, "tools", "run_cases.py")
FOLDERS = [os.path.join(SHARED, "data", name) for name in ("onnx", "flex", "bugs")]
CASES = 117

if not all(os.path.exists(path) for path in [RUNNER] + FOLDERS):
    print("skipped: %d cases (no shared cases in %s)" % (CASES, SHARED))
    sys.exit(0)
try:
    import numpy  # noqa: F401, the runner needs it
except ImportError:
    print("skipped: %d cases (numpy is missing)" % CASES)
    sys.exit(0)


class SharedCases(unittest.TestCase):
    def check(self, *options):
        command = [sys.executable, RUNNER, "--attend", os.path.abspath(BINARY), *options, *FOLDERS]
        done = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
        counts = re.fullmatch(r"(\d+) passed, (\d+) failed, (\d+) skipped\n", done.stdout)
        passed, failed, skipped = map(int, counts.groups())
        self.assertEqual(failed, 0)
        self.assertGreater(passed, skipped)
        print("%s: %d passed, %d skipped" % (" ".join(options) or "by default", passed, skipped))

    def test_path_by_default(self):
        self.check()

    def test_readable_path(self):
        self.check("--path", "readable")

    def test_plain_c(self):
        self.check("--isa", "portable", "--threads", "1")


if __name__ == "__main__":
    unittest.main()
