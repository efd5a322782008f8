"""tools/make_help.py: what it writes for a small page, and that every fault of a page is found and named."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SOURCE = os.environ["ATTEND_SOURCE"]
sys.path.insert(0, os.path.join(SOURCE, "tools"))
import make_help  # noqa: E402

OVERVIEW = """# attend
Attention.

## Usage
    attend VERB [options]

## Options
-V, --version         the version
"""

PAGE = """# attend run
Computes `attention`, in C.

A paragraph with a .dot, an it's and a back\\slash.
.dots at its start

- one item

    indented \\ block

## Usage
    attend run --q Q.npy [options]

## Mask options
--align first|last    where: which "end"

## Options
-o, --output FILE     where the output goes;
                      `continued`
--causal              no value
--very-long-name NUMBER
                      its text is below

## Examples
    attend run --q q.npy
"""

VERBS = 'VERB(run, "tensors in, \\"tensors\\" out")\n'


class Written(unittest.TestCase):
    """The files for the pages above."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.files = make(cls.folder.name, {"run.md": PAGE, "attend.md": OVERVIEW})

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def write(self, name):
        path = os.path.join(self.folder.name, os.path.basename(name))
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.files[name])
        return path

    def test_all_files_are_there(self):
        self.assertEqual(
            set(self.files),
            {"help_run.h", "help_attend.h", "man/attend-run.1", "man/attend.1", "completion/attend.bash",
             "completion/_attend", "completion/attend.fish"},
        )

    def test_header_gives_table_text_and_letters(self):
        self.write("help_run.h")
        program = os.path.join(self.folder.name, "program.c")
        with open(program, "w", encoding="utf-8") as file:
            file.write(
                '#include "help_run.h"\n#include <stdio.h>\nint main(void) {\n'
                'printf("%s|%s|%d %d %d|", help_run_text, help_run_short, OPTION_RUN_ALIGN, help_run_letter(\'o\') == '
                "OPTION_RUN_OUTPUT, help_run_letter('z'));\n"
                "for (const struct option *o = help_run_options; o->name; o++)\n"
                'printf("%s %d %d,", o->name, o->has_arg, o->val - OPTION_RUN_ALIGN);\nreturn 0; }\n'
            )
        strict = ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Wmissing-prototypes", "-Werror"]
        subprocess.run(["gcc", *strict, program, "-o", program + ".out"], check=True)
        text, short, ids, table = subprocess.check_output([program + ".out"], text=True).rsplit("|", 3)
        self.assertEqual(short, "o:h")
        self.assertEqual(ids, "256 1 122")
        self.assertEqual(table, "align 1 0,output 1 1,causal 0 2,very-long-name 1 3,help 0 4,")
        self.assertEqual(text, HELP_TEXT)

    def test_overview_lists_the_verbs(self):
        self.assertIn(r'    run        tensors in, \"tensors\" out', self.files["help_attend.h"])
        self.assertIn(r"\fBattend\-run\fR(1)", self.files["man/attend.1"])

    def test_man_pages_have_no_warnings(self):
        for name in "man/attend-run.1", "man/attend.1":
            command = ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", self.write(name)]
            done = subprocess.run(command, capture_output=True, env={**os.environ, "LC_ALL": "C.UTF-8"}, check=True)
            self.assertEqual(done.stderr, b"")

    def test_man_page_shows_the_text(self):
        command = ["man", "-l", self.write("man/attend-run.1")]
        shown = subprocess.run(command, capture_output=True, text=True, check=True,
                               env={**os.environ, "LC_ALL": "C.UTF-8", "MANPAGER": "cat", "MANWIDTH": "120"}).stdout
        for line in ("attend-run - computes attention, in C", ".dots at its start", "it's and a back\\slash",
                     "indented \\ block", "--align first|last", "where the output goes; continued"):
            self.assertIn(line, shown)

    def complete(self, *words):
        script = 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attend; echo "${COMPREPLY[*]}"'
        command = ["bash", "-c", script, "-", self.write("completion/attend.bash"), *words]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()

    def test_bash_completes(self):
        self.assertEqual(self.complete("attend", "r"), ["run"])
        self.assertEqual(self.complete("attend", "run", "--c"), ["--causal"])
        self.assertEqual(self.complete("attend", "run", "--align", ""), ["first", "last"])
        self.assertEqual(self.complete("attend", "run", "--output", ""), [])
        self.assertEqual(self.complete("attend", "run", "-o", ""), [])
        self.assertEqual(self.complete("attend", "help", ""), ["run"])

    def test_other_shells_can_read_their_completion(self):
        for shell, name in (("zsh", "completion/_attend"), ("fish", "completion/attend.fish")):
            if shutil.which(shell):
                subprocess.run([shell, "-n", self.write(name)], check=True)


HELP_TEXT = """attend run: computes attention, in C.

A paragraph with a .dot, an it's and a back\\slash.
.dots at its start

- one item

    indented \\ block

Usage:
    attend run --q Q.npy [options]

Mask options:
  --align first|last    where: which "end"

Options:
  -o, --output FILE     where the output goes;
                        continued
  --causal              no value
  --very-long-name NUMBER
                        its text is below
  -h, --help            this text

Examples:
    attend run --q q.npy
"""


def make(folder, pages, verbs=VERBS):
    paths = []
    for name, text in {"verbs.def": verbs, **pages}.items():
        paths.append(os.path.join(folder, name))
        with open(paths[-1], "w", encoding="utf-8") as file:
            file.write(text)
    return make_help.make_all("1.2.3", paths[0], paths[1:])


class Faults(unittest.TestCase):
    """A page with one thing wrong: the message says where and what."""

    def check(self, message, pages, verbs=VERBS):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(make_help.PageError, message):
                make(folder, pages, verbs)

    def page(self, old, new, message):
        self.assertIn(old, PAGE)
        self.check(message, {"run.md": PAGE.replace(old, new, 1), "attend.md": OVERVIEW})

    def test_head(self):
        self.page("# attend run", "# attend look", 'run.md:1: the first line must be "# attend run"')
        self.page("Computes `attention`, in C.", "", "run.md:2: the second line must be one sentence")
        self.page("Computes `attention`, in C.", "computes it.", "run.md:2: the second line must be one sentence")

    def test_sections(self):
        self.page("## Usage\n    attend run --q Q.npy [options]\n", "", "no section Usage")
        self.page("    attend run --q Q.npy [options]\n", "", "section Usage is empty")
        self.page("    attend run --q Q.npy", "attend run --q Q.npy", "a line of Usage is indented by four spaces")
        self.page("    attend run --q Q", "    attend look --q Q", 'a line of Usage begins with "attend run"')
        self.page("## Examples\n    attend run --q q.npy\n", "## Examples\n", "section Examples is empty")
        self.page("## Mask options", "## Options", "section Options appears twice")

    def test_options(self):
        self.page("--causal              no value", "--causal no value", "an option line is")
        self.page("--causal ", "-causal ", "an option line is")
        self.page("--causal              no value", "--causal", "--causal has no text")
        self.page("--causal ", "--align  ", "--align appears twice")
        self.page("--causal ", "-o, --causal ", "-o appears twice")
        self.page("--causal ", "--help ", "-h, --help is added by itself")
        self.page("--output FILE", "--output file", "a value is in capitals")
        self.page("-o, --output FILE     where the output goes;\n", "", "an indented line, but no option above it")

    def test_lines(self):
        self.page("A paragraph", "A paragraph ends with a blank \nA", "run.md:4: the line has blanks at its end")
        self.page("A paragraph", "A\tparagraph", "the line has a tab")
        self.page("A paragraph", "A `paragraph", "backquote without its partner")
        self.page("A paragraph", "A **paragraph**", "has bold text")
        self.page("A paragraph", "A [paragraph](there)", "has a link")
        self.page("- one item", "### one item", "third level")
        self.page("- one item", "```sh", "begins a fence")
        self.page("- one item", "| one item |", "begins a table")
        self.page("- one item", "x" * 121, "longer than 120 columns")

    def test_verbs_and_pages_agree(self):
        self.check("verb run has no page", {"attend.md": OVERVIEW})
        self.check("docs/cli/attend.md is missing", {"run.md": PAGE})
        self.check("does not list this verb", {"run.md": PAGE, "attend.md": OVERVIEW}, verbs="")


if __name__ == "__main__":
    unittest.main()
