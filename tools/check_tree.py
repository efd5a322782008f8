#!/usr/bin/env python3
"""Checks the source tree: file names are unique, and no file or C function is longer than tools/limits.txt allows.

usage: check_tree.py [SOURCE_FOLDER]
"""
import json
import os
import subprocess
import sys

SOURCE_SUFFIXES = (".c", ".h", ".inc", ".def", ".py", ".sh", ".cmake", ".ts", ".svelte", ".css")
C_SUFFIXES = (".c", ".h", ".inc")
SKIPPED = ("build", "__pycache__", "node_modules")
GIVEN_NAMES = ("CMakeLists.txt", ".clang-tidy", ".npmrc", "package.json", "package-lock.json")  # which their readers prescribe
DATA_FOLDERS = ("fuzz/corpus",)  # their names mean nothing outside their own folder


def tree(root):
    """Every file, relative to root, but what is built, hidden or data."""
    for folder, folders, names in os.walk(root):
        relative = os.path.relpath(folder, root).replace(os.sep, "/")
        if relative in DATA_FOLDERS:
            folders[:] = []
            continue
        folders[:] = sorted(name for name in folders if name not in SKIPPED and not name.startswith("."))
        for name in sorted(names):
            yield name if relative == "." else relative + "/" + name


def read_limits(path):
    """{(what, where): most}"""
    with open(path, encoding="utf-8") as file:
        rows = [line.split() for line in (line.split("#")[0] for line in file) if line.strip()]
    return {(what, where): int(most) for what, where, most in rows}


def limit_of(limits, what, path):
    places = [where for kind, where in limits if kind == what and (where == "." or path.startswith(where + "/"))]
    return limits[what, max(places, key=len)]


def name_faults(paths):
    seen = {}
    for path in paths:
        if os.path.basename(path) not in GIVEN_NAMES:
            seen.setdefault(os.path.basename(path), []).append(path)
    return ["one name for several files: " + ", ".join(places) for places in seen.values() if len(places) > 1]


def length_faults(root, paths, limits):
    faults = []
    for path in paths:
        with open(os.path.join(root, path), encoding="utf-8") as file:
            length, most = sum(1 for _ in file), limit_of(limits, "file", path)
        if length > most:
            faults.append("%s: %d lines, at most %d" % (path, length, most))
    return faults


def functions(root, paths):
    """(path, name, first line, last line) of every C function."""
    command = ["ctags", "--output-format=json", "--fields=+ne", "--kinds-C=f", "--langmap=C:.c.h.inc", "--languages=C"]
    command += ["-L", "-", "-f", "-"]
    run = subprocess.run(command, input="\n".join(paths), cwd=root, text=True, capture_output=True)
    if run.returncode != 0:
        raise SystemExit("check_tree: ctags failed: " + run.stderr)
    for line in run.stdout.splitlines():
        tag = json.loads(line)
        if "end" in tag:
            yield tag["path"], tag["name"], tag["line"], tag["end"]


def function_faults(root, paths, limits):
    faults = []
    for path, name, first, last in functions(root, paths):
        length, most = last - first + 1, limit_of(limits, "function", path)
        if length > most:
            faults.append("%s:%d: %s has %d lines, at most %d" % (path, first, name, length, most))
    return faults


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.join(os.path.dirname(__file__), "..")
    limits = read_limits(os.path.join(root, "tools", "limits.txt"))
    paths = list(tree(root))
    sources = [path for path in paths if path.endswith(SOURCE_SUFFIXES)]
    c_sources = [path for path in paths if path.endswith(C_SUFFIXES)]
    faults = name_faults(paths) + length_faults(root, sources, limits) + function_faults(root, c_sources, limits)
    print("\n".join(faults + ["check_tree: %d files, %d faults" % (len(paths), len(faults))]))
    return 1 if faults or not paths else 0


if __name__ == "__main__":
    sys.exit(main())
