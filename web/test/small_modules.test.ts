import { describe, expect, it } from "vitest";
import { blanksOf, check } from "../source/challenge";
import { load, type Example } from "../source/engine";
import { slope, steepest, weightsAtLength } from "../source/length";
import { isOrder, reversed, shuffled, shuffleTokens, turned } from "../source/shuffle";

const { work } = await load();

const napkin: Example = {
  tokens: ["it", "was", "tired"],
  q: [[1, 0], [0, 1], [1, 1]],
  k: [[1, 0], [0, 1], [1, 1]],
  v: [[2, 0], [0, 2], [2, 2]],
};

describe("challenge", () => {
  it("leaves a blank for every pair that is seen", () => {
    const head = work({ ...napkin, causal: true }).heads[0];
    expect(blanksOf(head, 1, "compare").map((blank) => blank.answer)).toEqual([0, 1]);
    expect(blanksOf(head, 2, "normalize")).toHaveLength(3);
    expect(blanksOf(head, 0, "combine").map((blank) => blank.answer)).toEqual([2, 0]);
  });

  it("checks to two decimals", () => {
    expect(check("0.33", 1 / 3)).toBe("right");
    expect(check(" .333 ", 1 / 3)).toBe("right");
    expect(check("0,33", 1 / 3)).toBe("right");
    expect(check("0.3", 1 / 3)).toBe("wrong");
    expect(check("0.12", 0.125)).toBe("right");
    expect(check("0.13", 0.125)).toBe("right");
    expect(check("\u22120.5", -0.5)).toBe("right");
    expect(check("", 1)).toBe("empty");
    expect(check("1e0", 1)).toBe("unreadable");
    expect(check("1/3", 1 / 3)).toBe("unreadable");
  });
});

describe("length of the vectors", () => {
  it("longer vectors make a spike, and the slope dies", () => {
    const worked = work(napkin);
    const at = (factor: number) => weightsAtLength(work, napkin.tokens, worked.heads[0], 2, worked.scale, factor);
    expect(at(1).weights).toEqual(worked.heads[0].normalize[2]);
    expect(Math.max(...at(0).weights)).toBeCloseTo(1 / 3, 12);
    expect(at(6).weights[2]).toBeGreaterThan(0.999);
    expect(at(6).slope).toBeLessThan(0.001);
    expect(slope(0.5)).toBe(0.25);
    expect(steepest([0.5, null, 0.5])).toBe(0.25);
  });
});

describe("shuffle", () => {
  it("without positions each token keeps its output", () => {
    for (const order of [reversed(3), turned(3)])
      expect(Math.max(...shuffleTokens(work, napkin, order).change)).toBeLessThan(1e-14);
  });

  it("under a causal mask it does not", () => {
    const { change, after } = shuffleTokens(work, { ...napkin, causal: true }, [2, 1, 0]);
    expect(after.tokens).toEqual(["tired", "was", "it"]);
    expect(Math.max(...change)).toBeGreaterThan(0.1);
  });

  it("orders are orders, and a shuffle moves something", () => {
    expect(isOrder([2, 0, 1], 3)).toBe(true);
    expect(isOrder([0, 0, 1], 3)).toBe(false);
    expect(shuffled(4, () => 0.999)).toEqual(turned(4));
    expect(isOrder(shuffled(7, Math.random), 7)).toBe(true);
  });

  it("takes hidden pairs along", () => {
    const hidden = [[false, true, false], [false, false, false], [false, false, false]];
    expect(Math.max(...shuffleTokens(work, { ...napkin, hidden }, [2, 0, 1]).change)).toBeLessThan(1e-14);
  });
});
