#!/usr/bin/env python3
"""Checks that a shared library exports exactly the functions that its header declares, and that a static one defines
no name that another program could use too.

usage: check_symbols.py HEADER LIBRARY.so LIBRARY.a
"""
import re
import subprocess
import sys

DECLARATION = re.compile(r"^ATTEND_API\b[^;(]*?\b(\w+)\s*\(", re.MULTILINE)
OURS = re.compile(r"(at|attend)_\w+")


def declared(header):
    with open(header, encoding="utf-8") as file:
        return set(DECLARATION.findall(file.read()))


def defined(library, *options):
    output = subprocess.run(
        ["nm", "--defined-only", "--format=posix", *options, library], check=True, text=True, capture_output=True
    ).stdout
    rows = [line.split() for line in output.splitlines()]
    # Other kinds than T, D, B, R are local, or what compilers and sanitizers add.
    return {row[0] for row in rows if len(row) > 2 and row[1] in "TDBR"}


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    header, shared, static = sys.argv[1:]
    wanted, exported = declared(header), defined(shared, "--dynamic")
    faults = ["%s: %s of %s is not exported" % (shared, name, header) for name in sorted(wanted - exported)]
    faults += ["%s: %s is exported, but not in %s" % (shared, name, header) for name in sorted(exported - wanted)]
    faults += [
        "%s: %s is global, and begins neither with at_ nor with attend_" % (static, name)
        for name in sorted(defined(static, "--extern-only"))
        if not OURS.fullmatch(name)
    ]
    print("\n".join(faults + ["check_symbols: %d functions, %d faults" % (len(wanted), len(faults))]))
    return 1 if faults or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
