#!/usr/bin/env python3
"""Checks that each public header compiles alone, as C and as C++, old and new, without a warning.

usage: check_headers.py INCLUDE_FOLDER
"""
import glob
import os
import shutil
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Werror"]
LANGUAGES = [("c", "c99"), ("c", "c11"), ("c++", "c++11"), ("c++", "c++20")]
COMPILERS = ["gcc", "clang-19"]


def complaint(compiler, language, standard, include, header):
    """What the compiler says about a file that includes the header alone, and twice; "" when nothing."""
    command = [compiler, "-x", language, "-std=" + standard, *WARNINGS, "-fsyntax-only", "-I", include, "-"]
    run = subprocess.run(command, input='#include "%s"\n' % header * 2, text=True, capture_output=True)
    return run.stderr if run.returncode else ""


def main():
    include = sys.argv[1]
    headers = [os.path.relpath(path, include) for path in sorted(glob.glob(include + "/attend/*.h"))]
    found = [compiler for compiler in COMPILERS if shutil.which(compiler)]
    runs = faults = 0
    for compiler in found:
        for language, standard in LANGUAGES:
            for header in headers:
                text = complaint(compiler, language, standard, include, header)
                runs, faults = runs + 1, faults + bool(text)
                if text:
                    print("%s -std=%s: %s\n%s" % (compiler, standard, header, text))
    print("check_headers: %d compilations (%s), %d faults" % (runs, ", ".join(found), faults))
    return 1 if faults or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
