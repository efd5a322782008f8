/** A small TypeScript engine for working on the page before the WebAssembly one is built; never shipped. */
import type { Engine, Example, Head, Worked } from "../source/engine";

const dot = (a: number[], b: number[]) => a.reduce((sum, value, i) => sum + value * b[i], 0);

function workHead(example: Example, head: number, scale: number): Head {
  const heads = example.heads ?? 1;
  const part = (rows: number[][]) =>
    rows.map((row) => row.slice((row.length / heads) * head, (row.length / heads) * (head + 1)));
  const q = part(example.q!), k = part(example.k!), v = part(example.v!);
  const hidden = (i: number, j: number) => !!(example.causal && j > i) || !!example.hidden?.[i]?.[j];
  const compare = q.map((a) => k.map((b) => dot(a, b)));
  const scaled = compare.map((row) => row.map((x) => x * scale));
  const mask = scaled.map((row, i) => row.map((x, j) => (hidden(i, j) ? null : x)));
  const lse = mask.map((row) => {
    const top = Math.max(...row.map((x) => x ?? -Infinity));
    return top + Math.log(row.reduce<number>((sum, x) => sum + (x === null ? 0 : Math.exp(x - top)), 0));
  });
  const normalize = mask.map((row, i) => row.map((x) => (x === null ? null : Math.exp(x - lse[i]))));
  const combine = normalize.map((row) => v[0].map((_, e) => row.reduce<number>((s, w, j) => s + (w ?? 0) * v[j][e], 0)));
  return { q, k, v, compare, scale: scaled, mask, normalize, combine, lse };
}

export async function load(): Promise<Engine> {
  return {
    work(example: Example): Worked {
      if (!example.q) throw new Error("the stand-in knows q, k and v only");
      const heads = example.heads ?? 1;
      const scale = example.scale ?? 1 / Math.sqrt(example.q[0].length / heads);
      const worked = Array.from({ length: heads }, (_, head) => workHead(example, head, scale));
      const output = example.tokens.map((_, i) => worked.flatMap((head) => head.combine[i]));
      return { tokens: example.tokens, scale, causal: !!example.causal, heads: worked, output };
    },
    decimals: (value, digits) => value.toFixed(digits),
    exponential: Math.exp,
  };
}
