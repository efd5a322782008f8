"""tools/make_page_header.py: the page comes back byte for byte, the policy has its hashes, and a page that would need
a weaker policy is refused."""
import base64
import hashlib
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["ATTEND_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tools"))
import make_page_header  # noqa: E402

PAGE = """<!doctype html>
<meta charset="utf-8"><style>p { color: green }</style>
<p>\\ " ??= é &lt;</p>
<script>let a = "<b style='x'>" + '\\n'; if (1 < 2 && a) a = 3;</script>
<script type="module">export {};</script>
"""

PROGRAM = r"""
#include <stdio.h>
#include "page.h"
int main(void) {
    fwrite(page_text, 1, sizeof page_text - 1, stdout);
    fprintf(stderr, "%s", page_policy);
}
"""


def digest(text):
    return "'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


class PageHeader(unittest.TestCase):
    def through_c(self, *pages):
        """What a C program that includes the header has as page and as policy."""
        with tempfile.TemporaryDirectory() as folder:
            paths = [os.path.join(folder, "page.html") for _ in pages]
            for path, page in zip(paths, pages):
                with open(path, "wb") as file:
                    file.write(page)
            with open(os.path.join(folder, "main.c"), "w", encoding="ascii") as file:
                file.write(PROGRAM)
            tool = os.path.join(SOURCE, "tools", "make_page_header.py")
            subprocess.run([sys.executable, tool, os.path.join(folder, "page.h"), *paths], check=True)
            flags = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror"]
            subprocess.run(["gcc", *flags, "main.c", "-o", "main"], cwd=folder, check=True)
            done = subprocess.run([os.path.join(folder, "main")], capture_output=True, check=True)
            return done.stdout, done.stderr.decode()

    def test_every_byte_comes_back(self):
        page = PAGE.encode() + bytes(range(1, 13)) + bytes(range(14, 128)) + b"\0" + "é€😀".encode() + b"7"
        self.assertEqual(self.through_c(page)[0], page)

    def test_without_a_page(self):
        self.assertEqual(self.through_c()[0], b"")

    def test_policy_has_each_hash(self):
        policy = make_page_header.policy(PAGE)
        scripts = "let a = \"<b style='x'>\" + '\\n'; if (1 < 2 && a) a = 3;", "export {};"
        self.assertIn("; script-src %s %s 'wasm-unsafe-eval';" % tuple(map(digest, scripts)), policy)
        self.assertIn("; style-src %s;" % digest("p { color: green }"), policy)
        self.assertTrue(policy.startswith("default-src 'none';"))

    def test_page_without_style(self):
        self.assertIn("style-src 'none'", make_page_header.policy("<p>text</p>"))

    def test_what_needs_a_weaker_policy_is_refused(self):
        for page, fault in (
            ('<p style="color: red">', "attribute style"),
            ('<p onclick="f()">', "attribute onclick"),
            ('<script src="app.js"></script>', "not in the file"),
            ('<link rel="stylesheet" href="app.css">', "not in the file"),
            ("<p>a\r\n</p>", "carriage return"),
            ("<script>let a", "has no end"),
        ):
            with self.assertRaisesRegex(make_page_header.PageError, fault):
                make_page_header.policy(page)


if __name__ == "__main__":
    unittest.main()
