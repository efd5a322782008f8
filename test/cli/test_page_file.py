#!/usr/bin/env python3
"""attend page writes a whole file or none.

usage: ATTEND_BINARY=build/dev/attend test_page_file.py
"""
import os
import subprocess
import tempfile
import unittest

BINARY = os.environ.get("ATTEND_BINARY", "build/release/attend")


def write(path, before=""):
    return subprocess.run(["bash", "-c", before + '"$0" page -o "$1"', os.path.abspath(BINARY), path],
                          capture_output=True, text=True)


class PageFile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.path = os.path.join(self.folder, "attention.html")

    def write(self):
        done = write(self.path)
        if "without the page" in done.stderr:
            self.assertEqual((done.returncode, done.stdout), (1, ""))
            self.assertEqual(done.stderr, "attend: error: this program was built without the page: run `make page`, "
                             "then `make build`\n")
            self.skipTest("built without the page")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(self.path, encoding="utf-8") as file:
            return file.read()

    def test_a_page_and_nothing_beside_it(self):
        page = self.write()
        self.assertTrue(page.lower().startswith("<!doctype html>"))
        self.assertIn("</html>", page)
        self.assertEqual(os.listdir(self.folder), ["attention.html"])

    def test_an_older_file_is_replaced(self):
        page = self.write()
        with open(self.path, "w", encoding="utf-8") as file:
            file.write("old" * 1000000)
        self.assertEqual(self.write(), page)

    def test_its_mode_is_kept(self):
        page = self.write()
        os.chmod(self.path, 0o640)
        self.assertEqual(self.write(), page)
        self.assertEqual(os.stat(self.path).st_mode & 0o777, 0o640)

    def test_a_pipe_is_written_to(self):
        page = self.write()
        done = subprocess.run(["bash", "-c", '"$0" page -o /proc/self/fd/1 | cat', os.path.abspath(BINARY)], capture_output=True,
                              text=True)
        self.assertEqual((done.stdout, done.stderr), (page, ""))

    def test_a_folder_in_its_place(self):
        self.write()
        self.assertEqual(write(self.folder).stderr, "attend: error: %s: Is a directory\n" % self.folder)

    def test_a_folder_that_is_not_there(self):
        self.write()
        done = write(os.path.join(self.folder, "no", "x.html"))
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertEqual(done.stderr, "attend: error: %s/no/x.html: No such file or directory\n" % self.folder)

    def test_no_room_leaves_the_older_file(self):
        page = self.write()
        with open(BINARY, "rb") as file:
            if b"__tsan_init" in file.read():
                self.skipTest("the thread sanitizer cannot run where files may not grow")
        done = write(self.path, "ulimit -f 0; trap '' XFSZ; exec ")
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "attend: error: %s: File too large\n" % self.path)
        self.assertEqual(os.listdir(self.folder), ["attention.html"])
        with open(self.path, encoding="utf-8") as file:
            self.assertEqual(file.read(), page)


if __name__ == "__main__":
    unittest.main()
