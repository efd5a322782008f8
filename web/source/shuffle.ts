// shuffle.ts - the same tokens in another order. Without positions each token keeps its output (attention sees a bag of
// words); with positions, or under a causal mask, it does not.
import type { Work } from "./cuts";
import type { Example, Matrix, Worked } from "./engine";
import { minus } from "./linear";

/** order[i]: which token stands at place i. True when each of 0..count-1 is there once. */
export function isOrder(order: number[], count: number): boolean {
  return order.length === count && [...order].sort((a, b) => a - b).every((value, index) => value === index);
}

export const reversed = (count: number): number[] => Array.from({ length: count }, (_, place) => count - 1 - place);
export const turned = (count: number): number[] => Array.from({ length: count }, (_, place) => (place + 1) % count);

/** An order by chance that is not the given one, when there is another. */
export function shuffled(count: number, random: () => number): number[] {
  const order = Array.from({ length: count }, (_, place) => place);
  for (let place = count - 1; place > 0; place--) {
    const other = Math.floor(random() * (place + 1));
    [order[place], order[other]] = [order[other], order[place]];
  }
  return order.every((token, place) => token === place) ? turned(count) : order;
}

/** The example with its tokens, and all that is theirs, in another order. */
export function reorder(example: Example, order: number[]): Example {
  const pick = <T>(rows: T[]): T[] => order.map((token) => rows[token]);
  const moved: Example = { ...example, tokens: pick(example.tokens) };
  for (const name of ["q", "k", "v", "x"] as const) if (example[name]) moved[name] = pick(example[name]);
  if (example.hidden) moved.hidden = pick(example.hidden).map(pick);
  return moved;
}

export interface Shuffle {
  before: Worked;
  after: Worked; // in the new order
  outputs: Matrix; // after, put back in the old order: row i is token i's
  change: number[]; // largest difference in a token's output
}

export function shuffleTokens(work: Work, example: Example, order: number[]): Shuffle {
  const before = work(example);
  const after = work(reorder(example, order));
  const outputs = before.output.map((_, token) => after.output[order.indexOf(token)]);
  const change = outputs.map((row, token) => Math.max(...minus(row, before.output[token]).map(Math.abs)));
  return { before, after, outputs, change };
}
