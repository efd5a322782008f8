// cuts.ts - cutting one edge, from a query to a key in one head, in three kinds that are not the same:
//   renormalise  hide the pair: its weight goes to the others        o' - o = a/(1-a) (o - u)
//   zero         keep the weights, put 0 in the place of the value   o' - o = -a u
//   mean         keep the weights, put the mean of the values there  o' - o = a (m - u)
// a: the weight of the edge; u: its value; m: the mean of the values that the query sees; o: the head's mixture.
// The closed form stands beside the exact rerun by the engine; they differ by rounding only.
import type { Example, Head, Matrix, Worked } from "./engine";
import { minus, times, type Vector } from "./linear";

export const cutKinds = ["renormalise", "zero", "mean"] as const;
export type CutKind = (typeof cutKinds)[number];

export interface Edge {
  head: number;
  query: number;
  key: number;
}

export type Work = (example: Example) => Worked;

export interface Cut {
  weight: number;
  before: Vector; // the head's mixture
  after: Vector; // the same with the edge cut, by the engine
  rerun: Vector; // after - before
  closed: Vector; // the closed form of the same difference
}

/** The keys that a query of this head sees. */
export function seenKeys(head: Head, query: number): number[] {
  return head.normalize[query].flatMap((weight, key) => (weight === null ? [] : [key]));
}

export function meanValue(head: Head, query: number): Vector {
  const seen = seenKeys(head, query);
  return head.v[0].map((_, column) => seen.reduce((sum, key) => sum + head.v[key][column], 0) / seen.length);
}

/** Pairs that are hidden: those of the head, and the given ones. */
export function hiddenPairs(head: Head, pairs: { query: number; key: number }[]): boolean[][] {
  const hidden = head.normalize.map((row) => row.map((weight) => weight === null));
  for (const { query, key } of pairs) hidden[query][key] = true;
  return hidden;
}

/** One head of a worked example as an example of its own: its rows are what the steps saw, positions included. */
export function headExample(worked: Worked, head: Head, changes: Partial<Example> = {}): Example {
  return { tokens: worked.tokens, q: head.q, k: head.k, v: head.v, scale: worked.scale, hidden: hiddenPairs(head, []), ...changes };
}

/** The mixtures of one head, all queries, with edges of it cut. Every query with a cut edge is worked out again. */
export function cutHead(work: Work, worked: Worked, head: Head, edges: { query: number; key: number }[], kind: CutKind): Matrix {
  if (kind === "renormalise")
    return work(headExample(worked, head, { hidden: hiddenPairs(head, edges) })).heads[0].combine;
  const rows = head.combine.map((row) => [...row]);
  for (const query of new Set(edges.map((edge) => edge.query))) {
    const instead = kind === "zero" ? head.v[0].map(() => 0) : meanValue(head, query);
    const cut = new Set(edges.filter((edge) => edge.query === query).map((edge) => edge.key));
    const values = head.v.map((value, key) => (cut.has(key) ? instead : value));
    rows[query] = work(headExample(worked, head, { v: values })).heads[0].combine[query];
  }
  return rows;
}

/** 1 - a as the sum of the other weights b, and o - u as the sum of b (their value - u): the same numbers, but a weight
 *  near 1 loses no digits. Without any other weight nothing is left to share out, and there is no answer: NaN. */
function closedForm(head: Head, edge: Edge, weight: number, kind: CutKind): Vector {
  const value = head.v[edge.key], row = head.normalize[edge.query];
  if (kind === "zero") return times(-weight, value);
  if (kind === "mean") return times(weight, minus(meanValue(head, edge.query), value));
  const others = seenKeys(head, edge.query).filter((key) => key !== edge.key);
  const rest = others.reduce((sum, key) => sum + row[key]!, 0);
  if (rest === 0) return value.map(() => NaN);
  return value.map((own, column) =>
    weight * others.reduce((sum, key) => sum + (row[key]! / rest) * (head.v[key][column] - own), 0));
}

/** Cuts one edge; undefined when the query does not see the key. */
export function cutEdge(work: Work, worked: Worked, edge: Edge, kind: CutKind): Cut | undefined {
  const head = worked.heads[edge.head];
  const weight = head.normalize[edge.query][edge.key] ?? null;
  if (weight === null) return undefined;
  const before = head.combine[edge.query];
  const after = cutHead(work, worked, head, [edge], kind)[edge.query];
  const closed = closedForm(head, edge, weight, kind);
  return { weight, before, after, rerun: minus(after, before), closed };
}
