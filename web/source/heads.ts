// heads.ts - adding and removing heads, which lie side by side in the columns of q, k, v or of wq, wk, wv, and in the
// rows of wo. Pure functions on a state.
import type { Example, Matrix } from "./engine";

export const mostHeads = 4;

/** Why heads cannot be added or removed one by one, or undefined. */
export function headsRefusal(example: Example): string | undefined {
  const heads = example.heads ?? 1;
  const shared = example.kv_heads ?? heads;
  return shared === heads ? undefined : `${heads} heads share ${shared} keys and values: one alone cannot be added or removed`;
}

/** Pairs of numbers turned by a quarter: (a, b) to (-b, a). An odd last number changes its sign. */
function quarterTurn(row: number[]): number[] {
  return row.map((value, index) => {
    if (index % 2 === 1) return row[index - 1];
    return index + 1 < row.length ? -row[index + 1] || 0 : -value || 0;
  });
}

const lastBlock = (row: number[], heads: number): number[] => row.slice(row.length - row.length / heads);

/** One more head: a copy of the last, which asks with its queries turned by a quarter, so that it looks elsewhere. */
export function withHead(example: Example): Partial<Example> {
  const heads = example.heads ?? 1;
  const grow = (rows: Matrix | undefined, change = (row: number[]) => row) =>
    rows?.map((row) => [...row, ...change(lastBlock(row, heads))]);
  const wo = example.wo && [...example.wo, ...example.wo.slice(example.wo.length - example.wo.length / heads)];
  const { q, k, v, wq, wk, wv } = example;
  const grown = { q: grow(q, quarterTurn), k: grow(k), v: grow(v), wq: grow(wq, quarterTurn), wk: grow(wk), wv: grow(wv) };
  return { ...grown, wo, heads: heads + 1, kv_heads: undefined };
}

export function withoutHead(example: Example): Partial<Example> {
  const heads = example.heads ?? 1;
  const shrink = (rows: Matrix | undefined) => rows?.map((row) => row.slice(0, row.length - row.length / heads));
  const wo = example.wo?.slice(0, example.wo.length - example.wo.length / heads);
  const { q, k, v, wq, wk, wv } = example;
  const shrunk = { q: shrink(q), k: shrink(k), v: shrink(v), wq: shrink(wq), wk: shrink(wk), wv: shrink(wv) };
  return { ...shrunk, wo, heads: heads - 1, kv_heads: undefined };
}

/** A W_O to begin with: it adds the heads up, number by number. */
export function addingUp(heads: number, width: number): Matrix {
  return Array.from({ length: heads * width }, (_, row) =>
    Array.from({ length: width }, (__, column) => (row % width === column ? 1 : 0)),
  );
}
