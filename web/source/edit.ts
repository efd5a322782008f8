/** Changes to a state, as pure functions: which columns belong to a head, and what a token, a number or a name becomes. */
import type { Matrix, Worked } from "./engine";
import { headCount, mostTokens, type State } from "./state";

export type Kind = "q" | "k" | "v";

export const kindNames: Record<Kind, string> = { q: "query", k: "key", v: "value" };

/** True when queries, keys and values are given, and not made from x. */
export function isEditable(state: State): boolean {
  return state.q !== undefined && state.k !== undefined && state.v !== undefined;
}

/** First column and width of what a head uses of q, k or v; heads in a group share keys and values. */
export function columnsOf(state: State, kind: Kind, head: number): [first: number, width: number] {
  const heads = headCount(state);
  const shared = kind === "q" ? heads : (state.kv_heads ?? heads);
  const width = state[kind]![0].length / shared;
  return [Math.floor(head / (heads / shared)) * width, width];
}

/** A copy of the list with one entry changed. */
export function replaced<T>(list: T[], index: number, entry: T): T[] {
  return list.map((old, i) => (i === index ? entry : old));
}

/** q, k or v with one number changed. */
export function withNumber(state: State, kind: Kind, token: number, channel: number, value: number): Partial<State> {
  const [first] = columnsOf(state, kind, state.head);
  const row = replaced(state[kind]![token], first + channel, value);
  return { [kind]: replaced(state[kind]!, token, row) };
}

/** q, k or v with the first numbers of one row changed; further ones stay. */
export function withVector(state: State, kind: Kind, token: number, vector: number[]): Partial<State> {
  const [first, width] = columnsOf(state, kind, state.head);
  const row = [...state[kind]![token]];
  for (let channel = 0; channel < Math.min(width, vector.length); channel++) row[first + channel] = vector[channel];
  return { [kind]: replaced(state[kind]!, token, row) };
}

/** Numbers for the n-th new token: whole, and not all alike. */
function freshRow(width: number, nth: number, kind: number): number[] {
  return Array.from({ length: width }, (_, channel) => (nth + kind + channel) % 3);
}

/** Adds the words of a text as tokens at the end. */
export function withTokens(state: State, text: string): Partial<State> {
  const words = text.trim().split(/\s+/).filter((word) => word !== "");
  const added = words.slice(0, mostTokens - state.tokens.length);
  const grown = (matrix: Matrix | undefined, kind: number) =>
    matrix && [...matrix, ...added.map((_, i) => freshRow(matrix[0].length, matrix.length + i, kind))];
  return {
    tokens: [...state.tokens, ...added],
    q: grown(state.q, 0), k: grown(state.k, 1), v: grown(state.v, 2), x: grown(state.x, 0),
    hidden: undefined,
  };
}

export function withoutToken(state: State, token: number): Partial<State> {
  const cut = (matrix: Matrix | undefined) => matrix?.filter((_, row) => row !== token);
  const moved = (selected: number) => Math.min(selected > token ? selected - 1 : selected, state.tokens.length - 2);
  return {
    tokens: state.tokens.filter((_, row) => row !== token),
    q: cut(state.q), k: cut(state.k), v: cut(state.v), x: cut(state.x),
    query: moved(state.query),
    key: state.key === null || state.key === token ? null : moved(state.key),
    hidden: undefined,
  };
}

export function withName(state: State, token: number, name: string): Partial<State> {
  return { tokens: replaced(state.tokens, token, name) };
}

/** Queries, keys and values as they came out of x, to be changed by hand from now on. */
export function takenAsTheyAre(worked: Worked): Partial<State> {
  const beside = (kind: Kind) => worked.tokens.map((_, row) => worked.heads.flatMap((head) => head[kind][row]));
  return {
    q: beside("q"), k: beside("k"), v: beside("v"),
    x: undefined, wq: undefined, wk: undefined, wv: undefined, kv_heads: undefined, positions: undefined,
  };
}
