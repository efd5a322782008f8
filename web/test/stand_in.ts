/** A small TypeScript engine for working on the page before the WebAssembly one is built; never shipped. */
import type { Engine, Example, Head, Matrix, Worked } from "../source/engine";

const product = (a: Matrix, b: Matrix): Matrix =>
  a.map((row) => b[0].map((_, column) => row.reduce((sum, value, index) => sum + value * b[index][column], 0)));

const cut = (rows: Matrix, index: number, heads: number): Matrix => {
  const width = rows[0].length / heads;
  return rows.map((row) => row.slice(index * width, (index + 1) * width));
};

function workHead(q: Matrix, k: Matrix, v: Matrix, scale: number, hides: (row: number, column: number) => boolean): Head {
  const compare = q.map((query) => k.map((key) => query.reduce((sum, value, index) => sum + value * key[index], 0)));
  const scaled = compare.map((row) => row.map((value) => value * scale));
  const mask = scaled.map((row, i) => row.map((value, j) => (hides(i, j) ? null : value)));
  const lse = mask.map((row) => {
    const top = Math.max(...row.map((value) => value ?? -Infinity));
    return top + Math.log(row.reduce<number>((sum, value) => sum + (value === null ? 0 : Math.exp(value - top)), 0));
  });
  const normalize = mask.map((row, i) => row.map((value) => (value === null ? null : Math.exp(value - lse[i]))));
  const combine = normalize.map((row) =>
    v[0].map((_, e) => row.reduce<number>((sum, weight, j) => sum + (weight ?? 0) * v[j][e], 0)),
  );
  return { q, k, v, compare, scale: scaled, mask, normalize, combine, lse };
}

export function work(example: Example): Worked {
  const heads = example.heads ?? 1;
  const groups = example.kv_heads ?? heads;
  const q = example.q ?? product(example.x!, example.wq!);
  const k = example.k ?? product(example.x!, example.wk!);
  const v = example.v ?? product(example.x!, example.wv!);
  const scale = example.scale ?? Math.sqrt(heads / q[0].length);
  const causal = example.causal ?? false;
  const hides = (i: number, j: number) => (causal && j > i) || (example.hidden?.[i]?.[j] ?? false);
  const worked = Array.from({ length: heads }, (_, index) => {
    const group = Math.floor((index * groups) / heads);
    return workHead(cut(q, index, heads), cut(k, group, groups), cut(v, group, groups), scale, hides);
  });
  const side = example.tokens.map((_, token) => worked.flatMap((head) => head.combine[token]));
  return { tokens: example.tokens, scale, causal, heads: worked, output: example.wo ? product(side, example.wo) : side };
}

export async function load(): Promise<Engine> {
  return { work, decimals: (value, digits) => value.toFixed(digits), exponential: Math.exp };
}
