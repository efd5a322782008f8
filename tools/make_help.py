#!/usr/bin/env python3
"""Makes everything that explains the program's options from docs/cli/*.md, so that they cannot disagree.

usage: make_help.py --version VERSION --verbs cli/verbs.def --output FOLDER PAGE.md...

Writes into FOLDER
    help_<verb>.h            the text of --help, getopt_long's table and an enum of option ids
    man/attend-<verb>.1      and man/attend.1 from attend.md
    completion/attend.bash, completion/_attend (zsh), completion/attend.fish

A page is a small part of Markdown:

    # attend run
    One sentence that says what it does.

    Paragraphs, lists ("- item") and blocks indented by four spaces.

    ## Usage
        attend run --q Q.npy -o O.npy [options]

    ## Options
    -o, --output FILE     where the output goes;
                          continuation lines are indented
    --align first|last    a value of fixed words is completed by the shell

Other sections are free. -h, --help is added to every page, and the list of verbs to attend.md.
"""
import argparse
import dataclasses
import os
import re
import sys

OPTION = re.compile(r"(?:-([A-Za-z0-9]), )?--([a-z][a-z0-9]*(?:-[a-z0-9]+)*)(?: (\S+))?(?: {2,}(\S.*))?")
VERB = re.compile(r'^VERB\((\w+), "((?:[^"\\]|\\.)*)"\)$', re.MULTILINE)
LINE_MAX = 120


class PageError(Exception):
    """What is wrong with a page, and where."""


@dataclasses.dataclass
class Option:
    letter: str  # "" when it has none
    name: str
    value: str  # "" when it takes none
    text: str
    lines: list  # as the page shows it

    @property
    def spellings(self):
        return (["-" + self.letter] if self.letter else []) + ["--" + self.name]

    @property
    def words(self):
        """The words that the value is chosen from; [] when it is free."""
        return self.value.split("|") if "|" in self.value else []


@dataclasses.dataclass
class Section:
    title: str
    lines: list  # (number, text)

    @property
    def has_options(self):
        return self.title == "Options" or self.title.endswith(" options")


@dataclasses.dataclass
class Page:
    name: str  # "run"; "attend" for the page of the whole program
    summary: str
    description: list  # lines after the summary
    sections: list
    options: list

    @property
    def command(self):
        return "attend" if self.name == "attend" else "attend " + self.name

    @property
    def man_name(self):
        return self.command.replace(" ", "-")

    def section(self, title):
        return next((section for section in self.sections if section.title == title), None)


# ---- Reading a page --------------------------------------------------------------------------------------------------


def check_line(place, line):
    faults = [
        (line != line.rstrip(), "has blanks at its end"),
        ("\t" in line, "has a tab"),
        (len(line) > LINE_MAX, "is longer than %d columns" % LINE_MAX),
        (line.startswith("```"), "begins a fence: indent the block by four spaces"),
        (line.startswith("|"), "begins a table: write a list or an indented block"),
        (line.startswith("###"), "is a heading of the third level: use ##"),
        (not line.startswith("    ") and line.count("`") % 2 == 1, "has a backquote without its partner"),
        (not line.startswith("    ") and "**" in line, "has bold text: only `code` is marked"),
        (not line.startswith("    ") and re.search(r"\]\(", line) is not None, "has a link"),
    ]
    for wrong, what in faults:
        if wrong:
            raise PageError("%s: the line %s" % (place, what))


def split_sections(path, lines):
    """The lines before the first ## and the sections after it."""
    head, sections = [], []
    for number, line in enumerate(lines, start=1):
        check_line("%s:%d" % (path, number), line)
        if line.startswith("## "):
            if any(section.title == line[3:] for section in sections):
                raise PageError("%s:%d: section %s appears twice" % (path, number, line[3:]))
            sections.append(Section(line[3:], []))
        else:
            (sections[-1].lines if sections else head).append((number, line))
    return head, sections


def strip_blank(lines):
    """Without empty lines at both ends."""
    lines = list(lines)
    while lines and not lines[0][1]:
        lines.pop(0)
    while lines and not lines[-1][1]:
        lines.pop()
    return lines


def read_options(path, section):
    """The options of a section; its other lines are paragraphs."""
    options = []
    for number, line in section.lines:
        place = "%s:%d" % (path, number)
        if line.startswith("-"):
            match = OPTION.fullmatch(line)
            if match is None:
                raise PageError('%s: an option line is "-o, --output FILE  text", two blanks before the text' % place)
            options.append(Option(match[1] or "", match[2], match[3] or "", match[4] or "", [line]))
        elif line.startswith(" "):
            if not options:
                raise PageError("%s: an indented line, but no option above it" % place)
            options[-1].text = (options[-1].text + " " + line.strip()).strip()
            options[-1].lines.append(line)
    return options


def check_options(path, options):
    names, letters = set(), set()
    for option in options:
        if option.name == "help" or option.letter == "h":
            raise PageError("%s: --%s: -h, --help is added by itself" % (path, option.name))
        if option.name in names:
            raise PageError("%s: --%s appears twice" % (path, option.name))
        if option.letter and option.letter in letters:
            raise PageError("%s: -%s appears twice" % (path, option.letter))
        if not option.text:
            raise PageError("%s: --%s has no text" % (path, option.name))
        if option.value and not option.words and not re.fullmatch(r"[A-Z][A-Za-z0-9_,.:]*", option.value):
            wrong = "--%s %s: a value is in capitals (FILE), or words separated by |" % (option.name, option.value)
            raise PageError("%s: %s" % (path, wrong))
        names.add(option.name)
        letters.add(option.letter)


def check_usage(path, page):
    usage = page.section("Usage")
    if usage is None:
        raise PageError("%s: no section Usage" % path)
    for number, line in strip_blank(usage.lines):
        if not line.startswith("    "):
            raise PageError("%s:%d: a line of Usage is indented by four spaces" % (path, number))
        if not line.startswith("     ") and not (line[4:] + " ").startswith(page.command + " "):
            raise PageError('%s:%d: a line of Usage begins with "%s"' % (path, number, page.command))
    if not strip_blank(usage.lines):
        raise PageError("%s: section Usage is empty" % path)


def read_page(path):
    with open(path, encoding="utf-8") as file:
        head, sections = split_sections(path, file.read().splitlines())
    name = os.path.splitext(os.path.basename(path))[0]
    title = "# attend" if name == "attend" else "# attend " + name
    if not head or head[0][1] != title:
        raise PageError('%s:1: the first line must be "%s"' % (path, title))
    if len(head) < 2 or not head[1][1].endswith(".") or not head[1][1][0].isupper():
        raise PageError("%s:2: the second line must be one sentence that says what it does" % path)
    for section in sections:
        if not strip_blank(section.lines):
            raise PageError("%s: section %s is empty" % (path, section.title))
    options = [option for section in sections if section.has_options for option in read_options(path, section)]
    check_options(path, options)
    options.append(Option("h", "help", "", "this text", ["-h, --help            this text"]))
    page = Page(name, head[1][1], strip_blank(head[2:]), sections, options)
    check_usage(path, page)
    if page.section("Options") is None:
        page.sections.insert(1, Section("Options", []))
    return page


def read_verbs(path):
    with open(path, encoding="utf-8") as file:
        return [(name, re.sub(r"\\(.)", r"\1", what)) for name, what in VERB.findall(file.read())]


def check_verbs(verbs_path, verbs, pages):
    for name, _ in verbs:
        if name not in pages:
            raise PageError("%s: verb %s has no page docs/cli/%s.md" % (verbs_path, name, name))
    for name in pages:
        if name != "attend" and name not in dict(verbs):
            raise PageError("docs/cli/%s.md: %s does not list this verb" % (name, verbs_path))
    if "attend" not in pages:
        raise PageError("docs/cli/attend.md is missing")


# ---- The text of --help ----------------------------------------------------------------------------------------------


def plain(line):
    return line if line.startswith("    ") else line.replace("`", "")


def help_lines(section):
    lines = [line for _, line in strip_blank(section.lines)]
    if section.has_options:
        return [("  " + line).rstrip().replace("`", "") for line in lines]
    return [plain(line) for line in lines]


def help_text(page, verbs):
    blocks = [[page.command + ": " + page.summary[0].lower() + plain(page.summary[1:])]]
    if page.description:
        blocks.append([plain(line) for _, line in page.description])
    for section in page.sections:
        lines = help_lines(section)
        if section.title == "Options":
            lines += ["  " + line for line in page.options[-1].lines]
        blocks.append([section.title + ":"] + lines)
        if section.title == "Usage" and page.name == "attend":
            blocks.append(["Verbs:"] + ["    %-10s %s" % verb for verb in verbs])
    if page.name == "attend":
        blocks.append(["attend VERB --help says more about a verb."])
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def c_string(text):
    """The text as adjacent literals, one for each line."""
    lines = []
    for line in text.splitlines(keepends=True):
        escaped = line.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("?", "\\?")
        lines.append('    "%s"' % "".join(c if ord(c) < 127 else c_bytes(c) for c in escaped))
    return "\n".join(lines)


def c_bytes(character):
    return "".join("\\%03o" % byte for byte in character.encode("utf-8"))


def help_header(page, verbs):
    name = page.name
    ids = {option.name: ("OPTION_%s_%s" % (name, option.name.replace("-", "_"))).upper() for option in page.options}
    letters = [option for option in page.options if option.letter]
    table = "".join(
        '    {"%s", %s, NULL, %s},\n'
        % (option.name, "required_argument" if option.value else "no_argument", ids[option.name])
        for option in page.options
    )
    first, *others = ids.values()
    return HEADER.format(
        name=name,
        guard="HELP_%s_H" % name.upper(),
        enum=",\n".join(["    %s = 256" % first] + ["    " + other for other in others]),
        text=c_string(help_text(page, verbs)),
        table=table,
        short="".join(option.letter + (":" if option.value else "") for option in letters),
        cases="".join(
            "    case '%s':\n        return %s;\n" % (option.letter, ids[option.name]) for option in letters
        ),
    )


HEADER = """/* Made by tools/make_help.py from docs/cli/{name}.md: edit that. */
#ifndef {guard}
#define {guard}

#include <getopt.h>
#include <stddef.h>

enum {{
{enum}
}};

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings"
static const char help_{name}_text[] =
{text};
#pragma GCC diagnostic pop

static const char help_{name}_short[] = "{short}";

static const struct option help_{name}_options[] = {{
{table}    {{NULL, 0, NULL, 0}},
}};

/* The id of the option with this letter. */
static inline int help_{name}_letter(int letter) {{
    switch (letter) {{
{cases}    }}
    return letter;
}}

#endif
"""

# ---- Man pages -------------------------------------------------------------------------------------------------------


def roff(text):
    """Text as roff shows it: no character has a meaning of its own."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    text = "".join(c if ord(c) < 127 else "\\[u%04X]" % ord(c) for c in text)
    return "\\&" + text if text[:1] in (".", "'") else text


def roff_marked(text):
    """The same, with `code` in bold."""
    parts = re.split(r"`([^`]*)`", text)
    parts = [roff(part).replace("\\&", "") for part in parts]
    marked = "".join("\\fB%s\\fR" % part if i % 2 else part for i, part in enumerate(parts))
    return "\\&" + marked if marked[:1] in (".", "'") else marked


def roff_block(lines):
    """Paragraphs, lists and indented blocks."""
    out, open_block, after_blank = [], False, True
    for line in lines:
        block = line.startswith("    ")
        if open_block and line and not block:
            out += [".fi", ".RE"]
            open_block = False
        if block:
            if not open_block:
                out += [".PP", ".RS 4", ".nf"]
                open_block = True
            out.append(roff(line[4:]))
        elif not line:
            out += [""] if open_block else []
        elif line.startswith("- "):
            out += [".IP \\(bu 2", roff_marked(line[2:])]
        else:
            out += ([".PP"] if after_blank else []) + [roff_marked(line.strip())]
        after_blank = not line
    return out + ([".fi", ".RE"] if open_block else [])


def roff_option(option):
    names = ["\\fB%s\\fR" % roff("-" + option.letter)] if option.letter else []
    names.append("\\fB%s\\fR" % roff("--" + option.name))
    value = " \\fI%s\\fR" % roff(option.value) if option.value else ""
    return [".TP", ", ".join(names) + value, roff_marked(option.text)]


def roff_options(section, options):
    """Option lines become tagged paragraphs; what stands between them stays where it is."""
    out, by_line = [], {option.lines[0]: option for option in options}
    for _, line in section.lines:
        if line in by_line:
            out += roff_option(by_line[line])
        elif line and not line.startswith(" "):
            out += [".PP", roff_marked(line)]
    return out


def man_page(page, verbs, version):
    summary = page.summary[0].lower() + page.summary[1:-1]
    out = [
        ".\\\" Made by tools/make_help.py from docs/cli/%s.md: edit that." % page.name,
        '.TH "%s" 1 "" "attend %s" "attend"' % (page.man_name.upper(), version),
        ".SH NAME",
        "%s \\- %s" % (page.man_name, roff_marked(summary)),
    ]
    usage = page.section("Usage")
    out += [".SH SYNOPSIS", ".nf"] + [roff(line[4:]) for _, line in strip_blank(usage.lines)] + [".fi"]
    out += [".SH DESCRIPTION"] + roff_block([page.summary, ""] + [line for _, line in page.description])
    if page.name == "attend":
        out += [".SH VERBS"]
        for name, what in verbs:
            out += [".TP", "\\fB%s\\fR(1)" % roff("attend-" + name), roff(what)]
    for section in page.sections:
        if section is usage:
            continue
        out.append(".SH %s" % roff(section.title.upper()))
        if section.has_options:
            out += roff_options(section, page.options)
            out += roff_option(page.options[-1]) if section.title == "Options" else []
        else:
            out += roff_block([line for _, line in strip_blank(section.lines)])
    others = ["attend-" + name for name, _ in verbs] if page.name == "attend" else ["attend"]
    out += [".SH SEE ALSO", ", ".join("\\fB%s\\fR(1)" % roff(other) for other in others)]
    return "\n".join(out) + "\n"


# ---- Completion ------------------------------------------------------------------------------------------------------


def first_clause(text):
    """What fits beside an option in a list."""
    return re.split(r"[;:,.(] |[;:,.]$| \(", text.replace("`", ""))[0]


def bash_verb(page):
    """The branch of the completion for one verb."""
    lines = ["    %s)" % page.name]
    lines.append("        options='%s'" % " ".join("--" + option.name for option in page.options))
    lines.append('        case "$before" in')
    for option in page.options:
        if option.words:
            lines.append("        %s) values='%s' ;;" % ("|".join(option.spellings), " ".join(option.words)))
    free = [spelling for option in page.options if option.value and not option.words for spelling in option.spellings]
    if free:
        lines.append("        %s) return ;;" % "|".join(free))
    return lines + ["        esac", "        ;;"]


def bash_completion(pages, verbs):
    cases = [line for name, _ in verbs for line in bash_verb(pages[name])]
    return BASH.format(names=" ".join(name for name, _ in verbs), cases="\n".join(cases))


BASH = """# Completion of attend for bash.  Made by tools/make_help.py from docs/cli: edit that.
_attend() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD - 1]}} options='' values=''
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        mapfile -t COMPREPLY < <(compgen -W '{names} help --help --version' -- "$word")
        return
    fi
    # A return without a reply leaves the word to -o default: names of files.
    case "${{COMP_WORDS[1]}}" in
    help)
        options='{names}'
        ;;
{cases}
    esac
    if [ -n "$values" ]; then
        mapfile -t COMPREPLY < <(compgen -W "$values" -- "$word")
    elif [ "${{COMP_WORDS[1]}}" = help ] || [ "${{word:0:1}}" = - ]; then
        mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
    fi
}}
complete -o default -F _attend attend
"""


def zsh_text(text):
    return text.replace("\\", "\\\\").replace("'", "'\\''").replace("[", "\\[").replace("]", "\\]").replace(":", "\\:")


def zsh_option(option):
    text = zsh_text(first_clause(option.text))
    action = ""
    if option.value:
        action = ":%s:%s" % (zsh_text(option.value), "(%s)" % " ".join(option.words) if option.words else "_files")
    long = "'--%s[%s]%s'" % (option.name, text, action)
    if not option.letter:
        return long
    return "'(-%s --%s)'{-%s,--%s}'[%s]%s'" % (option.letter, option.name, option.letter, option.name, text, action)


def zsh_completion(pages, verbs):
    described = " ".join("'%s:%s'" % (name, zsh_text(what)) for name, what in verbs)
    cases = "".join(
        "    %s)\n        _arguments \\\n            %s \\\n            '*:file:_files'\n        ;;\n"
        % (name, " \\\n            ".join(zsh_option(option) for option in pages[name].options))
        for name, _ in verbs
    )
    return ZSH.format(described=described, cases=cases)


ZSH = """#compdef attend
# Completion of attend for zsh.  Made by tools/make_help.py from docs/cli: edit that.
_attend() {{
    local -a verbs=({described})
    if (( CURRENT == 2 )); then
        _describe verb verbs
        return
    fi
    shift words
    (( CURRENT-- ))
    case $words[1] in
    help)
        _describe verb verbs
        ;;
{cases}    esac
}}
_attend "$@"
"""


def fish_text(text):
    return text.replace("\\", "\\\\").replace("'", "\\'")


def fish_completion(pages, verbs):
    lines = [
        "# Completion of attend for fish.  Made by tools/make_help.py from docs/cli: edit that.",
        "complete -c attend -n __fish_use_subcommand -f -a help -d 'the help of a verb'",
    ]
    for name, what in verbs:
        lines.append("complete -c attend -n __fish_use_subcommand -f -a %s -d '%s'" % (name, fish_text(what)))
        for option in pages[name].options:
            line = "complete -c attend -n '__fish_seen_subcommand_from %s' -l %s" % (name, option.name)
            line += " -s " + option.letter if option.letter else ""
            line += " -x -a '%s'" % " ".join(option.words) if option.words else " -r" if option.value else ""
            lines.append(line + " -d '%s'" % fish_text(first_clause(option.text)))
    return "\n".join(lines) + "\n"


# ---- All of it -------------------------------------------------------------------------------------------------------


def make_all(version, verbs_path, page_paths):
    """The files as {path below the output folder: text}."""
    verbs = read_verbs(verbs_path)
    pages = {page.name: page for page in map(read_page, page_paths)}
    check_verbs(verbs_path, verbs, pages)
    files = {
        "completion/attend.bash": bash_completion(pages, verbs),
        "completion/_attend": zsh_completion(pages, verbs),
        "completion/attend.fish": fish_completion(pages, verbs),
    }
    for page in pages.values():
        files["help_%s.h" % page.name] = help_header(page, verbs)
        files["man/%s.1" % page.man_name] = man_page(page, verbs, version)
    return files


def main():
    parser = argparse.ArgumentParser(description="Makes help, man pages and completion from docs/cli.")
    parser.add_argument("--version", required=True)
    parser.add_argument("--verbs", required=True)
    parser.add_argument("--output", required=True)
    parser.add_argument("pages", nargs="+")
    arguments = parser.parse_args()
    try:
        files = make_all(arguments.version, arguments.verbs, arguments.pages)
    except PageError as error:
        sys.exit("make_help.py: %s" % error)
    for path, text in files.items():
        full = os.path.join(arguments.output, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
