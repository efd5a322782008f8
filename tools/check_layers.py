#!/usr/bin/env python3
"""Checks every #include against tools/layers.txt: a folder may include only what its row says.

usage: check_layers.py [SOURCE_FOLDER]
"""
import fnmatch
import os
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+([<"])([^>"]+)[>"]')
SUFFIXES = (".c", ".h", ".inc", ".def")
C_STANDARD = {
    name + ".h"
    for name in "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal stdalign "
    "stdarg stdatomic stdbool stddef stdint stdio stdlib stdnoreturn string tgmath threads time uchar wchar "
    "wctype".split()
}


def read_layers(path):
    """{folder or file: list of what it may include}"""
    layers = {}
    with open(path, encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            line = line.split("#")[0].strip()
            if not line:
                continue
            folder, colon, allowed = line.partition(":")
            if not colon or folder in layers:
                raise SystemExit("%s:%d: not a row, or a second one for the same folder: %s" % (path, number, line))
            layers[folder] = allowed.split()
    return layers


def row_of(layers, path):
    """The longest row that path lies in; None without one."""
    rows = [row for row in layers if path == row or path.startswith(row + "/")]
    return max(rows, key=len) if rows else None


def resolve(root, including, name):
    """The path of a header of the tree; None when it is none of ours."""
    for folder in (os.path.dirname(including), "include", "src", ""):
        path = os.path.normpath(os.path.join(folder, name))
        if os.path.isfile(os.path.join(root, path)):
            return path.replace(os.sep, "/")
    return None


def may_include(root, layers, including, bracket, name):
    row = row_of(layers, including)
    allowed = layers[row]
    if allowed == ["anything"]:
        return True
    target = resolve(root, including, name)
    if target is None and bracket == "<":
        return name in C_STANDARD or any(fnmatch.fnmatch("<%s>" % name, pattern) for pattern in allowed)
    if target is None:
        return any(fnmatch.fnmatch(name, pattern) for pattern in allowed)
    folder = os.path.dirname(row) if row == including else row
    return any(target.startswith(place + "/") for place in [folder] + allowed)


def check_file(root, layers, path):
    """The faults of one file."""
    if row_of(layers, path) is None:
        return ["%s: tools/layers.txt has no row for this folder" % path]
    faults = []
    with open(os.path.join(root, path), encoding="utf-8") as file:
        for number, line in enumerate(file, start=1):
            match = INCLUDE.match(line)
            if match and not may_include(root, layers, path, match[1], match[2]):
                faults.append("%s:%d: %s may not include %s" % (path, number, row_of(layers, path), match[2]))
    return faults


def c_files(root):
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name != "build" and not name.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIXES):
                yield os.path.relpath(os.path.join(folder, name), root).replace(os.sep, "/")


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    layers = read_layers(os.path.join(root, "tools", "layers.txt"))
    files = list(c_files(root))
    faults = [fault for path in files for fault in check_file(root, layers, path)]
    print("\n".join(faults + ["check_layers: %d files, %d faults" % (len(files), len(faults))]))
    return 1 if faults or not files else 0


if __name__ == "__main__":
    sys.exit(main())
