// layers.ts - heads joined by W_O, layers on top of each other, and where the picture stops.
//
// A second layer takes what the first one put out as its x. Its matrices are the first layer's again; where the example
// came as q, k and v and so has no matrices, a token's output is its query, its key and its value. Nothing else is
// assumed, and every number is the engine's.
import { cutHead, seenKeys, type CutKind, type Edge, type Work } from "./cuts";
import type { Example, Matrix, Worked } from "./engine";
import { minus, norm, plus, type Vector } from "./linear";

export interface LayerEdge extends Edge {
  layer: number; // 0 is the first
}

/** Mixtures of all heads, [head][token][width], side by side and times W_O when the example has one. */
export function joinHeads(work: Work, example: Example, mixtures: Matrix[]): Matrix {
  const tokens = example.tokens;
  const side = tokens.map((_, token) => mixtures.flatMap((mixture) => mixture[token]));
  if (!example.wo) return side;
  // Each token sees itself alone, so that its weight is 1 and the engine does nothing but the product.
  const zeros = tokens.map(() => mixtures.map(() => 0));
  const hidden = tokens.map((_, row) => tokens.map((__, column) => column !== row));
  return work({ tokens, q: zeros, k: zeros, v: side, heads: mixtures.length, wo: example.wo, hidden }).output;
}

/** What each head adds to the output: its mixture times its rows of W_O, the others 0. [head][token][width] */
export function headParts(work: Work, example: Example, worked: Worked): Matrix[] {
  return worked.heads.map((_, chosen) => {
    const alone = worked.heads.map((head, index) =>
      index === chosen ? head.combine : head.combine.map((row) => row.map(() => 0)),
    );
    return joinHeads(work, example, alone);
  });
}

const widthOf = (rows: Matrix): number => rows[0].length;

/** Why no layer can stand on top of this one, or undefined. */
export function layerRefusal(example: Example, output: Matrix): string | undefined {
  if (!example.x || widthOf(output) === widthOf(example.x)) return undefined;
  return `the output has ${widthOf(output)} numbers for each token, x has ${widthOf(example.x)}: the same layer does not fit on top`;
}

/** Whether an output of this width can be shared out to the heads again, and multiplied by W_O again. */
function fitsAgain(example: Example, width: number): boolean {
  const heads = example.heads ?? 1;
  const joins = !example.wo || example.wo.length === width;
  return width % heads === 0 && joins && (example.positions !== "rotary" || (width / heads) % 2 === 0);
}

/** What comes out of a layer: its output, and x when there is a residual path around it. */
export function layerResult(example: Example, output: Matrix, residual: boolean): Matrix {
  const x = example.x;
  return residual && x ? output.map((row, token) => plus(row, x[token])) : output;
}

/**
 * The layer on top, on what came out of the one below: the same layer again. Without x, where the output is too narrow
 * or too wide for the heads, it has one head, no W_O and no positions.
 */
export function nextLayer(example: Example, result: Matrix): Example {
  const { x: _x, q: _q, k: _k, v: _v, ...rest } = example;
  if (example.x) return { ...rest, x: result, ...(rest.positions === "sinusoidal" ? { positions: "none" as const } : {}) };
  const { heads, kv_heads: _shared, wo: _wo, positions: _positions, ...plain } = rest;
  const again = fitsAgain(example, widthOf(result)) ? { ...rest, kv_heads: heads ?? 1 } : plain;
  return { ...again, q: result, k: result, v: result };
}

export interface Layer {
  example: Example;
  worked: Worked;
  result: Matrix;
}

function runLayer(work: Work, example: Example, residual: boolean, edges: Edge[], kind: CutKind): Layer {
  const worked = work(example);
  let output = worked.output;
  if (edges.length > 0) {
    const mixtures = worked.heads.map((head, index) => {
      const cut = edges.filter((edge) => edge.head === index);
      return cut.length > 0 ? cutHead(work, worked, head, cut, kind) : head.combine;
    });
    output = joinHeads(work, example, mixtures);
  }
  return { example, worked, result: layerResult(example, output, residual) };
}

export interface Tower {
  layers: number;
  residual: boolean;
}

/** The layers, first at the bottom; `below` are those already worked out. */
export function runLayers(work: Work, example: Example, tower: Tower, edges: LayerEdge[] = [], kind: CutKind = "zero", below: Layer[] = []): Layer[] {
  const layers = [...below];
  while (layers.length < tower.layers) {
    const top = layers[layers.length - 1];
    const here = edges.filter((edge) => edge.layer === layers.length);
    const next = top ? nextLayer(top.example, top.result) : example;
    layers.push(runLayer(work, next, tower.residual, here, kind));
  }
  return layers;
}

/**
 * The number of paths that end in one query: in each layer a path chooses a head and a key that its query sees, or,
 * with a residual path, the way around. Without mask and residual this is (heads x tokens) ^ layers.
 */
export function countPaths(worked: Worked, tower: Tower, query: number): bigint {
  const heads = BigInt(worked.heads.length);
  let paths: bigint[] = worked.tokens.map(() => 1n);
  for (let layer = 0; layer < tower.layers; layer++)
    paths = paths.map((around, row) => {
      const through = seenKeys(worked.heads[0], row).reduce((sum, key) => sum + paths[key], 0n);
      return heads * through + (tower.residual ? around : 0n);
    });
  return paths[query];
}

export interface Explained {
  edges: number; // how many edges carry the key token
  full: Vector; // the answer with all of them cut, minus the answer
  sum: Vector; // the sum of what each does when it alone is cut
  share: number | undefined; // 1 - |full - sum| / |full|; undefined when cutting all changes nothing
}

/** Every edge that leaves the token at `key`: in each layer, in each head, to each query that sees it. */
export function edgesFrom(worked: Worked, tower: Tower, key: number): LayerEdge[] {
  const edges: LayerEdge[] = [];
  for (let layer = 0; layer < tower.layers; layer++)
    worked.heads.forEach((head, index) =>
      head.normalize.forEach((row, query) => {
        if (row[key] !== null) edges.push({ layer, head: index, query, key });
      }),
    );
  return edges;
}

/**
 * How much of a token's effect on the answer single-edge cuts explain. The answer is what comes out of the top layer
 * at `query`. Full effect: all edges from the token are cut together. Sum: each is cut alone, and the effects added.
 */
export function explainedShare(work: Work, example: Example, tower: Tower, query: number, key: number, kind: CutKind): Explained {
  const base = runLayers(work, example, tower);
  const answer = (layers: Layer[]): Vector => layers[layers.length - 1].result[query];
  const edges = edgesFrom(base[0].worked, tower, key);
  const full = minus(answer(runLayers(work, example, tower, edges, kind)), answer(base));
  const sum = edges.reduce((total, edge) => {
    const cut = runLayers(work, example, tower, [edge], kind, base.slice(0, edge.layer));
    return plus(total, minus(answer(cut), answer(base)));
  }, full.map(() => 0));
  const size = norm(full);
  return { edges: edges.length, full, sum, share: size === 0 ? undefined : 1 - norm(minus(full, sum)) / size };
}

export interface Path {
  heads: [number, number]; // in the first layer, in the second
  tokens: [number, number, number]; // from, through, to
  weight: number; // product of the two weights
}

/** All paths of two layers that end in one query, heaviest first. In each pair of heads their weights sum to 1. */
export function twoStepPaths(first: Worked, second: Worked, query: number): Path[] {
  const paths: Path[] = [];
  second.heads.forEach((upper, above) =>
    first.heads.forEach((lower, below) =>
      upper.normalize[query].forEach((weight, through) =>
        lower.normalize[through].forEach((part, from) => {
          if (weight !== null && part !== null)
            paths.push({ heads: [below, above], tokens: [from, through, query], weight: weight * part });
        }),
      ),
    ),
  );
  return paths.sort((a, b) => b.weight - a.weight);
}
