// null_line.ts - different weights, same mixture; and whether any query could make such weights.
//
// Weights a_1..a_n of one query mix values u_1..u_n. A change d with sum d_j = 0 and sum d_j u_j = 0 leaves the mixture,
// and so everything after it, as it was (Brunner et al. 2020, "On identifiability in transformers"). Such changes exist
// whenever n > d_value + 1. A query q makes the weights exp(scale q.k_j) / Z, so that log a = scale K q - log Z: the logs
// lie in the span of the keys and of 1. Where they do not, no query makes these weights, whatever it is (Jain and
// Wallace 2019 looked for other weights; Wiegreffe and Pinter 2019 asked whether a model could have made them).
import type { Work } from "./cuts";
import { dot, norm, nullSpace, projection, solve, times, transpose, type Rows, type Vector } from "./linear";

/** Weights smaller than this share of the step to the edge are the edge itself. */
const edge = 1e-12;
/** Largest violation, in nats, that rounding alone explains. */
const rounding = 1e-9;

/** Every direction in which weights may move without moving the mixture: a basis, possibly empty. */
export function sameMixtureDirections(values: Rows): Rows {
  const ones = values.map(() => 1);
  return nullSpace([...transpose(values), ones], values.length);
}

export interface Line {
  direction: Vector;
  least: number; // steps along the direction for which no weight is negative: least <= 0 <= most
  most: number;
}

/** How far weights may go along a direction until one of them is 0. */
export function lineThrough(weights: Vector, direction: Vector): Line {
  let least = -Infinity;
  let most = Infinity;
  weights.forEach((weight, index) => {
    const step = direction[index];
    if (step > 0) least = Math.max(least, -weight / step);
    if (step < 0) most = Math.min(most, -weight / step);
  });
  return { direction, least, most };
}

/** The weights at a place of -1 (the line's one end) to 1 (its other end); 0 gives them back. */
export function weightsAt(weights: Vector, line: Line, place: number): Vector {
  const step = place < 0 ? -place * line.least : place * line.most;
  return weights.map((weight, index) => {
    const moved = weight + step * line.direction[index];
    return moved <= edge * weight ? 0 : moved;
  });
}

export type Reach =
  | { kind: "reachable"; query: Vector } // this query makes the weights
  | { kind: "zero"; index: number } // a weight of exactly 0: no query makes it
  | { kind: "unreachable"; contrast: Vector; residual: number; distance: number };
// unreachable: sum contrast_j log a_j is 0 for every query there is, and `residual` for these weights;
// distance: from the logs to the nearest logs that a query makes, in nats.

/** Could a query make these weights of these keys? */
export function reachOf(weights: Vector, keys: Rows, scale: number): Reach {
  const zero = weights.indexOf(0);
  if (zero >= 0) return { kind: "zero", index: zero };
  const logs = weights.map(Math.log);
  const design = keys.map((key) => [...times(scale, key), 1]);
  const contrasts = nullSpace(transpose(design), weights.length);
  let worst: { contrast: Vector; residual: number } | undefined;
  for (const contrast of contrasts) {
    const residual = dot(contrast, logs);
    if (!worst || Math.abs(residual) / norm(contrast) > Math.abs(worst.residual) / norm(worst.contrast))
      worst = { contrast, residual };
  }
  if (worst && Math.abs(worst.residual) > rounding * norm(worst.contrast) * Math.max(1, norm(logs)))
    return { kind: "unreachable", ...worst, distance: norm(projection(logs, contrasts)) };
  return { kind: "reachable", query: solve(design, logs).slice(0, -1) };
}

/** Jensen-Shannon divergence of two rows of weights, in nats: 0 for equal rows, log 2 at most. */
export function divergence(a: Vector, b: Vector): number {
  const towards = (from: number, middle: number) => (from === 0 ? 0 : from * Math.log(from / middle));
  return a.reduce((sum, left, index) => {
    const right = b[index];
    const middle = (left + right) / 2;
    return sum + (towards(left, middle) + towards(right, middle)) / 2;
  }, 0);
}

/** The engine's mixture of values by given weights: weights a are what softmax makes of the scores log a. */
export function mixByWeights(work: Work, weights: Vector, values: Rows): Vector {
  const tokens = weights.map((_, index) => String(index));
  const logs = weights.map((weight) => [weight === 0 ? 0 : Math.log(weight)]);
  const hidden = weights.map(() => weights.map((weight) => weight === 0));
  return work({ tokens, q: weights.map(() => [1]), k: logs, v: values, scale: 1, hidden }).heads[0].combine[0];
}
