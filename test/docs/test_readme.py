"""The program that the README shows is examples/average.c, to the letter, and its links lead somewhere."""
import os
import re
import unittest

SOURCE = os.environ["ATTEND_SOURCE"]


def read(name):
    with open(os.path.join(SOURCE, name), encoding="utf-8") as file:
        return file.read()


class Readme(unittest.TestCase):
    def test_shows_the_example(self):
        shown = re.search(r"```c\n(.*?)```", read("README.md"), re.S).group(1)
        self.assertEqual(shown, read("examples/average.c"))

    def test_links_lead_somewhere(self):
        for link in re.findall(r"\]\(([^)#]+)\)", read("README.md")):
            self.assertTrue(os.path.exists(os.path.join(SOURCE, link)), link)


if __name__ == "__main__":
    unittest.main()
