"""The programs in examples/ print what the documents say, and the documents show them to the letter."""
import os
import re
import subprocess
import unittest

SOURCE = os.environ["ATTEND_SOURCE"]
PROGRAMS = os.path.join(os.path.dirname(os.environ["ATTEND_BINARY"]), "test")


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


def run(name):
    return subprocess.run([os.path.join(PROGRAMS, "example_" + name)], check=True, capture_output=True, text=True).stdout


class Examples(unittest.TestCase):
    def test_cache_is_shown_and_prints_what_is_shown(self):
        page = read("docs/cache.md")
        self.assertEqual(re.search(r"```c\n(.*?)```", page, re.S).group(1), read("examples/generate_cache.c"))
        self.assertEqual(re.search(r"```text\n(.*?)```", page, re.S).group(1), run("generate_cache"))

    def test_average_prints_what_its_comment_says(self):
        said = re.search(r"// (sat mixes .*)", read("examples/average.c")).group(1)
        self.assertEqual(run("average"), said + "\n")


if __name__ == "__main__":
    unittest.main()
