#!/usr/bin/env python3
"""The progress bar: on a terminal only, removed at the end, and never on standard output.

usage: ATTEND_BINARY=build/dev/attend test_progress.py
"""
import os
import pty
import subprocess
import unittest

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")
ERASE = b"\r\x1b[K"


def check_on_terminal(**environment):
    """What the terminal behind standard error shows, and standard output."""
    terminal, behind = pty.openpty()
    done = subprocess.run([BINARY, "check", "--cases", "3"], stdout=subprocess.PIPE, stderr=behind,
                          env={**os.environ, "TERM": "xterm", **environment})
    os.close(behind)
    shown = b""
    try:
        while chunk := os.read(terminal, 4096):
            shown += chunk
    except OSError:  # how Linux says that the other end is closed
        pass
    os.close(terminal)
    assert done.returncode == 0
    return shown, done.stdout


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
