/* attend's fast path as a WebAssembly module, web/test/forward_module.c. */
import { readFileSync } from "node:fs";

/** The module in file, or null where it does not run here or has no fused multiply-add. */
export async function load(file) {
  const bytes = readFileSync(file);
  if (!WebAssembly.validate(bytes)) return null;
  const wasm = (await WebAssembly.instantiate(bytes)).instance.exports;
  wasm._initialize();
  return wasm.forward_is_fused(1 + 2 ** -20, 1 - 2 ** -20) ? wasm : null;
}

/** As the peer's: inputs are copied from arrays into the module, and the output is copied out. */
export function prepare(wasm, { heads, tokens, width, causal }, inputs) {
  const address = wasm.forward_begin(heads, heads, tokens, width, causal ? 1 : 0);
  let output;
  const run = () => {
    inputs.forEach((a, i) => new Float32Array(wasm.memory.buffer, address + i * a.byteLength, a.length).set(a));
    if (wasm.forward_run(0) !== 0) throw new Error("attend_forward failed");
    output = new Float32Array(wasm.memory.buffer, address + 3 * inputs[0].byteLength, inputs[0].length).slice();
  };
  return { run, result: () => output };
}

/** Multiply-adds of four floats that this machine does just now, in 10^9 operations a second of processor time. */
export function peak(wasm, seconds) {
  const steps = 300_000;
  return (wasm.forward_peak(steps) * steps) / seconds(() => wasm.forward_peak(steps)) / 1e9;
}
