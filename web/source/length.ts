// length.ts - what the length of the vectors does to softmax: the longer they are, the more it spikes, and the flatter
// is its slope. The slope of weight a in its own score is a (1 - a), and scale times that in its dot product; the largest
// slope a row of weights can have is 1/4.
import type { Work } from "./cuts";
import type { Example, Head, Matrix } from "./engine";
import { norm, type Vector } from "./linear";

export const slope = (weight: number): number => weight * (1 - weight);

/** The steepest slope of a row of weights; null: hidden. */
export function steepest(weights: (number | null)[]): number {
  return Math.max(0, ...weights.map((weight) => (weight === null ? 0 : slope(weight))));
}

/** Every number of the rows times one factor. */
export const stretch = (rows: Matrix, factor: number): Matrix => rows.map((row) => row.map((value) => value * factor));

/** Length of the longest row. */
export const longest = (rows: Matrix): number => Math.max(...rows.map(norm));

export interface Sample {
  factor: number;
  weights: Vector; // 0 where hidden
  slope: number; // the steepest of the row
}

/** Weights of one query with queries and keys `factor` times as long, so that each dot product is factor^2 times as large. */
export function weightsAtLength(work: Work, tokens: string[], head: Head, query: number, scale: number, factor: number): Sample {
  const hidden = head.normalize.map((row) => row.map((weight) => weight === null));
  const example: Example = { tokens, q: stretch(head.q, factor), k: stretch(head.k, factor), v: head.v, scale, hidden };
  const row = work(example).heads[0]!.normalize[query]!;
  return { factor, weights: row.map((weight) => weight ?? 0), slope: steepest(row) };
}
