/* The fast path in WebAssembly, plain and with relaxed SIMD: the bits of the program's, and close to the readable path. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

interface Exports {
  memory: WebAssembly.Memory;
  _initialize(): void;
  forward_is_fused(oneMore: number, oneLess: number): number;
  forward_begin(heads: number, kvHeads: number, tokens: number, width: number, causal: number): number;
  forward_run(readable: number): number;
}

interface Shape {
  heads: number;
  kvHeads: number;
  tokens: number;
  width: number;
  causal: boolean;
}

const program = process.env.ATTEND_BINARY ?? join(__dirname, "../../build/release/attend");
const folder = mkdtempSync(join(tmpdir(), "attend-forward-"));
afterAll(() => rmSync(folder, { recursive: true }));
setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 18 and 20 have it behind this flag

/** web/engine/build.sh with forward_module.c; null where Node cannot run it, or where its multiply-add is not fused. */
async function build(name: string, ...flags: string[]): Promise<Exports | null> {
  const file = join(folder, name);
  execFileSync(join(__dirname, "../engine/build.sh"), [file, join(__dirname, "forward_module.c"), ...flags]);
  const bytes = readFileSync(file);
  if (!WebAssembly.validate(bytes)) return null;
  const wasm = (await WebAssembly.instantiate(bytes)).instance.exports as unknown as Exports;
  wasm._initialize();
  return wasm.forward_is_fused(1 + 2 ** -20, 1 - 2 ** -20) ? wasm : null;
}

function randomNumbers(count: number, seed: number): Float32Array {
  return Float32Array.from({ length: count }, () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return seed / 2 ** 30 - 2;
  });
}

const sizes = (shape: Shape) => [shape.heads, shape.kvHeads, shape.kvHeads].map((n) => n * shape.tokens * shape.width);

function forward(wasm: Exports, shape: Shape, inputs: Float32Array[], readable = false): Float32Array {
  const { heads, kvHeads, tokens, width, causal } = shape;
  const address = wasm.forward_begin(heads, kvHeads, tokens, width, causal ? 1 : 0);
  let offset = address;
  for (const input of inputs) {
    new Float32Array(wasm.memory.buffer, offset, input.length).set(input);
    offset += input.byteLength;
  }
  expect(wasm.forward_run(readable ? 1 : 0)).toBe(0);
  return new Float32Array(wasm.memory.buffer, offset, inputs[0].length).slice();
}

/** numpy's file format, version 1.0. */
function npy(shape: number[], numbers: Float32Array): Buffer {
  const text = `{'descr': '<f4', 'fortran_order': False, 'shape': (${shape.join(", ")}), }`;
  const header = text.padEnd(117) + "\n";
  const front = Buffer.concat([Buffer.from("\x93NUMPY\x01\x00", "latin1"), Buffer.from([header.length, 0])]);
  return Buffer.concat([front, Buffer.from(header), Buffer.from(numbers.buffer)]);
}

function native(shape: Shape, inputs: Float32Array[]): Float32Array {
  const rows = [shape.heads, shape.kvHeads, shape.kvHeads].map((n) => [1, n, shape.tokens, shape.width]);
  ["q", "k", "v"].forEach((name, i) => writeFileSync(join(folder, `${name}.npy`), npy(rows[i], inputs[i])));
  const file = (name: string) => join(folder, `${name}.npy`);
  const options = shape.causal ? ["--causal"] : [];
  execFileSync(program, ["run", "--q", file("q"), "--k", file("k"), "--v", file("v"), "-o", file("o"), "--path", "fast", ...options]);
  const bytes = readFileSync(file("o"));
  return new Float32Array(new Uint8Array(bytes.subarray(10 + bytes.readUInt16LE(8))).buffer);
}

const shapes: Shape[] = [
  { heads: 2, kvHeads: 2, tokens: 70, width: 64, causal: false },
  { heads: 4, kvHeads: 2, tokens: 300, width: 40, causal: true },
  { heads: 1, kvHeads: 1, tokens: 5, width: 7, causal: true },
  { heads: 8, kvHeads: 1, tokens: 1, width: 16, causal: false },
];

describe.each([
  ["plain", []],
  ["relaxed SIMD", ["-mrelaxed-simd"]],
] as [string, string[]][])("the fast path, %s", (name, flags) => {
  let wasm: Exports | null;
  beforeAll(async () => (wasm = await build(name.replace(" ", "_") + ".wasm", ...flags)));

  it.each(shapes)("gives the bits of the program for %o", (shape) => {
    if (wasm === null) return expect(name).toBe("relaxed SIMD"); // plain C runs everywhere
    const inputs = sizes(shape).map((count, i) => randomNumbers(count, 7 + i));
    const output = forward(wasm, shape, inputs);
    expect(Buffer.compare(Buffer.from(output.buffer), Buffer.from(native(shape, inputs).buffer))).toBe(0);
    const readable = forward(wasm, shape, inputs, true);
    const worst = output.reduce((most, value, i) => Math.max(most, Math.abs(value - readable[i])), 0);
    expect(worst).toBeLessThan(1e-4);
  });

  it("does 8 heads of 64 over 512 tokens in reasonable time", () => {
    if (wasm === null) return expect(name).toBe("relaxed SIMD");
    const shape = { heads: 8, kvHeads: 8, tokens: 512, width: 64, causal: false };
    const inputs = sizes(shape).map((count, i) => randomNumbers(count, i));
    forward(wasm, shape, inputs);
    const begin = performance.now();
    expect(wasm.forward_run(0)).toBe(0);
    const milliseconds = performance.now() - begin;
    console.log(`${name}: ${milliseconds.toFixed(1)} ms`);
    expect(milliseconds).toBeLessThan(30_000); // a machine under load; plain C takes about ten times as long as SIMD
  });
});
