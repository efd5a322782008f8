"""tools/check_*.py on small trees with one fault each: what they are for, they find."""
import os
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["ATTEND_SOURCE"]
LAYERS = """include/attend:
src/base:      include/attend
src/base/os.c: include/attend <unistd.h>
src/stage:     include/attend src/base
src/fused:     include/attend src/base
cli:           include/attend help_*.h
test:          anything
"""
LIMITS = "file . 20\nfunction . 8\nfunction src/stage 4\n"


def function(lines):
    return "int f(void) {\n" + "    ;\n" * (lines - 2) + "}\n"


class Tree(unittest.TestCase):
    def run_check(self, check, files, *arguments):
        """Exit status and output of a check in a folder with these files."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"tools/layers.txt": LAYERS, "tools/limits.txt": LIMITS, **files}.items():
                os.makedirs(os.path.dirname(os.path.join(folder, name)), exist_ok=True)
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            command = [sys.executable, os.path.join(SOURCE, "tools", check), *(arguments or ["."])]
            done = subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False)
        return done.returncode, done.stdout + done.stderr

    def passes(self, check, files, *arguments):
        status, output = self.run_check(check, files, *arguments)
        self.assertEqual(status, 0, output)

    def fails(self, message, check, files, *arguments):
        status, output = self.run_check(check, files, *arguments)
        self.assertIn(message, output)
        self.assertEqual(status, 1)


class Layers(Tree):
    base = {"src/base/base.h": "", "src/fused/fast.h": "", "src/stage/s.h": "", "include/attend/attend.h": ""}

    def one(self, path, text):
        return {**self.base, path: text}

    def test_allowed(self):
        self.passes("check_layers.py", self.one("src/stage/a.c", '#include "base/base.h"\n#include "stage/s.h"\n'))
        self.passes("check_layers.py", self.one("src/stage/a.c", "#include <math.h>\n#include <attend/attend.h>\n"))
        self.passes("check_layers.py", self.one("src/base/os.c", '#include <unistd.h>\n#include "base/base.h"\n'))
        self.passes("check_layers.py", self.one("cli/a.c", '#include "help_run.h"\n'))
        self.passes("check_layers.py", self.one("test/a.c", '#include "fused/fast.h"\n#include "stage/s.h"\n'))

    def test_forbidden(self):
        for path, header in (
            ("src/stage/a.c", '"fused/fast.h"'),
            ("src/stage/a.c", '"../fused/fast.h"'),
            ("src/base/a.c", '"stage/s.h"'),
            ("src/base/a.c", "<unistd.h>"),
            ("cli/a.c", '"base/base.h"'),
            ("cli/a.c", '"missing.h"'),
            ("include/attend/b.h", '"base/base.h"'),
        ):
            fault = "%s:2: " % path
            self.fails(fault, "check_layers.py", self.one(path, "\n #  include %s\n" % header))

    def test_folder_without_row(self):
        self.fails("no row", "check_layers.py", self.one("src/other/a.c", ""))


class Sizes(Tree):
    def test_short(self):
        self.passes("check_tree.py", {"src/base/a.c": function(8), "src/stage/b.c": function(4)})

    def test_long(self):
        self.fails("a.c:1: f has 9 lines, at most 8", "check_tree.py", {"src/base/a.c": function(9)})
        self.fails("b.c:1: f has 5 lines, at most 4", "check_tree.py", {"src/stage/b.c": function(5)})
        self.fails("a.c: 21 lines, at most 20", "check_tree.py", {"src/base/a.c": "\n" * 21})

    def test_names(self):
        self.fails("src/base/a.c, src/stage/a.c", "check_tree.py", {"src/base/a.c": "", "src/stage/a.c": ""})


class Comments(Tree):
    def header(self, text):
        return {"h/a.h": text}, "h/a.h"

    def test_explained(self):
        self.passes("check_docs.py", *self.header(
            "/* Adds [T]. */\nATTEND_API int attend_a(const attend_in *x);\nATTEND_API int attend_b(void);\n"))
        self.passes("check_docs.py", *self.header("ATTEND_API int attend_a(void); /* Adds. */\n"))

    def test_not_explained(self):
        self.fails("attend_b has no comment", "check_docs.py", *self.header(
            "/* Adds. */\nATTEND_API int attend_a(void);\n\nATTEND_API int attend_b(void);\n"))

    def test_without_shape(self):
        self.fails("attend_a takes tensors", "check_docs.py", *self.header(
            "/* Adds. */\nATTEND_API int attend_a(const attend_in *x);\n"))


class Headers(Tree):
    def test_compile_alone(self):
        self.passes("check_headers.py", {"i/attend/a.h": "#ifndef A\n#define A\nint a(int);\n#endif\n"}, "i")
        self.fails("a.h", "check_headers.py", {"i/attend/a.h": "int a(size_t);\n"}, "i")
        self.fails("-std=c++11", "check_headers.py", {"i/attend/a.h": "int a(int class);\n"}, "i")
        self.fails("-std=c99", "check_headers.py", {"i/attend/a.h": "_Static_assert(1, \"\");\n"}, "i")


class Symbols(Tree):
    def build(self, folder, source):
        with open(os.path.join(folder, "a.c"), "w", encoding="utf-8") as file:
            file.write(source)
        with open(os.path.join(folder, "a.h"), "w", encoding="utf-8") as file:
            file.write("ATTEND_API int attend_a(void);\n")
        for command in ("gcc -fPIC -c a.c", "gcc -shared a.o -o a.so", "ar rc a.a a.o"):
            subprocess.run(command.split(), cwd=folder, check=True)
        command = [sys.executable, os.path.join(SOURCE, "tools", "check_symbols.py"), "a.h", "a.so", "a.a"]
        return subprocess.run(command, cwd=folder, text=True, capture_output=True, check=False)

    def test_exports(self):
        for source, message in (
            ("int attend_a(void) { return 0; }", "1 functions, 0 faults"),
            ("int attend_a(void) { return 0; } int at_b;", "at_b is exported, but not in a.h"),
            ("int at_b(void) { return 0; }", "attend_a of a.h is not exported"),
            ("int attend_a(void) { return 0; } int help;", "help is global, and begins neither"),
        ):
            with tempfile.TemporaryDirectory() as folder:
                done = self.build(folder, source)
            self.assertIn(message, done.stdout)
            self.assertEqual(done.returncode, 0 if "0 faults" in message else 1)


if __name__ == "__main__":
    unittest.main()
