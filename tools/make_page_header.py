#!/usr/bin/env python3
"""Writes the page into a C header, with the Content-Security-Policy that fits it.

usage: make_page_header.py OUTPUT.h [PAGE.html]

The header holds `static const char page_text[]`, empty when there is no page, and `static const char page_policy[]`,
which allows each inline script and style by its hash.  A page that would need more than that is refused: one that
loads another file, or has a style or a script in an attribute.
"""
import base64
import hashlib
import html.parser
import sys

from make_examples import c_text

# Drawings become pictures by way of a blob: or data: address.
POLICY = (
    "default-src 'none'; script-src{scripts} 'wasm-unsafe-eval'; style-src{styles}; img-src data: blob:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class PageError(Exception):
    """Why the page cannot be one file under a strict policy."""


class Inline(html.parser.HTMLParser):
    """Collects the inline scripts and styles."""

    def __init__(self):
        super().__init__()
        self.texts = {"script": [], "style": []}
        self.inside = None

    def handle_starttag(self, tag, attributes):
        names = dict(attributes)
        for name, value in attributes:
            if name == "style" or name.startswith("on"):
                raise PageError("<%s> has the attribute %s, which the policy forbids" % (tag, name))
            if name in ("src", "href") and tag in ("script", "link") and not (value or "").startswith("data:"):
                raise PageError("<%s %s=%s> is not in the file" % (tag, name, value))
        if tag in self.texts and "src" not in names:
            self.texts[tag].append("")
            self.inside = tag

    def handle_data(self, data):
        if self.inside is not None:
            self.texts[self.inside][-1] += data

    def handle_endtag(self, tag):
        if tag == self.inside:
            self.inside = None


def source(text):
    return " 'sha256-%s'" % base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def policy(page):
    if "\r" in page:
        raise PageError("a carriage return: browsers change it before they compare hashes")
    inline = Inline()
    inline.feed(page)
    inline.close()
    if inline.inside is not None:
        raise PageError("<%s> has no end" % inline.inside)
    sources = {tag: "".join(map(source, texts)) for tag, texts in inline.texts.items()}
    return POLICY.format(scripts=sources["script"], styles=sources["style"] or " 'none'")


def header(page):
    return (
        "/* Made by tools/make_page_header.py from the page that `make page` builds. */\n"
        "#pragma GCC diagnostic push\n"
        '#pragma GCC diagnostic ignored "-Woverlength-strings"\n'
        "static const char page_text[] =\n%s;\n"
        "#pragma GCC diagnostic pop\n"
        "static const char page_policy[] =\n%s;\n" % (c_text(page) or '    ""', c_text(policy(page)))
    )


def main():
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    page = ""
    if len(sys.argv) == 3:
        with open(sys.argv[2], encoding="utf-8", newline="") as file:
            page = file.read()
    try:
        text = header(page)
    except PageError as error:
        sys.exit("%s: %s" % (sys.argv[2], error))
    with open(sys.argv[1], "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main()
