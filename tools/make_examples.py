#!/usr/bin/env python3
"""Writes the example files into a C header, so that `attend trace --example NAME` needs no file.

usage: make_examples.py OUTPUT.h EXAMPLE.json...

The header holds `static const embedded_example embedded_examples[]`, sorted by name, the name being that of the
file without `.json`.
"""
import os
import sys


def c_text(text):
    """The text as adjacent C string literals, one for each line."""
    lines = text.encode("utf-8").splitlines(keepends=True)
    return "\n".join('     "' + "".join(c_byte(byte) for byte in line) + '"' for line in lines)


def c_byte(byte):
    character = chr(byte)
    if character in '"\\':
        return "\\" + character
    if 32 <= byte < 127 and character != "?":  # "??=" and its like would be trigraphs
        return character
    return "\\%03o" % byte


def header(paths):
    entries = []
    for path in sorted(paths, key=os.path.basename):
        name = os.path.splitext(os.path.basename(path))[0]
        with open(path, encoding="utf-8") as file:
            entries.append('    {"%s",\n%s},\n' % (name, c_text(file.read())))
    return (
        "/* Made by tools/make_examples.py from examples/: edit those. */\n"
        "typedef struct embedded_example {\n    const char *name;\n    const char *text;\n} embedded_example;\n\n"
        "static const embedded_example embedded_examples[] = {\n%s};\n" % "".join(entries)
    )


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write(header(sys.argv[2:]))


if __name__ == "__main__":
    main()
