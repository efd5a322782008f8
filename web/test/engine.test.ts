/* The page and the command line: the same bits of every step, the same decimals, the same messages.  ATTEND_BINARY is
   the program (ctest sets it). */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { load, modules, type Engine, type Example, type Matrix } from "../source/engine";
import { exampleOf, exampleParts, readFragment } from "../source/state";

const program = process.env.ATTEND_BINARY ?? join(__dirname, "../../build/release/attend");
const folder = mkdtempSync(join(tmpdir(), "attend-engine-"));
const file = join(folder, "example.json");
let engine: Engine;
beforeAll(async () => (engine = await load()));
afterAll(() => rmSync(folder, { recursive: true }));

/** Whole numbers below limit from a seed, the same in every run. */
function makeDice(seed: number): (limit: number) => number {
  return (limit) => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return Math.floor((seed / 2 ** 32) * limit);
  };
}

/* ---- examples --------------------------------------------------------------------------------- */

/** Short decimals, long ones, large and tiny ones. */
function randomNumber(dice: (limit: number) => number): number {
  const short = (dice(41) - 20) / 4;
  return [short, short, short * Math.PI, short * 10 ** (dice(9) - 4)][dice(4)];
}

function randomExample(dice: (limit: number) => number): Example {
  const matrix = (rows: number, columns: number): Matrix =>
    Array.from({ length: rows }, () => Array.from({ length: columns }, () => randomNumber(dice)));
  const tokens = 1 + dice(7), kvHeads = 1 + dice(2), heads = kvHeads * (1 + dice(2));
  const width = 2 * (1 + dice(3)), valueWidth = 1 + dice(4), modelWidth = 1 + dice(6), projected = dice(2) === 1;
  const example: Example = { tokens: Array.from({ length: tokens }, (_, t) => `t${t} "ü"`), heads, kv_heads: kvHeads };
  if (projected) {
    example.x = matrix(tokens, modelWidth);
    example.wq = matrix(modelWidth, heads * width);
    example.wk = matrix(modelWidth, kvHeads * width);
    example.wv = matrix(modelWidth, kvHeads * valueWidth);
  } else {
    example.q = matrix(tokens, heads * width);
    example.k = matrix(tokens, kvHeads * width);
    example.v = matrix(tokens, kvHeads * valueWidth);
  }
  if (dice(2) === 1) example.wo = matrix(heads * valueWidth, 1 + dice(4));
  if (dice(2) === 1) example.causal = dice(2) === 1;
  if (dice(3) === 0) example.scale = randomNumber(dice);
  example.positions = (["none", "rotary", projected ? "sinusoidal" : "none"] as const)[dice(3)];
  return example;
}

function trace(example: Example, ...options: string[]): string {
  writeFileSync(file, JSON.stringify(example));
  const result = spawnSync(program, ["trace", file, ...options], { encoding: "utf8", maxBuffer: 1 << 28 });
  if (!result.stdout) throw new Error(result.stderr);
  return result.stdout; // a mixture far outside may fail the program's own check, which says so after the numbers
}

/** What differs, as a path; "" when nothing does. JSON has null for infinity and NaN, and every other bit counts. */
function difference(page: unknown, program: unknown, path = ""): string {
  if (typeof page === "number" && !Number.isFinite(page)) return program === null ? "" : `${path}: ${page}, ${program}`;
  if (page === null || typeof page !== "object") return Object.is(page, program) ? "" : `${path}: ${page}, ${program}`;
  const ours = page as Record<string, unknown>, theirs = (program ?? {}) as Record<string, unknown>;
  const keys = new Set([...Object.keys(ours), ...Object.keys(theirs)]);
  for (const key of keys) {
    const found = difference(ours[key], theirs[key], `${path}/${key}`);
    if (found !== "") return found;
  }
  return "";
}

describe("the modules, plain and with SIMD", () => {
  it("ask the system for nothing and are small together", () => {
    const both = Object.values(modules).map((bytes) => bytes());
    for (const bytes of both) expect(WebAssembly.Module.imports(new WebAssembly.Module(bytes))).toEqual([]);
    expect(both[0].length + both[1].length).toBeLessThan(150_000);
    expect(Buffer.compare(both[0], both[1])).not.toBe(0);
  });

  it("give the same bits, which are the program's", async () => {
    const engines = [await load(modules.plain()), await load(modules.simd())];
    const dice = makeDice(6);
    for (let run = 0; run < 50; run++) {
      const example = randomExample(dice), program = JSON.parse(trace(example, "--json"));
      for (const one of engines) expect(difference(one.work(example), program), JSON.stringify(example)).toBe("");
    }
  });
});

describe("numbers", () => {
  it("equal the program's in every bit, over 100 random examples", () => {
    const dice = makeDice(4);
    for (let run = 0; run < 100; run++) {
      const example = randomExample(dice);
      const found = difference(engine.work(example), JSON.parse(trace(example, "--json")));
      expect(found, JSON.stringify(example)).toBe("");
    }
  });

  it("equal the program's for the same fragment, over 100 random ones", () => {
    const dice = makeDice(5);
    for (let run = 0; run < 100; run++) {
      const fragment = "#" + exampleParts(randomExample(dice)).join("&");
      const json = execFileSync(program, ["trace", fragment, "--json"], { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
      const found = difference(engine.work(exampleOf(readFragment(fragment))), JSON.parse(json));
      expect(found, fragment).toBe("");
    }
  });

  it("equal the program's for the examples that are built in", () => {
    for (const name of ["napkin", "cat", "heads", "order"]) {
      const example = JSON.parse(readFileSync(join(__dirname, `../../examples/${name}.json`), "utf8"));
      const json = execFileSync(program, ["trace", "--example", name, "--json"], { encoding: "utf8" });
      expect(difference(engine.work(example), JSON.parse(json)), name).toBe("");
    }
  });

  it("hide what the scissors cut, besides what causal hides", () => {
    const tokens = ["a", "b", "c"], rows = [[1, 0], [0, 1], [1, 1]];
    const hidden = [[false, false, false], [true, true, false], [true, false, false]];
    const head = engine.work({ tokens, q: rows, k: rows, v: rows, causal: true, hidden }).heads[0];
    const alone = engine.work({ tokens: ["b", "c"], q: rows.slice(1), k: rows.slice(1), v: rows.slice(1) }).heads[0];
    expect(head.normalize[0]).toEqual([1, null, null]);
    expect(head.normalize[1]).toEqual([null, null, null]);
    expect(head.combine[1]).toEqual([0, 0]);
    expect(head.lse[1]).toBe(-Infinity);
    expect(head.normalize[2].slice(1)).toEqual(alone.normalize[1]);
    expect(head.compare[1][0]).toBe(0);
  });

  it("take the exponential that the weights are made of", () => {
    const head = engine.work({ tokens: ["a", "b"], q: [[1], [0]], k: [[0], [-0.7]], v: [[1], [2]] }).heads[0];
    const smaller = engine.exponential(-0.7);
    expect(head.normalize[0]).toEqual([1 / (1 + smaller), smaller / (1 + smaller)]);
    expect(engine.exponential(1)).toBe(Math.E);
  });
});

describe("decimals", () => {
  it("are the program's, ties included", () => {
    const dice = makeDice(7);
    const numbers = [0.5, 1.5, 2.5, -0.5, 0.125, 0.375, 2.675, 1.005, -0.0004, 0.0005, 1e15, 1e-300, 123456789.98765432];
    for (let i = 0; i < 300; i++) numbers.push(randomNumber(dice), (dice(20001) - 10000) / 2 ** dice(12));
    const column = numbers.map((value) => [value]), zeros = numbers.map(() => [0]);
    const example = { tokens: numbers.map((_, t) => `t${t}`), q: zeros, k: zeros, v: column };
    for (const digits of [0, 1, 2, 3, 5, 17]) {
      const page = trace(example, "--format", "markdown", "--digits", String(digits));
      const cells = page.split("\n").filter((line) => /^\| t\d+ \| 0 \|/.test(line)).map((line) => line.split("|").at(-2)!.trim());
      expect(numbers.map((value) => engine.decimals(value, digits))).toEqual(cells.slice(0, numbers.length));
    }
  });

  it("are refused outside 0 to 17", () => {
    expect(() => engine.decimals(1, 18)).toThrow("digits is 18 (allowed 0 to 17)");
    expect(() => engine.decimals(1, 0.5)).toThrow("digits is 0.5 (allowed 0 to 17)");
    expect(engine.decimals(NaN, 3)).toBe("nan");
    expect(engine.decimals(-Infinity, 3)).toBe("-inf");
  });
});

describe("messages", () => {
  const rows = [[1, 0], [0, 1]], good: Example = { tokens: ["a", "b"], q: rows, k: rows, v: rows };
  const cases: [string, Partial<Example>, string][] = [
    ["rows", { k: [...rows, [1, 1]] }, "k has 3 rows, tokens has 2"],
    ["a ragged row", { q: [[1, 0], [1]] }, "row 2 of q has 1 number, row 1 has 2"],
    ["an empty row", { q: [[], []] }, "row 1 of q is empty"],
    ["no rows", { q: [] }, "q has no rows"],
    ["widths", { k: [[1], [0]] }, "k has head width 1, q has 2"],
    ["heads", { heads: 3 }, "q has 2 columns, not a multiple of heads 3"],
    ["shared heads", { heads: 2, kv_heads: 3 }, "heads 2 is not a multiple of kv_heads 3"],
    ["half a head", { heads: 0.5 }, "heads must be a whole number from 1 to 65536 (found 0.5)"],
    ["a missing matrix", { v: undefined }, "q is given, v is missing (q, k, v go together)"],
    ["two groups", { x: rows }, "x and q exclude each other: give q, k, v or x, wq, wk, wv"],
    ["no tokens", { tokens: [] }, "tokens is empty (allowed 1 or more)"],
    ["positions without x", { positions: "sinusoidal" }, "sinusoidal positions are added to x, which is not given"],
  ];

  it.each(cases)("name the fault: %s", (_, change, message) => {
    expect(() => engine.work({ ...good, ...change })).toThrow(message);
  });

  it.each(cases)("are the program's: %s", (_, change, message) => {
    writeFileSync(file, JSON.stringify({ ...good, ...change }));
    const result = spawnSync(program, ["trace", file], { encoding: "utf8" });
    expect(result.status).toBe(1);
    expect(result.stderr).toContain(message);
  });

  it("leave the engine usable", () => {
    expect(() => engine.work({ ...good, q: [[1, 0]] })).toThrow("q has 1 row, tokens has 2");
    expect(engine.work(good).heads[0].compare).toEqual([[1, 0], [0, 1]]);
  });

  it("refuse numbers that are none", () => {
    expect(() => engine.work({ ...good, q: [[1, NaN], [0, 1]] })).toThrow("row 1, column 2 of q must be a number (found NaN)");
    expect(() => engine.work({ ...good, scale: Infinity })).toThrow("scale must be a number (found Infinity)");
    expect(() => engine.work({ ...good, hidden: [[false]] })).toThrow("hidden must have 2 rows of 2, as there are tokens");
  });
});
