/** The arithmetic of the page: the C code of `attend trace`, compiled to WebAssembly. Nothing is computed here in
 *  TypeScript that the command line prints too. */

export type Matrix = number[][];

/** What is worked out: the file of `attend trace FILE.json` (docs/cli/trace.md). Rows are tokens. */
export interface Example {
  tokens: string[];
  q?: Matrix; // (T, H * D)
  k?: Matrix; // (T, Hkv * D)
  v?: Matrix; // (T, Hkv * E)
  x?: Matrix; // (T, C), instead of q, k and v
  wq?: Matrix; // (C, H * D)
  wk?: Matrix; // (C, Hkv * D)
  wv?: Matrix; // (C, Hkv * E)
  wo?: Matrix; // (H * E, any)
  heads?: number;
  kv_heads?: number;
  positions?: "none" | "sinusoidal" | "rotary";
  causal?: boolean;
  scale?: number;
  hidden?: boolean[][]; // (T, T), true: cut by the scissors, besides what causal hides
}

/** One head of `attend trace --json`; null: hidden. Rows are queries, columns are keys. */
export interface Head {
  q: Matrix; // (T, D)
  k: Matrix; // (T, D)
  v: Matrix; // (T, E)
  compare: Matrix; // (T, T)
  scale: (number | null)[][]; // (T, T)
  mask: (number | null)[][]; // (T, T)
  normalize: (number | null)[][]; // (T, T)
  combine: Matrix; // (T, E)
  lse: number[]; // (T)
}

/** `attend trace --json` of an example. */
export interface Worked {
  tokens: string[];
  scale: number;
  causal: boolean;
  heads: Head[];
  output: Matrix; // (T, H * E), or times wo
}

export interface Engine {
  /** Throws an Error with the library's message when the example is wrong. */
  work(example: Example): Worked;
  /** value with digits decimals, rounded as the command line does. */
  decimals(value: number, digits: number): string;
  /** e to the power value, of the same C library as the weights. */
  exponential(value: number): number;
}

export async function load(): Promise<Engine> {
  throw new Error("the engine is not part of this build");
}
