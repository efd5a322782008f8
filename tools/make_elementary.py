#!/usr/bin/env python3
"""Writes the numbers that src/base/elementary.c computes with, and the results that its test expects, each rounded
from 1,600 bits or more.

usage: make_elementary.py tables >src/base/elementary_tables.inc
       make_elementary.py bits >test/unit/elementary_bits.inc
"""
import decimal
import math
import random
import struct
import sys
from decimal import Decimal

decimal.getcontext().prec = 480  # digits; Emin and Emax hold every power of a double
decimal.getcontext().Emin, decimal.getcontext().Emax = -100000, 100000
ONE = Decimal(1)


def arctangent_of_inverse(n):
    total, power, k = Decimal(0), ONE / n, 1
    while abs(power) > Decimal(10) ** -475:
        total += power / k
        power, k = -power / (n * n), k + 2
    return total


PI = 4 * (4 * arctangent_of_inverse(5) - arctangent_of_inverse(239))  # Machin
LN2 = Decimal(2).ln()


def sine_and_cosine(x):
    """of a Decimal, from the series, after taking out whole quarters of a turn"""
    quarter = (x / (PI / 2)).to_integral_value()
    r = x - quarter * PI / 2
    sums, term = [Decimal(0)] * 2, ONE
    for k in range(200):
        sums[k % 2] += term if k % 4 < 2 else -term
        term = term * r / (k + 1)
    cosine, sine = sums
    return [(sine, cosine), (cosine, -sine), (-sine, -cosine), (-cosine, sine)][int(quarter) % 4]


# ---- tables ---------------------------------------------------------------------------------------


def shortened(value, bits):
    """value rounded towards 0 to so many bits, as a double"""
    fraction, exponent = math.frexp(float(value))
    return math.ldexp(math.floor(fraction * 2.0**bits), exponent - bits)


def pair(value):
    high = float(value)
    return high, float(value - Decimal(high))


def pair_text(value):
    return "{%s, %s}" % tuple(map(float.hex, pair(value)))


def parts_text(value, bits, count):
    """value as a sum of doubles: all but the last have so many bits"""
    parts = []
    for _ in range(count - 1):
        parts.append(shortened(value, bits))
        value -= Decimal(parts[-1])
    return "{%s}" % ", ".join(map(float.hex, parts + [float(value)]))


def array_text(kind, name, rows, comment):
    return "/* %s */\nstatic const %s %s[%d] = {\n%s};\n" % (
        comment, kind, name, len(rows), "".join("    %s,\n" % row for row in rows))


def inverse(i):
    """a double of few bits near 64/i"""
    return 1.0 if i == 64 else round(64 / i * 2**10) / 2**10


def factorials(first, last):
    """(-1)^(k/2) / k! for every other k"""
    return [(-1) ** (k // 2) / Decimal(math.factorial(k)) for k in range(first, last + 1, 2)]


def two_over_pi(words):
    bits = int(2 / PI * Decimal(2) ** (32 * words))
    return [(bits >> (32 * (words - 1 - i))) & 0xFFFFFFFF for i in range(words)]


def tables():
    powers = lambda parts: [pair_text((LN2 * i / parts).exp()) for i in range(64)]
    inverses = [inverse(i) for i in range(45, 92)]
    words = ["0x%08xu" % word for word in two_over_pi(44)]
    return "\n".join([
        "/* Made by tools/make_elementary.py: edit that.  Pairs are {high, low}. */\n",
        "static const double ln2_4096_parts[3] = %s; /* ln 2 / 4096; the first two have 29 bits */"
        % parts_text(LN2 / 4096, 29, 3),
        "static const double ln2_parts[3] = %s;      /* ln 2; the first two have 32 bits */" % parts_text(LN2, 32, 3),
        "static const double per_ln2_4096 = %s;" % float.hex(float(4096 / LN2)),
        "static const at_pair half_pi = %s;\n" % pair_text(PI / 2),
        array_text("at_pair", "powers_64", powers(64), "2^(i/64)"),
        array_text("at_pair", "powers_4096", powers(4096), "2^(i/4096)"),
        "enum { INVERSE_FIRST = 45 };\n",
        array_text("double", "inverses", [float.hex(c) for c in inverses],
                   "c near 64/i, for i from INVERSE_FIRST on"),
        array_text("at_pair", "inverse_logs", [pair_text(-Decimal(c).ln()) for c in inverses], "-log c"),
        array_text("at_pair", "sine_pairs", [pair_text(c) for c in factorials(3, 13)], "-1/3!, 1/5!, ... 1/13!"),
        array_text("double", "sine_tail", [float.hex(float(c)) for c in factorials(15, 27)], "-1/15!, ... -1/27!"),
        array_text("at_pair", "cosine_pairs", [pair_text(c) for c in factorials(2, 14)], "-1/2!, 1/4!, ... -1/14!"),
        array_text("double", "cosine_tail", [float.hex(float(c)) for c in factorials(16, 28)], "1/16!, ... 1/28!"),
        array_text("uint32_t", "two_over_pi", [", ".join(words[i : i + 4]) for i in range(0, len(words), 4)],
                   "2/pi, 32 bits a word, the first weighing 2^-32").replace("two_over_pi[11]", "two_over_pi[44]"),
    ])


# ---- expected results -----------------------------------------------------------------------------

FUNCTIONS = {
    "exp": lambda x: x.exp(),
    "log": lambda x: x.ln(),
    "log1p": lambda x: (1 + x).ln(),
    "tanh": lambda x: ((2 * x).exp() - 1) / ((2 * x).exp() + 1),
    "sine": lambda x: sine_and_cosine(x)[0],
    "cosine": lambda x: sine_and_cosine(x)[1],
}


def inputs(name, random_number):
    edge = [2.0**-k for k in (1, 7, 13, 14, 27, 28, 30, 52, 53, 54, 60)] + [0.25, 1.0, 2.0, 3.0]
    near_one = [1 + sign * 2.0**-k for k in (1, 5, 6, 7, 20, 52) for sign in (-1, 1)]
    spread = [random_number.choice((-1, 1)) * 2.0 ** random_number.uniform(-30, 9) for _ in range(40)]
    if name == "exp":
        edge.remove(2.0**-53)  # e^x lies 2^-55 units from the middle between 1 and the next double
        return edge + [-x for x in edge] + spread + [709.78, 709.782712893384, -708.4, -744.44, -745.13, -740.1, -720.7]
    if name == "log":
        return near_one + [abs(x) for x in spread] + [5e-324, 2.0**-1022, 1e-310, 1.7976931348623157e308, 10.0]
    if name == "log1p":
        return edge + [-x for x in edge if x < 1] + [abs(x) for x in spread] + [-1 + 2.0**-53, 1e300, 1e16]
    if name == "tanh":
        return edge + [x / 32 for x in spread] + [5e-324, 1e-300, 18.9, 19.0, 19.06, 19.1, 20.0, -20.5, 700.0]
    turns = [k * math.pi / 4 for k in range(1, 9)] + [6381956970095103.0 * 2.0**797, 2.0**31, 2.0**31 - 1, 1e22]
    return edge + spread + turns + [random_number.uniform(0, 2.0**31) for _ in range(30)] + [1.7976931348623157e308]


def bits_of(number):
    return "0x%016x" % struct.unpack("<Q", struct.pack("<d", number))[0]


def bits():
    random_number = random.Random(20170612)
    lines = ["/* Made by tools/make_elementary.py: edit that.  BITS(function, argument, result) */"]
    for name, function in FUNCTIONS.items():
        for x in inputs(name, random_number):
            lines.append("BITS(%s, %s, %s)" % (name, bits_of(x), bits_of(float(function(Decimal(x))))))
    for base in (10000.0, 500000.0, 1e6, 2.0, 0.5, 3.7, 1e-3):
        for exponent in [-2.0 * m / width for width in (6, 64, 128) for m in range(0, width // 2, 7)]:
            result = float((Decimal(exponent) * Decimal(base).ln()).exp())
            lines.append("BITS2(%s, %s, %s)" % (bits_of(base), bits_of(exponent), bits_of(result)))
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if sys.argv[1:] not in (["tables"], ["bits"]):
        raise SystemExit(__doc__)
    sys.stdout.write(tables() if sys.argv[1] == "tables" else bits())
