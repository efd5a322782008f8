/** The one state of the page, and its text: the URL fragment that docs/fragment.md describes. Pure functions. */
import type { Example, Matrix } from "./engine";

export type Level = "words" | "numbers" | "algebra";
export const levels: Level[] = ["words", "numbers", "algebra"];

export interface State extends Example {
  query: number; // the selected row
  key: number | null; // the selected column
  head: number;
  level: Level;
  view: string; // which view is open; "hand" alone so far
  preset: string | null; // where the numbers came from, as long as nobody changed them
  own: Record<string, string>; // what panels keep: `page-NAME=VALUE`
}

export class FragmentError extends Error {}

export const mostTokens = 32;

export function headCount(state: Example): number {
  return state.heads ?? 1;
}

/** Shortest decimals that give the same double back. */
export function numberText(value: number): string {
  return String(value === 0 ? 0 : value);
}

/** The largest number that the page takes: with several layers of such numbers no step leaves what a double holds. */
export const mostNumber = 1e21;

/** A number as the command line reads it, so not 0x10 or +5; null when it is none. */
export function plainNumber(text: string): number | null {
  const value = /^-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text) ? Number(text) : NaN;
  return Number.isFinite(value) ? value : null;
}

/** The same as somebody types it, with a decimal comma or a long minus; null also when it is too large. */
export function typedNumber(text: string): number | null {
  const value = plainNumber(text.trim().replace("\u2212", "-").replace(",", "."));
  return value !== null && Math.abs(value) <= mostNumber ? value : null;
}

/* Faults are said in the words of the command line (cli/fragment.c), which web/test/state.test.ts compares. */
const plural = (count: number) => (count === 1 ? "" : "s");

function readNumber(text: string, name: string): number {
  const value = plainNumber(text);
  if (value === null) throw new FragmentError(`${name}: "${text}" is not a finite number`);
  if (Math.abs(value) > mostNumber) throw new FragmentError(`${name}: ${text} is past 1e21, the largest number here`);
  return value;
}

function readCount(text: string, name: string, least: number, most: number): number {
  const count = /^-?\d+$/.test(text) ? Number(text) : NaN;
  if (!(count >= least && count <= most)) throw new FragmentError(`${name}: "${text}" is not a whole number from ${least} to ${most}`);
  return count;
}

function readMatrix(text: string, name: string): Matrix {
  const rows = text.split(";").map((row) => row.split(","));
  return rows.map((row, i) => {
    if (row.length !== rows[0].length)
      throw new FragmentError(`row ${i + 1} of ${name} has ${row.length} number${plural(row.length)}, row 1 has ${rows[0].length}`);
    return row.map((cell, j) => readNumber(cell, `row ${i + 1}, column ${j + 1} of ${name}`));
  });
}

function readChoice<T extends string>(text: string, name: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new FragmentError(`${name}: "${text}" is not one of ${choices.join(", ")}`);
  return found;
}

function decoded(text: string, name: string): string {
  try {
    const whole = decodeURIComponent(text);
    if (!whole.includes("\0")) return whole;
  } catch {
    // said below
  }
  throw new FragmentError(`${name}, "${text}", is not percent-encoded text`);
}

const placings = ["none", "sinusoidal", "rotary"] as const;
const mostHeads = 65536, mostIndex = 2 ** 31 - 1; // of cli/fragment.c
const matrixNames = ["q", "k", "v", "x", "wq", "wk", "wv", "wo"] as const;

type Reader = (state: State, text: string, name: string) => void;
const readers: Record<string, Reader> = {
  tokens: (state, text) => (state.tokens = text.split(",").map((token, i) => decoded(token, `tokens: token ${i + 1}`))),
  causal: (state, text, name) => (state.causal = readChoice(text, name, ["0", "1"]) === "1"),
  scale: (state, text, name) => (state.scale = readNumber(text, name)),
  heads: (state, text, name) => (state.heads = readCount(text, name, 1, mostHeads)),
  kv_heads: (state, text, name) => (state.kv_heads = readCount(text, name, 1, mostHeads)),
  positions: (state, text, name) => (state.positions = readChoice(text, name, placings)),
  query: (state, text, name) => (state.query = readCount(text, name, 0, mostIndex)),
  key: (state, text, name) => (state.key = readCount(text, name, 0, mostIndex)),
  head: (state, text, name) => (state.head = readCount(text, name, 0, mostIndex)),
  level: (state, text, name) => (state.level = readChoice(text, name, levels)),
  view: (state, text, name) => (state.view = decoded(text, name)),
  preset: (state, text, name) => (state.preset = decoded(text, name)),
};
for (const name of matrixNames) readers[name] = (state, text) => (state[name] = readMatrix(text, name));

export function emptyState(): State {
  return { tokens: [], query: 0, key: null, head: 0, level: "words", view: "hand", preset: null, own: {} };
}

/** The ids of the panels that stand open, as `own` keeps them. */
export function openPanels(state: State): string[] {
  return state.own.open?.split(",") ?? [];
}

/** The state with `open`, a list of ids or undefined, in the place of its own. */
export function withOpenPanels(state: State, open: string | undefined): State {
  const { open: before, ...own } = state.own;
  return { ...state, own: open === undefined ? own : { ...own, open } };
}

function checkIndex(name: string, index: number, count: number, what: string): void {
  if (index >= count) throw new FragmentError(`${name} is ${index}, the last of ${count} ${what}${plural(count)} is ${count - 1}`);
}

function checkState(state: State): State {
  const count = state.tokens.length;
  if (count === 0) throw new FragmentError("the fragment has no tokens");
  if (count > mostTokens) throw new FragmentError(`${count} tokens, the page shows at most ${mostTokens}`);
  checkIndex("query", state.query, count, "token");
  checkIndex("key", state.key ?? 0, count, "token");
  checkIndex("head", state.head, headCount(state), "head");
  return state;
}

/** Reads "#tokens=...", with or without "#". Throws FragmentError. The engine checks the matrices. */
export function readFragment(fragment: string): State {
  const state = emptyState();
  const seen = new Set<string>();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const [name, text] = part.split(/=(.*)/s);
    if (text === undefined) throw new FragmentError(`the fragment has "${part}", which is not NAME=VALUE`);
    if (seen.has(name)) throw new FragmentError(`the fragment has ${name} twice`);
    seen.add(name);
    if (name.startsWith("page-")) state.own[name.slice(5)] = decoded(text, name);
    else if (Object.hasOwn(readers, name)) readers[name](state, text, name);
    else throw new FragmentError(`the fragment has an unknown key "${name}"`);
  }
  return checkState(state);
}

function matrixText(matrix: Matrix): string {
  return matrix.map((row) => row.map(numberText).join(",")).join(";");
}

/** encodeURIComponent, and besides it what shells and Markdown would take for themselves. */
export function encoded(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*~]/g, (sign) => "%" + sign.charCodeAt(0).toString(16).toUpperCase());
}

/** The parts of the fragment that the command line computes from. */
export function exampleParts(example: Example): string[] {
  const parts = ["tokens=" + example.tokens.map(encoded).join(",")];
  for (const name of matrixNames) {
    const matrix = example[name];
    if (matrix) parts.push(`${name}=${matrixText(matrix)}`);
  }
  if (example.causal !== undefined) parts.push(`causal=${example.causal ? 1 : 0}`);
  if (example.scale !== undefined) parts.push(`scale=${numberText(example.scale)}`);
  if (example.heads !== undefined) parts.push(`heads=${example.heads}`);
  if (example.kv_heads !== undefined) parts.push(`kv_heads=${example.kv_heads}`);
  if (example.positions !== undefined) parts.push(`positions=${example.positions}`);
  return parts;
}

export function writeFragment(state: State): string {
  const parts = exampleParts(state);
  parts.push(`query=${state.query}`);
  if (state.key !== null) parts.push(`key=${state.key}`);
  if (state.head > 0) parts.push(`head=${state.head}`);
  parts.push(`level=${state.level}`, `view=${encoded(state.view)}`);
  if (state.preset !== null) parts.push(`preset=${encoded(state.preset)}`);
  for (const name of Object.keys(state.own).sort()) parts.push(`page-${name}=${encoded(state.own[name])}`);
  return "#" + parts.join("&");
}

/** What the engine is asked: the state without what is only for the page. */
export function exampleOf<S extends Partial<State>>(state: S): Omit<S, Exclude<keyof State, keyof Example>> {
  const { query, key, head, level, view, preset, own, ...example } = state;
  return example;
}
