/* Times attend's fast path and onnxruntime-web in turns, in one process, on the same numbers; see measure_web.

   usage: compare.mjs [--seconds S] [--dry] RELAXED.wasm PLAIN.wasm

   The clock is the processor time of the process, which leaves other programs out. */
import { readFileSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { parseArgs } from "node:util";
import { setFlagsFromString } from "node:v8";
import * as attend from "./attend_module.mjs";
import * as peer from "./onnxruntime_web.mjs";

setFlagsFromString("--experimental-wasm-relaxed-simd"); // Node 18 and 20 have it behind this flag

const { values: options, positionals } = parseArgs({
  options: { seconds: { type: "string", default: "4" }, dry: { type: "boolean", default: false } },
  allowPositionals: true,
});
const FEWEST = 3; // rounds
const AGREE = 2e-5; // of the largest output
const PAGE = new URL("../../../docs/performance.md", import.meta.url);
const BEGIN = "<!-- web: begin -->";
const END = "<!-- web: end -->";

const shapes = [512, 2048].flatMap((tokens) =>
  [false, true].map((causal) => ({ name: `${causal ? "causal" : "prefill"}-${tokens}`, heads: 8, tokens, width: 64, causal })),
);

/** Multiply-adds count twice; of a causal grid only what is seen. */
const operations = ({ heads, tokens, width, causal }) =>
  4 * width * heads * (causal ? (tokens * (tokens + 1)) / 2 : tokens ** 2);

/** Standard normal, by Box and Muller, from a small generator. */
function randomNumbers(count, seed) {
  const uniform = () => {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    return (seed + 0.5) / 2 ** 32;
  };
  return Float32Array.from({ length: count }, () => Math.sqrt(-2 * Math.log(uniform())) * Math.cos(2 * Math.PI * uniform()));
}

const since = (start) => {
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1e6;
};

function seconds(run) {
  const start = process.cpuUsage();
  run();
  return since(start);
}

async function timed(run) {
  const start = process.cpuUsage();
  await run();
  return since(start);
}

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const largest = (list) => list.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

async function ways_of(shape, modules, inputs) {
  const ways = [];
  for (const [name, wasm] of Object.entries(modules))
    if (name !== "plain" || shape.tokens <= 512) // else it takes longer than all others together
      ways.push([name, attend.prepare(wasm, shape, inputs)]);
  for (const name of peer.names) {
    const way = await peer.prepare(name, shape, inputs);
    if (way !== null) ways.push([name, way]);
  }
  return ways;
}

async function measure(shape, modules) {
  const inputs = [1, 2, 3].map((seed) => randomNumbers(shape.heads * shape.tokens * shape.width, seed));
  const ways = await ways_of(shape, modules, inputs);
  const times = new Map(ways.map(([name]) => [name, []]));
  for (let i = 0; i < 2; i++) for (const [, way] of ways) await way.run(); // until the compiler of the engine is done
  const want = ways[0][1].result();
  const apart = ways.map(([, way]) => largest(way.result().map((value, i) => value - want[i])) / largest(want));
  const share = [];
  const start = performance.now();
  for (let round = 0; round < FEWEST || performance.now() - start < 1000 * options.seconds; round++)
    for (const [name, way] of ways) {
      if (name === "plain" && round >= FEWEST) continue;
      times.get(name).push(await timed(way.run));
      if (name !== "relaxed SIMD") continue;
      share.push(operations(shape) / 1e9 / times.get(name).at(-1) / attend.peak(modules[name], seconds));
    }
  for (const [, way] of ways) way.release?.();
  const row = { shape: shape.name, ms: {}, ratio: {}, of_peak: share.length > 0 ? median(share) : null, apart: Math.max(...apart) };
  for (const [name, list] of times) {
    row.ms[name] = 1000 * median(list);
    row.ratio[name] = median(list.map((time, round) => time / times.get(ways[0][0])[round]));
  }
  return row;
}

function table(rows) {
  const others = ["plain", ...peer.names];
  const ratio = (row, name) => {
    const text = row.ratio[name]?.toFixed(2) ?? "-";
    return row.ratio[name] < 1 ? `**${text}**` : text;
  };
  const day = new Date().toISOString().slice(0, 10), load = loadavg()[0].toFixed(1);
  return [
    `${cpus()[0].model.trim()}; Node ${process.versions.node}; onnxruntime-web ${peer.version}. ` +
      `Measured ${day}; load average ${load}.`,
    "",
    `| problem | attend, relaxed SIMD, ms | of its peak | attend, plain C | ${peer.names.join(" | ")} |`,
    `|---|---|---|${"---|".repeat(others.length)}`,
    ...rows.map((row) => {
      const share = row.of_peak === null ? "-" : `${(100 * row.of_peak).toFixed(0)} %`;
      return `| ${row.shape} | ${row.ms["relaxed SIMD"]?.toFixed(2) ?? "-"} | ${share} | ${others.map((name) => ratio(row, name)).join(" | ")} |`;
    }),
  ].join("\n");
}

const files = { "relaxed SIMD": positionals[0], plain: positionals[1] };
const modules = {};
for (const [name, file] of Object.entries(files)) {
  const wasm = await attend.load(file);
  if (wasm !== null) modules[name] = wasm;
  else console.error(`compare.mjs: ${name} does not run here, or its multiply-add is not fused`);
}
const rows = [];
for (const shape of shapes) {
  rows.push(await measure(shape, modules));
  console.log(JSON.stringify(rows.at(-1)));
}
console.log(table(rows));
if (!options.dry) {
  const text = readFileSync(PAGE, "utf8");
  const [before, rest] = text.split(BEGIN);
  writeFileSync(PAGE, `${before}${BEGIN}\n${table(rows)}\n${END}${rest.split(END)[1]}`);
}
process.exit(rows.every((row) => row.apart <= AGREE) ? 0 : 1);
