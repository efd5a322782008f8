import { describe, expect, it } from "vitest";
import { load, type Example } from "../source/engine";
import { plus } from "../source/linear";
import { countPaths, edgesFrom, explainedShare, headParts, layerRefusal, runLayers, twoStepPaths } from "../source/layers";

const { work } = await load();

const napkin: Example = {
  tokens: ["it", "was", "tired"],
  q: [[1, 0], [0, 1], [1, 1]],
  k: [[1, 0], [0, 1], [1, 1]],
  v: [[2, 0], [0, 2], [2, 2]],
};
const heads: Example = {
  tokens: ["she", "fed", "her", "cat"],
  x: [[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1]],
  wq: [[2, 0, 0, 1], [0, 1, 2, 0], [1, 1, 0, 0]],
  wk: [[2, 0, 1, 0], [0, 2, 0, 1], [0, 0, 1, 1]],
  wv: [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0]],
  wo: [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]],
  heads: 2,
};
const close = (a: number[], b: number[]) => a.forEach((value, index) => expect(value).toBeCloseTo(b[index], 12));

describe("heads joined by W_O", () => {
  it("the parts add up to the output", () => {
    const worked = work(heads);
    const parts = headParts(work, heads, worked);
    expect(parts).toHaveLength(2);
    worked.output.forEach((row, token) => close(plus(parts[0][token], parts[1][token]), row));
  });
});

describe("a second layer", () => {
  it("takes the output as x, with the same matrices", () => {
    const [first, second] = runLayers(work, heads, { layers: 2, residual: false });
    expect(second!.example.x).toEqual(first!.worked.output);
    expect(second!.example.wq).toEqual(heads.wq);
  });

  it("adds x where there is a residual path", () => {
    const [first] = runLayers(work, heads, { layers: 1, residual: true });
    first!.result.forEach((row, token) => close(row, plus(first!.worked.output[token], heads.x![token])));
  });

  it("takes the output as query, key and value where there are no matrices", () => {
    const [first, second] = runLayers(work, napkin, { layers: 2, residual: true });
    expect(first!.result).toEqual(first!.worked.output);
    expect([second!.example.q, second!.example.k, second!.example.v]).toEqual([first!.result, first!.result, first!.result]);
  });

  it("adds positions only once", () => {
    const placed: Example = { ...heads, positions: "sinusoidal" };
    expect(runLayers(work, placed, { layers: 2, residual: true })[1].example.positions).toBe("none");
  });

  it("says why it does not fit", () => {
    const { wo: _wo, ...open } = heads;
    expect(layerRefusal(open, work(open).output)).toContain("the output has 4 numbers for each token, x has 3");
    expect(layerRefusal(heads, work(heads).output)).toBeUndefined();
    expect(layerRefusal(napkin, work(napkin).output)).toBeUndefined();
  });

  it("has one head where the output does not fit several", () => {
    const two: Example = { ...napkin, heads: 2, wo: [[1], [1]] };
    expect(runLayers(work, two, { layers: 2, residual: false })[1].example).toEqual({
      tokens: napkin.tokens, q: work(two).output, k: work(two).output, v: work(two).output,
    });
  });

  it("mixes the first values by the products of weights along the paths, where the output is the value", () => {
    const [first, second] = runLayers(work, napkin, { layers: 2, residual: false });
    const paths = twoStepPaths(first.worked, second.worked, 0);
    expect(paths).toHaveLength(9);
    const mixed = paths.reduce((sum, path) => plus(sum, napkin.v![path.tokens[0]].map((value) => path.weight * value)), [0, 0]);
    close(mixed, second.result[0]);
  });
});

describe("where the picture stops", () => {
  it("counts (heads x tokens) ^ layers paths", () => {
    const worked = work(heads);
    expect(countPaths(worked, { layers: 1, residual: false }, 0)).toBe(8n);
    expect(countPaths(worked, { layers: 3, residual: false }, 0)).toBe(512n);
    expect(countPaths(worked, { layers: 2, residual: true }, 0)).toBe(81n);
  });

  it("counts only what the mask lets through", () => {
    const worked = work({ ...heads, causal: true });
    expect(countPaths(worked, { layers: 2, residual: false }, 0)).toBe(4n);
    expect(countPaths(worked, { layers: 2, residual: false }, 1)).toBe(12n); // 2 heads * (2 + 4)
  });

  it("one layer is the sum of its edges, in every kind", () => {
    for (const kind of ["renormalise", "zero", "mean"] as const)
      expect(explainedShare(work, heads, { layers: 1, residual: false }, 0, 1, kind).share).toBeCloseTo(1, 12);
  });

  it("two layers are not", () => {
    for (const example of [heads, napkin]) {
      const two = explainedShare(work, example, { layers: 2, residual: false }, 0, 1, "zero");
      expect(two.share).toBeLessThan(0.99);
      expect(two.edges).toBe(edgesFrom(work(example), { layers: 2, residual: false }, 1).length);
    }
  });

  it("does over again, edge by edge, what its definition says", () => {
    const tower = { layers: 2, residual: true };
    const base = runLayers(work, heads, tower)[1].result[2];
    const edges = edgesFrom(work(heads), tower, 0);
    expect(edges).toHaveLength(16);
    const answer = (cut: typeof edges) => runLayers(work, heads, tower, cut, "mean")[1].result[2];
    const sum = edges.reduce((total, edge) => total.map((value, i) => value + answer([edge])[i] - base[i]), [0, 0, 0]);
    const explained = explainedShare(work, heads, tower, 2, 0, "mean");
    close(explained.sum, sum);
    close(explained.full, answer(edges).map((value, i) => value - base[i]));
  });
});
