#!/usr/bin/env python3
"""Run transcripts of commands and compare what they print, to the letter.

    run_transcripts.py --attend BINARY [--update] FILE...

A .test file is one transcript.  In a .md file every fenced block marked ```sh is part of one (```sh no-run is
left alone), and an indented line that begins with "attend" must succeed, whatever it prints (a usage line, with
brackets, is left alone).  So every command that the documents show is run.

    $ attend trace --example cat          a command, given to bash in a folder with examples/ and
                                          the files of test/cli/data
    [...]                                 any lines
    cat  [*]  0.735                       any text inside a line
    stderr:                               what follows is expected on standard error (nothing, when absent)
    attend: error: ...
    status: 2                             the exit status (0, when absent)

`attend serve` is ended, as by Ctrl-C, after two seconds.  A document's commands that show the page are left out when
attend was built without it.

`$ cat FILE` writes the text under it to FILE when there is no such file yet: that is how a document shows
its input.  In a .test file a line that starts with # is a comment.  --update rewrites .test files.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile

SECONDS = 60 * int(os.environ.get("ATTEND_TEST_PATIENCE", "1"))  # that a command may take


class Step:
    def __init__(self, command, line):
        self.command, self.line = command, line
        self.stdout, self.stderr, self.status = [], [], 0


def parse(lines):
    """lines: (number, text) -> steps."""
    steps, target = [], None
    for number, text in lines:
        if text.startswith("$ "):
            steps.append(Step(text[2:], number))
            target = steps[-1].stdout
        elif target is None:
            continue
        elif text == "stderr:":
            target = steps[-1].stderr
        elif re.fullmatch(r"status: \d+", text):
            steps[-1].status = int(text.split()[1])
        else:
            target.append(text)
    return steps


def read_test(text):
    return parse((n, line) for n, line in enumerate(text.splitlines(), 1) if not line.startswith("#"))


def read_markdown(text):
    lines, inside = [], False
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("```"):
            inside = line == "```sh"
        elif inside:
            lines.append((number, line))
        elif re.match("    attend [^\\[]*$", line):
            lines += [(number, "$ " + line.strip()), (number, "[...]"), (number, "stderr:"), (number, "[...]")]
    return parse(lines)


def matches(expected, got):
    """Do the expected lines, with their wildcards, match all of the lines got?"""
    pattern = []
    for line in expected:
        if line == "[...]":
            pattern.append(r"(?:.*\n)*?")
        else:
            pattern.append(".*".join(re.escape(part) for part in line.split("[*]")) + r"\n")
    return re.fullmatch("".join(pattern), "".join(line + "\n" for line in got)) is not None


def without_blank_end(lines):
    while lines and lines[-1] == "":
        lines = lines[:-1]
    return lines


def run(step, folder, environment):
    shown = re.fullmatch(r"cat (\S+)", step.command)
    if shown and not os.path.exists(os.path.join(folder, shown.group(1))):
        with open(os.path.join(folder, shown.group(1)), "w", encoding="utf-8") as file:
            file.write("\n".join(without_blank_end(step.stdout)) + "\n")
    # A server is ended by SIGTERM, which no background job ignores, when even a busy machine has started it.  Without
    # --foreground SIGCONT would follow, and undo the stop that the leak sanitizer waits for.
    end = ["timeout", "--foreground", "--preserve-status", "--signal=TERM", "5"]
    end = end if step.command.startswith("attend serve") else []
    done = subprocess.run([*end, "bash", "-c", step.command], cwd=folder, env=environment, timeout=SECONDS,
                          stdin=subprocess.DEVNULL, capture_output=True)
    return done.returncode, *(out.decode("utf-8", "backslashreplace").splitlines() for out in (done.stdout, done.stderr))


def faults(step, status, stdout, stderr):
    for name, expected, got in (("output", step.stdout, stdout), ("standard error", step.stderr, stderr)):
        if not matches(without_blank_end(expected), without_blank_end(got)):
            yield "%s differs\n--- expected\n%s\n--- printed\n%s" % (name, "\n".join(expected), "\n".join(got))
    if status != step.status:
        yield "exit status %d, expected %d" % (status, step.status)


def written(step, status, stdout, stderr):
    """The step as --update writes it; lines with wildcards stay when they still match."""
    out = step.stdout if matches(without_blank_end(step.stdout), without_blank_end(stdout)) else stdout
    err = step.stderr if matches(without_blank_end(step.stderr), without_blank_end(stderr)) else stderr
    lines = ["$ " + step.command] + out
    if without_blank_end(err):
        lines += ["stderr:"] + err
    return lines + (["status: %d" % status] if status else [])


def has_page(attend):
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([attend, "page", "-o", os.path.join(folder, "page.html")], capture_output=True, text=True)
        return "without the page" not in done.stderr


def shows_page(step):
    return re.match("attend (serve|page)\\b", step.command) is not None and step.status == 0


def can_run(step, attend):
    """The thread sanitizer's own memory is a file that grows, so it cannot run where files may not."""
    with open(attend, "rb") as file:
        return "ulimit -f" not in step.command or b"__tsan_init" not in file.read()


def environment_for(attend, source):
    keep = {name: os.environ[name] for name in ("HOME", "TMPDIR", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS",
                                                "UBSAN_OPTIONS") if name in os.environ}
    return {**keep, "PATH": os.path.dirname(os.path.abspath(attend)) + ":" + os.environ["PATH"],
            "BROWSER": "true", "LC_ALL": "C.UTF-8", "NO_COLOR": "1", "ATTEND_SOURCE": source}


def run_file(path, attend, update):
    source = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(path, encoding="utf-8") as file:
        text = file.read()
    steps = (read_markdown if path.endswith(".md") else read_test)(text)
    if not update:
        steps = [step for step in steps if can_run(step, attend)]
    if any(map(shows_page, steps)) and not has_page(attend):
        steps = [step for step in steps if not shows_page(step)]
    data = os.path.join(source, "test", "cli", "data")
    comments = [line for line in text.splitlines() if line.startswith("#")]
    failed, lines = 0, []
    with tempfile.TemporaryDirectory() as folder:
        os.symlink(os.path.join(source, "examples"), os.path.join(folder, "examples"))
        for name in os.listdir(data):
            os.symlink(os.path.join(data, name), os.path.join(folder, name))
        for step in steps:
            result = run(step, folder, environment_for(attend, source))
            lines += written(step, *result)
            for fault in faults(step, *result):
                failed += 1
                print("%s:%d: $ %s\n%s" % (path, step.line, step.command, fault))
    if update and path.endswith(".test"):
        with open(path, "w", encoding="utf-8") as file:
            file.write("\n".join(comments + lines) + "\n")
    return len(steps), failed


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--attend", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("files", nargs="+")
    options = parser.parse_args()
    ran = failed = 0
    for path in options.files:
        steps, wrong = run_file(path, options.attend, options.update)
        ran, failed = ran + steps, failed + wrong
    print("%d commands, %d faults" % (ran, failed))
    return 1 if failed or (ran == 0 and not all(path.endswith(".md") for path in options.files)) else 0


if __name__ == "__main__":
    sys.exit(main())
