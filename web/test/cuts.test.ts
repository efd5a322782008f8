import { describe, expect, it } from "vitest";
import { cutEdge, cutKinds, meanValue, seenKeys } from "../source/cuts";
import { load, type Example } from "../source/engine";

const { work } = await load();

const cat: Example = {
  tokens: ["the", "cat", "sat", "down"],
  q: [[0, 1], [1, 1], [2, 0], [1, 0]],
  k: [[0, 1], [2, 0], [1, 1], [0, 2]],
  v: [[1, 0], [4, 0], [0, 2], [1, 1]],
};

describe("cutting one edge", () => {
  for (const causal of [false, true])
    for (const kind of cutKinds)
      it(`${kind}${causal ? ", causal" : ""}: the closed form is the rerun, for every edge`, () => {
        const worked = work({ ...cat, causal });
        let edges = 0;
        for (let query = 0; query < 4; query++)
          for (const key of seenKeys(worked.heads[0], query)) {
            if (causal && query === 0 && kind === "renormalise") continue; // its only key: nothing is left
            const cut = cutEdge(work, worked, { head: 0, query, key }, kind)!;
            cut.rerun.forEach((value, index) => expect(value).toBeCloseTo(cut.closed[index], 13));
            edges++;
          }
        expect(edges).toBe(causal ? (kind === "renormalise" ? 9 : 10) : 16);
      });

  it("keeps its digits where softmax spikes, and has no answer without other weights", () => {
    const spike = (q: number) => work({ ...cat, q: [[0, 1], [1, 1], [q, 0], [1, 0]], k: [[0, 1], [8, 0], [1, 1], [0, 2]] });
    const cut = cutEdge(work, spike(8), { head: 0, query: 2, key: 1 }, "renormalise")!;
    expect(cut.weight).toBe(1);
    cut.rerun.forEach((value, index) => expect(value).toBeCloseTo(cut.closed[index], 13));
    expect(cutEdge(work, spike(1e7), { head: 0, query: 2, key: 1 }, "renormalise")!.closed).toEqual([NaN, NaN]);
  });

  it("moves no other query", () => {
    const worked = work(cat);
    const cut = cutEdge(work, worked, { head: 0, query: 2, key: 1 }, "renormalise")!;
    expect(cut.before).toEqual(worked.heads[0].combine[2]);
    expect(cut.after).not.toEqual(cut.before);
  });

  it("leaves nothing to cut where the key is hidden", () => {
    expect(cutEdge(work, work({ ...cat, causal: true }), { head: 0, query: 0, key: 3 }, "zero")).toBeUndefined();
  });

  it("takes the mean over the values that the query sees", () => {
    expect(meanValue(work({ ...cat, causal: true }).heads[0], 1)).toEqual([2.5, 0]);
    expect(meanValue(work(cat).heads[0], 1)).toEqual([1.5, 0.75]);
  });
});
