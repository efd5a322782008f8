#!/usr/bin/env python3
"""Times attend and its peers in turns, on the same numbers, types and threads, and checks that their answers agree.

Writes bench/results/peers.json and the table between the marks in docs/performance.md, anew after each problem; --add keeps
the rows of others that are there.  bench/peers/measure calls it with all that it needs.
"""
import argparse
import dataclasses
import importlib
import json
import os
import platform
import re
import statistics
import sys
import time

import numpy

from attend_library import Attend, Peak

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PEERS = ("peer_torch", "peer_onnx", "peer_openvino", "peer_ggml")
PROBLEMS = ("prefill-512", "prefill-2048", "causal-512", "causal-2048", "grouped", "grouped-causal", "decode-32", "decode-8",
            "decode-1", "prefill-2048 bf16", "causal-2048 bf16", "prefill-2048 f16", "decode-32 f16", "decode-8 bf16")
SHAPE = re.compile(r"^SHAPE\(([\w-]+), (\d+), (\d+), (\d+), (\d+), (\d+), (-?\d+), PLAIN,", re.MULTILINE)
BEGIN, END = "<!-- peers: begin -->", "<!-- peers: end -->"
AGREE = {"f32": 2e-5, "f16": 5e-3, "bf16": 3e-2}  # of the largest output
BOUND_BY_READING = 32  # operations for each byte


@dataclasses.dataclass
class Case:
    name: str
    heads: int
    kv_heads: int
    queries: int
    keys: int
    width: int
    window: int  # 0: everything is seen, -1: causal, n: a sliding window
    dtype: str = "f32"

    def flops(self):
        seen = self.queries * self.keys
        if self.window == -1:
            seen -= self.queries * (self.queries - 1) // 2
        return 4 * self.width * self.heads * seen

    def bytes(self):
        elements = 2 * self.kv_heads * self.keys * self.width + 2 * self.heads * self.queries * self.width
        return elements * (4 if self.dtype == "f32" else 2)


def known_cases():
    with open(os.path.join(ROOT, "cli", "bench_shapes.def"), encoding="utf-8") as file:
        return {match[1]: Case(match[1], *map(int, match.groups()[1:])) for match in SHAPE.finditer(file.read())}


def case_of(text):
    name, _, dtype = text.partition(" ")
    return dataclasses.replace(known_cases()[name], name=text, dtype=dtype or "f32")


def random_arrays(case):
    generator = numpy.random.default_rng(1)
    made = []
    for heads, tokens in ((case.heads, case.queries), (case.kv_heads, case.keys), (case.kv_heads, case.keys)):
        array = generator.standard_normal((1, heads, tokens, case.width), numpy.float32)
        if case.dtype == "bf16":
            array = (array.view(numpy.uint32) >> 16).astype(numpy.uint16)
        made.append(array.astype(numpy.float16) if case.dtype == "f16" else array)
    return made


def floats(array, dtype):
    return (array.astype(numpy.uint32) << 16).view(numpy.float32) if dtype == "bf16" else array.astype(numpy.float32)


def load_peers(names):
    found = []
    for name in names:
        try:
            found.append(importlib.import_module(name))
        except ImportError as error:
            print("compare.py: %s is left out: %s" % (name, error), file=sys.stderr)
    return found


def settle():
    """Returns when the threads of the library before have stopped waiting actively for work, or after a second."""
    for _ in range(100):
        used = time.process_time()
        time.sleep(0.01)
        if time.process_time() - used < 0.001:
            return


class Comparison:
    def __init__(self, options, threads):
        folder = os.path.join(ROOT, options.build)
        self.options, self.threads = options, threads
        self.attend, self.peak = Attend(folder, threads), Peak(folder, threads)
        self.memory = numpy.ones(64 << 20, numpy.float32)
        # With one thread, the time of the processor: it stands still while other programs have it.
        self.clock = time.process_time if threads == 1 else time.perf_counter

    def timed(self, run):
        settle()
        start = self.clock()
        run()
        return self.clock() - start

    def prepare(self, case, peers, arrays):
        """[(name, run, result)] of attend and of each peer that can."""
        output = numpy.zeros_like(arrays[0])
        ways = [("attend", self.attend.prepare(case, *arrays, output), lambda: floats(output, case.dtype))]
        refused = {}
        for peer in peers:
            try:
                ways.append((peer.NAME, *peer.prepare(case, self.threads, *arrays)))
                ways[-1][1]()
            except Exception as error:  # whatever a peer cannot do is a fact about it, and stands in the result
                refused[peer.NAME] = str(error).splitlines()[0][:200]
                ways = [way for way in ways if way[0] != peer.NAME]
        return ways, refused

    def measure(self, case, peers):
        arrays = random_arrays(case)
        ways, refused = self.prepare(case, peers, arrays)
        times, of_peak, of_read = {name: [] for name, _, _ in ways}, [], []
        for _, run, _ in ways:
            run()
        want = ways[0][2]()
        apart = {name: float(numpy.abs(result() - want).max() / numpy.abs(want).max()) for name, _, result in ways[1:]}
        start, rounds = time.monotonic(), 0
        while rounds < 3 or (rounds < 41 and time.monotonic() - start < self.options.seconds * len(ways)):
            for name, run, _ in ways:
                if name == "attend":
                    read = self.peak.bytes(self.memory) if case.flops() / case.bytes() < BOUND_BY_READING else None
                    peak = self.peak.flops(case.dtype)
                times[name].append(self.timed(run))
                if name == "attend":
                    peak = max(peak, self.peak.flops(case.dtype))
                    of_peak.append(case.flops() / times[name][-1] / peak)
                    if read:
                        read = max(read, self.peak.bytes(self.memory))
                        of_read.append(case.bytes() / times[name][-1] / read)
            rounds += 1
        for _, run, _ in ways:
            getattr(run, "release", lambda: None)()
        return {"problem": case.name, "threads": self.threads, "rounds": rounds,
                "milliseconds": {name: 1e3 * statistics.median(list_) for name, list_ in times.items()},
                "ratio": {name: statistics.median(a / b for a, b in zip(list_, times["attend"]))
                          for name, list_ in times.items() if name != "attend"},
                "of_peak": statistics.median(of_peak), "of_read": statistics.median(of_read) if of_read else None,
                "apart": apart, "agree": {name: value <= AGREE[case.dtype] for name, value in apart.items()},
                "refused": refused}


def processor():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return next((line.split(": ")[1].strip() for line in file if line.startswith("model name")), platform.machine())


def cell(row, name):
    if name not in row["ratio"]:
        return "-"
    text = "%.2f" % row["ratio"][name]
    text = "**%s**" % text if row["ratio"][name] < 1 else text
    return text if row["agree"][name] else text + " (differs by %.0e)" % row["apart"][name]


def table(found):
    names = [peer["name"] for peer in found["peers"]]
    lines = ["%s; attend %s; %s. Measured %s; load average %s." % (
        found["processor"], found["attend"], ", ".join("%s %s" % (peer["name"], peer["version"])
                                                       for peer in found["peers"]), found["date"], found["load"]), "",
             "| problem | threads | attend, ms | of the peak | of reading | " + " | ".join(names) + " |",
             "|---|---|---|---|---|" + "---|" * len(names)]
    for row in found["rows"]:
        reading = "%.0f %%" % (100 * row["of_read"]) if row["of_read"] else ""
        lines.append("| %s | %d | %.4g | %.0f %% | %s | %s |" % (
            row["problem"], row["threads"], row["milliseconds"]["attend"], 100 * row["of_peak"], reading,
            " | ".join(cell(row, name) for name in names)))
    return "\n".join(lines)


def write(found, options):
    os.makedirs(os.path.dirname(os.path.join(ROOT, options.results)), exist_ok=True)
    with open(os.path.join(ROOT, options.results), "w", encoding="utf-8") as file:
        json.dump(found, file, indent=1)
        file.write("\n")
    path = os.path.join(ROOT, "docs", "performance.md")
    with open(path, encoding="utf-8") as file:
        text = file.read()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    with open(path, "w", encoding="utf-8") as file:
        file.write("%s%s\n%s\n%s%s" % (before, BEGIN, table(found), END, after))


def earlier_rows(options):
    path = os.path.join(ROOT, options.results)
    if not options.add or not os.path.exists(path):
        return []
    with open(path, encoding="utf-8") as file:
        return json.load(file)["rows"]


def put_row(rows, row):
    """Replaces the row of the same problem and threads, or adds it; one thread comes first."""
    same = [old for old in rows if (old["problem"], old["threads"]) != (row["problem"], row["threads"])]
    return sorted(same + [row], key=lambda one: one["threads"])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--problems", default=",".join(PROBLEMS), help="names of attend bench --list, and a type")
    parser.add_argument("--peers", default=",".join(PEERS))
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--seconds", type=float, default=2, help="for each problem and peer")
    parser.add_argument("--build", default="build/release")
    parser.add_argument("--results", default="bench/results/peers.json")
    parser.add_argument("--add", action="store_true", help="to the rows that are there")
    parser.add_argument("--dry", action="store_true", help="print, and write nothing")
    options = parser.parse_args()
    peers = load_peers(options.peers.split(","))
    found = {"date": time.strftime("%Y-%m-%d"), "processor": processor(), "load": "%.1f" % os.getloadavg()[0],
             "peers": [{"name": peer.NAME, "version": peer.VERSION} for peer in peers], "rows": earlier_rows(options)}
    for threads in map(int, options.threads.split(",")):
        comparison = Comparison(options, threads)
        found["attend"] = comparison.attend.version()
        for text in options.problems.split(","):
            row = comparison.measure(case_of(text), peers)
            found["rows"] = put_row(found["rows"], row)
            print(json.dumps(row), flush=True)
            if not options.dry:
                write(found, options)
    if options.dry:
        print(table(found))
    return 0 if all(all(row["agree"].values()) for row in found["rows"]) else 1


if __name__ == "__main__":
    sys.exit(main())
