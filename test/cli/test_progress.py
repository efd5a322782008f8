#!/usr/bin/env python3
"""The progress bar: on a terminal only, removed at the end, and never on standard output.

usage: ATTEND_BINARY=build/dev/attend test_progress.py
"""
import os
import unittest

from on_terminal import run_on_terminal

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
ERASE = b"\r\x1b[K"


def check_on_terminal(**environment):
    """What the terminal behind standard error shows, and standard output."""
    status, shown, stdout = run_on_terminal([BINARY, "check", "--cases", "3"], "stderr",
                                            {**os.environ, "TERM": "xterm", **environment})
    assert status == 0
    return shown, stdout


class Progress(unittest.TestCase):
    def test_bar_is_drawn_and_removed(self):
        shown, stdout = check_on_terminal()
        self.assertIn(b"checking [", shown)
        self.assertIn(b" 33%", shown)
        self.assertTrue(shown.endswith(ERASE))
        self.assertNotIn(b"checking", stdout)

    def test_dumb_terminal_gets_none(self):
        self.assertEqual(check_on_terminal(TERM="dumb")[0], b"")


if __name__ == "__main__":
    unittest.main()
