#!/usr/bin/env python3
"""Checks that every public function is explained: by a comment beside it, or above the group of declarations without
an empty line that it stands in.  A function that takes tensors must have their shapes, or the word tensor, there.

usage: check_docs.py HEADER.h...
"""
import re
import sys

NAME = re.compile(r"\b(attend_\w+)\s*\(")
COMMENT = re.compile(r"/\*(.*?)\*/", re.DOTALL)
TENSOR = re.compile(r"\b(?:const )?attend_(?:in|out) \*")


def groups(text):
    """Runs of lines without an empty one, outside comments."""
    marked = COMMENT.sub(lambda match: match[0].replace("\n\n", "\n \n"), text)
    return marked.split("\n\n")


def declarations(group):
    """Each declaration with the comment that explains it, "" without one."""
    explanation = ""
    for part in re.finditer(r"/\*(.*?)\*/|ATTEND_API\b([^;]*);(?:[ \t]*/\*(.*?)\*/)?", group, re.DOTALL):
        if part[2] is None:
            explanation = part[1]
        else:
            yield part[2], part[3] or explanation


def faults(header):
    with open(header, encoding="utf-8") as file:
        text = file.read()
    for group in groups(text):
        for declaration, comment in declarations(group):
            name = NAME.search(declaration)[1]
            if len(comment.split()) == 0:
                yield "%s: %s has no comment" % (header, name)
            elif TENSOR.search(declaration) and "[" not in comment and "tensor" not in comment:
                yield "%s: %s takes tensors, and its comment names no shape" % (header, name)


def main():
    found = [fault for header in sys.argv[1:] for fault in faults(header)]
    counted = 0
    for header in sys.argv[1:]:
        with open(header, encoding="utf-8") as file:
            counted += len(re.findall(r"^ATTEND_API\b", file.read(), re.MULTILINE))
    print("\n".join(found + ["check_docs: %d functions, %d faults" % (counted, len(found))]))
    return 1 if found or not counted else 0


if __name__ == "__main__":
    sys.exit(main())
