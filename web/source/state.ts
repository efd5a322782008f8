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

function readNumber(text: string, name: string): number {
  const value = plainNumber(text);
  if (value === null) throw new FragmentError(`${name}: "${text}" is not a number`);
  if (Math.abs(value) > mostNumber) throw new FragmentError(`${name}: ${text} is past 1e21, the largest number here`);
  return value;
}

function readCount(text: string, name: string): number {
  if (!/^\d{1,6}$/.test(text)) throw new FragmentError(`${name}: "${text}" is not a whole number`);
  return Number(text);
}

function readMatrix(text: string, name: string): Matrix {
  const rows = text.split(";").map((row) => row.split(",").map((cell) => readNumber(cell, name)));
  const other = rows.findIndex((row) => row.length !== rows[0].length);
  if (other > 0)
    throw new FragmentError(`${name}: row ${other} has ${rows[other].length} numbers, row 0 has ${rows[0].length}`);
  return rows;
}

function readSwitch(text: string, name: string): boolean {
  if (text !== "0" && text !== "1") throw new FragmentError(`${name} is 0 or 1, not "${text}"`);
  return text === "1";
}

function readChoice<T extends string>(text: string, name: string, choices: readonly T[]): T {
  const found = choices.find((choice) => choice === text);
  if (found === undefined) throw new FragmentError(`${name} is one of ${choices.join(", ")}, not "${text}"`);
  return found;
}

function decoded(text: string): string {
  try {
    const whole = decodeURIComponent(text);
    if (!whole.includes("\0")) return whole;
  } catch {
    // said below
  }
  throw new FragmentError(`"${text}" is not percent-encoded text`);
}

const placings = ["none", "sinusoidal", "rotary"] as const;
const matrixNames = ["q", "k", "v", "x", "wq", "wk", "wv", "wo"] as const;

type Reader = (state: State, text: string, name: string) => void;
const readers: Record<string, Reader> = {
  tokens: (state, text) => (state.tokens = text.split(",").map(decoded)),
  causal: (state, text, name) => (state.causal = readSwitch(text, name)),
  scale: (state, text, name) => (state.scale = readNumber(text, name)),
  heads: (state, text, name) => (state.heads = readCount(text, name)),
  kv_heads: (state, text, name) => (state.kv_heads = readCount(text, name)),
  positions: (state, text, name) => (state.positions = readChoice(text, name, placings)),
  query: (state, text, name) => (state.query = readCount(text, name)),
  key: (state, text, name) => (state.key = readCount(text, name)),
  head: (state, text, name) => (state.head = readCount(text, name)),
  level: (state, text, name) => (state.level = readChoice(text, name, levels)),
  view: (state, text) => (state.view = decoded(text)),
  preset: (state, text) => (state.preset = decoded(text)),
};
for (const name of matrixNames) readers[name] = (state, text) => (state[name] = readMatrix(text, name));

export function emptyState(): State {
  return { tokens: [], query: 0, key: null, head: 0, level: "words", view: "hand", preset: null, own: {} };
}

function checkState(state: State): State {
  const count = state.tokens.length;
  if (count === 0) throw new FragmentError("tokens are missing");
  if (count > mostTokens) throw new FragmentError(`${count} tokens, the page shows at most ${mostTokens}`);
  const given = state.x ? (["x", "wq", "wk", "wv"] as const) : (["q", "k", "v"] as const);
  for (const name of given) if (!state[name]) throw new FragmentError(`${name} is missing`);
  if (state.x && (state.q || state.k || state.v)) throw new FragmentError("either x, wq, wk, wv or q, k, v");
  for (const name of ["q", "k", "v", "x"] as const) {
    const rows = state[name]?.length ?? count;
    if (rows !== count) throw new FragmentError(`${name} has ${rows} rows for ${count} tokens`);
  }
  if (state.query >= count) throw new FragmentError(`query is ${state.query}, the last token is ${count - 1}`);
  if (state.key !== null && state.key >= count)
    throw new FragmentError(`key is ${state.key}, the last token is ${count - 1}`);
  if (headCount(state) < 1) throw new FragmentError("heads is at least 1");
  if (state.head >= headCount(state)) throw new FragmentError(`head is ${state.head}, of ${headCount(state)}`);
  return state;
}

/** Reads "#tokens=...", with or without "#". Throws FragmentError. The engine checks the widths of the matrices. */
export function readFragment(fragment: string): State {
  const state = emptyState();
  const seen = new Set<string>();
  for (const part of fragment.replace(/^#/, "").split("&")) {
    const [name, text] = part.split(/=(.*)/s);
    if (text === undefined) throw new FragmentError(`"${part}" has no "="`);
    if (seen.has(name)) throw new FragmentError(`${name} is given twice`);
    seen.add(name);
    if (name.startsWith("page-")) state.own[name.slice(5)] = decoded(text);
    else if (Object.hasOwn(readers, name)) readers[name](state, text, name);
    else throw new FragmentError(`unknown key "${name}"`);
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
