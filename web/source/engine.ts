/** The arithmetic of the page: the C code of `attend trace`, compiled to WebAssembly. Nothing is computed here in
 *  TypeScript that the command line prints too. */

import plain from "../../build/page/engine.wasm?url&inline";
import simd from "../../build/page/engine_simd.wasm?url&inline";

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

/** One head of `attend trace --json`; null: hidden. Rows are queries, columns are keys. Numbers that JSON does not have,
 *  infinity and NaN, stay what they are. */
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
  /** value with digits decimals (0 to 17), rounded as the command line does. */
  decimals(value: number, digits: number): string;
  /** e to the power value, as the weights take it. */
  exponential(value: number): number;
}

/** What web/engine/engine.c exports; numbers that stand for addresses are offsets in memory. */
interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  engine_begin(tokens: number): number;
  engine_matrix(name: number, rows: number, columns: number): number;
  engine_visible(): number;
  engine_options(heads: number, kvHeads: number, positions: number, causal: number, scaled: number, scale: number): void;
  engine_work(): number;
  engine_size(what: number): number;
  engine_scale(): number;
  engine_numbers(step: number): number;
  engine_decimals(value: number, digits: number): number;
  engine_exponential(value: number): number;
}

/* In the orders of engine.c. */
const matrixNames = ["q", "k", "v", "x", "wq", "wk", "wv", "wo"] as const;
const positionNames = ["none", "sinusoidal", "rotary"] as const;
const sizeNames = ["heads", "headsPerKey", "headWidth", "valueWidth", "outputWidth"] as const;
const stepNames = ["q", "k", "v", "compare", "scale", "mask", "normalize", "combine", "lse", "output"] as const;

const utf8 = new TextDecoder();
const noMemory = new Error("no memory for the steps of this example");

/** Throws what the reader of files says (src/files/example_read.c) about rows of a matrix that cannot be one. */
function checkMatrix(name: string, matrix: Matrix): void {
  if (matrix.length === 0) throw new Error(`${name} has no rows`);
  matrix.forEach((row, i) => {
    if (row.length === 0) throw new Error(`row ${i + 1} of ${name} is empty`);
    if (row.length !== matrix[0].length) {
      const plural = row.length === 1 ? "" : "s";
      throw new Error(`row ${i + 1} of ${name} has ${row.length} number${plural}, row 1 has ${matrix[0].length}`);
    }
    row.forEach((value, j) => {
      if (!Number.isFinite(value))
        throw new Error(`row ${i + 1}, column ${j + 1} of ${name} must be a number (found ${value})`);
    });
  });
}

function checkCount(name: string, count: number | undefined): number {
  if (count === undefined) return 0;
  if (!(Number.isInteger(count) && count >= 1 && count <= 65536))
    throw new Error(`${name} must be a whole number from 1 to 65536 (found ${count})`);
  return count;
}

class WasmEngine implements Engine {
  constructor(private readonly wasm: Exports) {
    this.work = this.work.bind(this); // handed on as a function by whoever works out a variant
  }

  work(example: Example): Worked {
    const tokens = example.tokens.length;
    if (tokens === 0) throw new Error("tokens is empty (allowed 1 or more)");
    if (this.wasm.engine_begin(tokens) === 0) throw noMemory;
    matrixNames.forEach((name, index) => this.putMatrix(name, index, example[name]));
    if (example.hidden) this.putHidden(example.hidden, tokens);
    this.putOptions(example);
    const message = this.wasm.engine_work();
    if (message !== 0) throw new Error(this.text(message));
    return this.worked(example);
  }

  decimals(value: number, digits: number): string {
    if (!(Number.isInteger(digits) && digits >= 0 && digits <= 17))
      throw new Error(`digits is ${digits} (allowed 0 to 17)`);
    return this.text(this.wasm.engine_decimals(value, digits));
  }

  exponential(value: number): number {
    return this.wasm.engine_exponential(value);
  }

  private putMatrix(name: string, index: number, matrix: Matrix | undefined): void {
    if (matrix === undefined) return;
    checkMatrix(name, matrix);
    const address = this.wasm.engine_matrix(index, matrix.length, matrix[0].length);
    if (address === 0) throw noMemory;
    this.numbers(address, matrix.length * matrix[0].length).set(matrix.flat());
  }

  private putHidden(hidden: boolean[][], tokens: number): void {
    if (hidden.length !== tokens || hidden.some((row) => row.length !== tokens))
      throw new Error(`hidden must have ${tokens} rows of ${tokens}, as there are tokens`);
    const address = this.wasm.engine_visible();
    if (address === 0) throw noMemory;
    new Uint8Array(this.wasm.memory.buffer, address, tokens * tokens).set(hidden.flat().map((cut) => (cut ? 0 : 1)));
  }

  private putOptions(example: Example): void {
    const positions = example.positions ?? "none";
    if (!positionNames.includes(positions))
      throw new Error(`positions must be "none", "sinusoidal" or "rotary" (found "${positions}")`);
    if (example.scale !== undefined && !Number.isFinite(example.scale))
      throw new Error(`scale must be a number (found ${example.scale})`);
    this.wasm.engine_options(
      checkCount("heads", example.heads),
      checkCount("kv_heads", example.kv_heads),
      positionNames.indexOf(positions),
      example.causal ? 1 : 0,
      example.scale === undefined ? 0 : 1,
      example.scale ?? 0,
    );
  }

  private worked(example: Example): Worked {
    const tokens = example.tokens.length;
    const sizes = Object.fromEntries(sizeNames.map((name, i) => [name, this.wasm.engine_size(i)]));
    const seen = (i: number, j: number) => !(example.causal && j > i) && !example.hidden?.[i][j];
    const seenOnly = (rows: Matrix) => rows.map((row, i) => row.map((value, j) => (seen(i, j) ? value : null)));
    const step = (name: (typeof stepNames)[number], head: number, columns: number) =>
      this.matrix(stepNames.indexOf(name), head * tokens, tokens, columns);
    const heads = Array.from({ length: sizes.heads }, (_, head): Head => {
      const keyHead = Math.floor(head / sizes.headsPerKey);
      return {
        q: step("q", head, sizes.headWidth),
        k: step("k", keyHead, sizes.headWidth),
        v: step("v", keyHead, sizes.valueWidth),
        compare: step("compare", head, tokens),
        scale: step("scale", head, tokens),
        mask: seenOnly(step("mask", head, tokens)),
        normalize: seenOnly(step("normalize", head, tokens)),
        combine: step("combine", head, sizes.valueWidth),
        lse: step("lse", head, 1).flat(),
      };
    });
    const output = step("output", 0, sizes.outputWidth);
    return { tokens: [...example.tokens], scale: this.wasm.engine_scale(), causal: !!example.causal, heads, output };
  }

  /** rows rows of a step, the first being row first. */
  private matrix(step: number, first: number, rows: number, columns: number): Matrix {
    const start = this.wasm.engine_numbers(step) + first * columns * Float64Array.BYTES_PER_ELEMENT;
    const all = this.numbers(start, rows * columns);
    return Array.from({ length: rows }, (_, i) => Array.from(all.subarray(i * columns, (i + 1) * columns)));
  }

  /** A view that the next call into the module may end. */
  private numbers(address: number, count: number): Float64Array {
    return new Float64Array(this.wasm.memory.buffer, address, count);
  }

  private text(address: number): string {
    const bytes = new Uint8Array(this.wasm.memory.buffer, address);
    return utf8.decode(bytes.subarray(0, bytes.indexOf(0)));
  }
}

function bytesOf(inlined: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(inlined.slice(inlined.indexOf(",") + 1)), (character) => character.charCodeAt(0));
}

/** The two modules that stand in the page; both give the same bits. */
export const modules = { plain: () => bytesOf(plain), simd: () => bytesOf(simd) };

/** The one with SIMD where this browser has it. */
function bestModule(): Uint8Array<ArrayBuffer> {
  const bytes = modules.simd();
  return WebAssembly.validate(bytes) ? bytes : modules.plain();
}

/** The engine of the page, or of one of its modules. */
export async function load(bytes: BufferSource = bestModule()): Promise<Engine> {
  const { instance } = await WebAssembly.instantiate(bytes);
  const wasm = instance.exports as unknown as Exports;
  wasm._initialize();
  const engine = new WasmEngine(wasm);
  return { // each of them bound, so that one alone can be handed on
    work: (example) => engine.work(example),
    decimals: (value, digits) => engine.decimals(value, digits),
    exponential: (value) => engine.exponential(value),
  };
}
