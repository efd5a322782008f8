#!/usr/bin/env python3
"""Tests of the pictures of `attend look`: their pixels, their words, their files, and their colours in a terminal.

usage: ATTEND_BINARY=build/dev/attend test_look_pictures.py

Pixels are found without knowing the layout: the causal grid begins with the one cell of weight 1, whose colour is the
end of the scale.
"""
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zlib

from on_terminal import run_on_terminal

ATTEND = os.environ["ATTEND_BINARY"]
CELL = 58  # of small grids, in pixels of the layout
GAP = 28   # between grids
PAGE = {"light": (255, 255, 255), "dark": (12, 17, 22)}
BLUES = [(247, 251, 255), (222, 235, 247), (198, 219, 239), (158, 202, 225), (107, 174, 214), (66, 146, 198),
         (33, 113, 181), (8, 81, 156), (8, 48, 107)]


def read(path):
    with open(path, "rb") as file:
        return file.read()


def run(*arguments, status=0, **more):
    done = subprocess.run([ATTEND, "look", *arguments], capture_output=True, text=True, **more)
    assert done.returncode == status, (arguments, done.returncode, done.stderr)
    return done


# ---- the colour scale, from its definition: even in CIE L* along ColorBrewer's Blues ----

def linear(s):
    return s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4


def encoded(s):
    return 12.92 * s if s <= 0.0031308 else 1.055 * s ** (1 / 2.4) - 0.055


def lab(rgb):
    r, g, b = (linear(c / 255) for c in rgb)
    xyz = ((0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505, 0.2126 * r + 0.7152 * g + 0.0722 * b,
           (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.0890)
    x, y, z = (t ** (1 / 3) if t > 216 / 24389 else (24389 / 27 * t + 16) / 116 for t in xyz)
    return 116 * y - 16, 500 * (x - y), 200 * (y - z)


def from_lab(lightness, a, b):
    f = (lightness + 16) / 116
    x, y, z = (t ** 3 if t > 6 / 29 else (116 * t - 16) * 27 / 24389 for t in (f + a / 500, f, f - b / 200))
    x, z = 0.9505 * x, 1.0890 * z
    rgb = (3.2406 * x - 1.5372 * y - 0.4986 * z, -0.9689 * x + 1.8758 * y + 0.0415 * z,
           0.0557 * x - 0.2040 * y + 1.0570 * z)
    return tuple(round(255 * min(1, max(0, encoded(max(c, 0))))) for c in rgb)


def scale_color(weight, theme):
    labs = [lab(c) for c in BLUES]
    part = weight if theme == "light" else 1 - weight
    lightness = labs[0][0] + part * (labs[-1][0] - labs[0][0])
    for upper, lower in zip(labs, labs[1:]):
        if lightness >= lower[0] or lower is labs[-1]:
            t = (lightness - upper[0]) / (lower[0] - upper[0])
            return from_lab(lightness, *(u + t * (v - u) for u, v in zip(upper[1:], lower[1:])))


# ---- tensors ----

def write_npy(path, rows):
    """One batch row and head of f32."""
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, %d, %d), }" % (len(rows), len(rows[0]))
    head = head.ljust(117) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode())
        file.write(b"".join(struct.pack("<f", x) for row in rows for x in row))


# ---- pixels ----

class Picture:
    def __init__(self, width, height, rows):
        self.width, self.height, self.rows = width, height, rows

    def at(self, x, y):
        return tuple(self.rows[int(y)][3 * int(x):3 * int(x) + 3])


def unfilter(kind, line, above):
    """One line of a PNG with three bytes to a pixel (ISO/IEC 15948, section 9)."""
    for i in range(len(line)):
        left, up, corner = line[i - 3] if i >= 3 else 0, above[i], above[i - 3] if i >= 3 else 0
        guess = left + up - corner
        paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
        line[i] = (line[i] + [0, left, up, (left + up) // 2, paeth][kind]) & 255
    return line


def read_png(path):
    data = read(path)
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        assert zlib.crc32(kind + body) == struct.unpack(">I", data[at + 8 + length:at + 12 + length])[0]
        if kind == b"IHDR":
            width, height, depth, color_type, _, _, interlace = struct.unpack(">IIBBBBB", body)
            assert (depth, color_type, interlace) == (8, 2, 0)
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    lines, rows, above = zlib.decompress(packed), [], bytes(3 * width)
    for y in range(height):
        start = y * (3 * width + 1)
        above = unfilter(lines[start], bytearray(lines[start + 1:start + 1 + 3 * width]), above)
        rows.append(above)
    return Picture(width, height, rows)


def read_ppm(data):
    kind, width, height, most, pixels = re.match(rb"(P6)\s+(\d+)\s+(\d+)\s+(\d+)\s(.*)", data, re.S).groups()
    assert (kind, most) == (b"P6", b"255")
    width, height = int(width), int(height)
    return Picture(width, height, [pixels[3 * width * y:3 * width * (y + 1)] for y in range(height)])


def close(a, b, most=1):
    return all(abs(x - y) <= most for x, y in zip(a, b))


def corner_of_causal(picture, theme):
    """Upper left corner of the cell of weight 1: the first long run of its colour, which the legend comes after."""
    end = scale_color(1, theme)
    for y in range(picture.height):
        x = 0
        while x + CELL < picture.width:
            if all(close(picture.at(x + i, y), end) for i in range(0, CELL, 8)):
                while close(picture.at(x - 1, y), end):
                    x -= 1
                return x, y
            x += 16
    raise AssertionError("no cell of weight 1")


class Drawing(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)

    def draw(self, name, *arguments):
        path = os.path.join(self.folder, name)
        run(*arguments, "-o", path)
        return path


class Pixels(Drawing):
    def check_cells(self, picture, scale, example, theme):
        both = json.loads(run("--example", example, "--compare-causal", "--json").stdout)
        x0, y0 = corner_of_causal(picture, theme)
        size = len(both["full"]["tokens"])
        self.assertTrue(close(picture.at(0, 0), PAGE[theme]))
        for name, left in (("full", x0 - scale * (CELL * size + GAP)), ("causal", x0)):
            for i, row in enumerate(both[name]["heads"][0]["weights"]):
                for j, weight in enumerate(row):
                    x, y = left + scale * CELL * j, y0 + scale * CELL * i
                    if weight is None:
                        self.check_hatched(picture, x, y, scale, theme)
                        continue
                    for part in (0.1, 0.85):  # above and below the number
                        found = picture.at(x + scale * CELL / 2, y + scale * CELL * part)
                        self.assertTrue(close(found, scale_color(weight, theme)), (name, i, j, found))

    def check_hatched(self, picture, x, y, scale, theme):
        found = {picture.at(x + d, y + scale * CELL / 2) for d in range(4, scale * CELL - 4)}
        self.assertTrue(any(close(color, PAGE[theme]) for color in found))
        self.assertGreater(len(found), 1)

    def test_png_shows_each_weight_in_its_color(self):
        for example in ("napkin", "cat"):
            for theme in ("light", "dark"):
                path = self.draw("a.png", "--example", example, "--compare-causal", "--theme", theme)
                self.check_cells(read_png(path), 2, example, theme)

    def test_png_is_twice_the_svg_or_as_wide_as_asked(self):
        picture = read_png(self.draw("a.png", "--example", "cat"))
        root = xml.parse(self.draw("a.svg", "--example", "cat")).getroot()
        self.assertEqual((2 * int(root.get("width")[:-2]), 2 * int(root.get("height")[:-2])),
                         (picture.width, picture.height))
        self.assertEqual(read_png(self.draw("b.png", "--example", "cat", "--width", "801")).width, 801)

    def test_pdf_shows_the_same(self):
        path = self.draw("a.pdf", "--example", "cat", "--compare-causal")
        if shutil.which("pdftoppm") is None:
            self.skipTest("pdftoppm is missing")
        ppm = subprocess.run(["pdftoppm", "-r", "144", path], check=True, capture_output=True).stdout
        self.check_cells(read_ppm(ppm), 2, "cat", "light")
        words = subprocess.run(["pdftotext", path, "-"], check=True, capture_output=True, text=True).stdout.split()
        for word in ("full", "causal", "query", "key", "the", "down", "0.73", "weight", "hidden"):
            self.assertIn(word, words)

    def test_what_is_not_a_number_is_grey(self):
        paths = {name: os.path.join(self.folder, name + ".npy") for name in ("q", "nan")}
        for name, path in paths.items():
            write_npy(path, [[float("nan") if (i, name) == (1, "nan") else (i + j) % 3 for j in range(2)]
                             for i in range(3)])
        for theme, grey in (("light", (158, 158, 158)), ("dark", (115, 115, 115))):
            pictures = {name: read_png(self.draw("a.png", "--q", path, "--k", paths["q"], "--theme", theme))
                        for name, path in paths.items()}
            found = {name: sum(picture.at(x, y) == grey for x in range(0, picture.width, 4)
                               for y in range(0, picture.height, 4)) for name, picture in pictures.items()}
            self.assertGreater(found["nan"], 3 * 20 * 20)  # three cells, but for the letters in them
            self.assertLess(found["q"], 10)
        if shutil.which("pdftotext") is None:
            self.skipTest("pdftotext is missing")
        words = {name: subprocess.run(["pdftotext", self.draw("a.pdf", "--q", path, "--k", paths["q"]), "-"],
                                      check=True, capture_output=True, text=True).stdout for name, path in paths.items()}
        self.assertIn("not a number", words["nan"])
        self.assertNotIn("not a number", words["q"])

    def test_ceiling_darkens_what_exceeds_it(self):
        picture = read_png(self.draw("a.png", "--example", "cat", "--compare-causal", "--ceiling", "0.5"))
        x0, y0 = corner_of_causal(picture, "light")
        self.assertTrue(close(picture.at(x0 + 3 * CELL, y0 + 2 * CELL + 10), scale_color(1, "light")))  # 0.67


class Words(Drawing):
    def check_inside(self, root):
        """No letter begins outside the page. Letters are placed before their group is turned and moved."""
        width, height = (float(root.get(side)[:-2]) for side in ("width", "height"))
        letters = list(root.iter("{http://www.w3.org/2000/svg}use"))
        self.assertGreater(len(letters), 0)
        for letter in letters:
            self.assertTrue(0 <= float(letter.get("x")) < width and 0 <= float(letter.get("y")) < height)

    def test_svg_says_in_words_what_it_shows(self):
        root = xml.parse(self.draw("a.svg", "--example", "cat", "--compare-causal")).getroot()
        title, description = (root.find("{http://www.w3.org/2000/svg}" + name).text for name in ("title", "desc"))
        self.assertEqual(title, "Attention weights: the cat sat down")
        self.assertIn("full, query sat: the 0.04, cat 0.73, sat 0.18, down 0.04\n", description)
        self.assertIn("causal, query cat: the 0.33, cat 0.67, sat hidden, down hidden\n", description)
        self.check_inside(root)

    def test_picture_of_the_documentation_is_up_to_date(self):
        path = self.draw("a.svg", "--example", "cat", "--compare-causal")
        kept = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "images", "cat.svg")
        words, kept_words = ([(e.tag, e.text) for e in xml.parse(p).getroot() if e.text.strip()] for p in (path, kept))
        self.assertEqual(words, kept_words)

    def test_svg_escapes_tokens(self):
        text = json.dumps({"tokens": ["<b>&", "]]>"], "q": [[1], [2]], "k": [[1], [2]], "v": [[1], [2]]})
        path = os.path.join(self.folder, "odd.svg")
        run("-", "-o", path, input=text)
        title = xml.parse(path).getroot().find("{http://www.w3.org/2000/svg}title").text
        self.assertEqual(title, "Attention weights: <b>& ]]>")

    def test_sizes_from_one_token_to_many(self):
        for tokens in (1, 2, 13, 30, 60, 90, 130):
            rows = [[(7 * i) % 5 - 2, (3 * i) % 7 / 3] for i in range(tokens)]
            words = ["antidisestablishmentarianism" if i % 9 == 4 else "t%d" % i for i in range(tokens)]
            text = json.dumps({"tokens": words, "q": rows, "k": rows, "v": rows, "causal": True})
            path = os.path.join(self.folder, "a.svg")
            run("-", "-o", path, input=text)
            self.check_inside(xml.parse(path).getroot())

    def test_same_bytes_on_every_run(self):
        for ending in ("svg", "pdf", "png"):
            paths = [self.draw(name + "." + ending, "--example", "heads", "--compare-causal") for name in "ab"]
            first, second = (read(path) for path in paths)
            self.assertEqual(first, second, ending)


class Files(Drawing):
    def test_failure_leaves_nothing_behind(self):
        os.mkdir(os.path.join(self.folder, "taken.svg"))
        done = run("--example", "cat", "-o", os.path.join(self.folder, "taken.svg"), status=1)
        self.assertRegex(done.stderr, r"^attend: error: .*taken\.svg: Is a directory\n$")
        self.assertEqual(os.listdir(self.folder), ["taken.svg"])

    @unittest.skipIf(b"__tsan_init" in read(ATTEND), "the thread sanitizer's own memory is a file that grows")
    def test_full_disk_keeps_the_old_file(self):
        def little_room():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (4000, 4000))  # room for the 1024 bytes LLVM's OpenMP wants
        path = self.draw("a.png", "--example", "cat")
        before = read(path)
        done = run("--example", "napkin", "-o", path, status=1, preexec_fn=little_room)
        self.assertRegex(done.stderr, r"^attend: error: .*a\.png: File too large\n$")
        self.assertEqual(read(path), before)
        self.assertEqual(os.listdir(self.folder), ["a.png"])

    def test_new_file_has_the_usual_rights(self):
        old = os.umask(0o027)
        self.addCleanup(os.umask, old)
        self.assertEqual(os.stat(self.draw("a.svg", "--example", "cat")).st_mode & 0o777, 0o640)


class Terminal(unittest.TestCase):
    def show(self, *arguments, columns=80, **environment):
        """What `attend look` writes to a terminal of so many columns."""
        terminal = ("TERM", "COLORTERM", "COLUMNS", "NO_COLOR")
        known = {name: value for name, value in os.environ.items() if name not in terminal}
        status, text, errors = run_on_terminal([ATTEND, "look", *arguments], "stdout", {**known, **environment}, columns)
        self.assertEqual((status, errors), (0, b""))
        return text.decode().replace("\r\n", "\n")

    def test_true_colors(self):
        text = self.show("--example", "cat", "--causal", "--theme", "light", TERM="xterm", COLORTERM="truecolor")
        self.assertIn("\033[48;2;8;48;107;38;2;255;255;255m  1.00  \033[0m\033[2m╱╱╱╱╱╱╱╱\033[0m", text)
        for weight in (0.33023845067334306, 0.12282952007783793):
            red, green, blue = scale_color(weight, "light")
            self.assertRegex(text, r"\033\[48;2;%d;%d;%d;38;2;0;0;0m  %.2f  \033" % (red, green, blue, weight))

    def test_terminals_are_dark_unless_they_say_so(self):
        dark = self.show("--example", "cat", "--causal", TERM="xterm", COLORTERM="24bit")
        light = self.show("--example", "cat", "--causal", TERM="xterm", COLORTERM="24bit", COLORFGBG="0;15")
        self.assertIn("\033[48;2;247;251;255;38;2;0;0;0m  1.00  ", dark)
        self.assertIn("\033[48;2;8;48;107;38;2;255;255;255m  1.00  ", light)

    def test_greys_where_there_are_256_colors(self):
        text = self.show("--example", "cat", "--causal", TERM="xterm-256color")
        self.assertIn("\033[48;5;255;38;5;16m  1.00  \033[0m", text)
        self.assertNotIn("\033[48;2;", text)

    def test_no_colors_where_they_are_not_wanted(self):
        for environment in ({"TERM": "dumb", "COLORTERM": "truecolor"}, {"TERM": "xterm"},
                            {"TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"}):
            text = self.show("--example", "cat", **environment)
            self.assertNotIn("\033", text)
            self.assertIn("sat   · 0.04  █ 0.73  ░ 0.18  · 0.04\n", text)

    def test_lines_fit_the_terminal(self):
        for columns in (40, 60, 80, 200):
            for colors in ({"TERM": "xterm"}, {"TERM": "xterm", "COLORTERM": "truecolor"}):
                text = self.show("--example", "heads", "--compare-causal", columns=columns, **colors)
                lines = re.sub("\033\\[[0-9;]*m", "", text).split("\n")[1:]
                self.assertLessEqual(max(len(line) for line in lines), columns)
                self.assertTrue(all(line == line.rstrip() or "truecolor" in colors.values() for line in lines))

    def test_full_and_causal_stand_side_by_side_when_there_is_room(self):
        wide = self.show("--example", "cat", "--compare-causal", columns=80, TERM="dumb")
        narrow = self.show("--example", "cat", "--compare-causal", columns=50, TERM="dumb")
        self.assertRegex(wide, r"\n +full +causal\n")
        self.assertRegex(narrow, r"\n +full\n[^f]*\n +causal\n")


if __name__ == "__main__":
    unittest.main()
