import { describe, expect, it } from "vitest";
import { fractionOf, inkOn, smallestLog, weightColor } from "../source/colors";
import { columnsOf, takenAsTheyAre, withNumber, withoutToken, withTokens, withVector } from "../source/edit";
import { domainOf, footOf, hullPath } from "../source/geometry";
import { listDigits } from "../source/ledger";
import { mostTokens, readFragment, type State } from "../source/state";

const two = "#tokens=a,b&q=1,2,3,4;5,6,7,8&k=1,2;3,4&v=1,2,3;4,5,6&heads=2&kv_heads=1&head=1&query=1&key=1";

describe("changes", () => {
  it("find the columns of a head, and of keys and values that heads share", () => {
    const state = readFragment(two);
    expect(columnsOf(state, "q", 1)).toEqual([2, 2]);
    expect(columnsOf(state, "k", 1)).toEqual([0, 2]);
    expect(columnsOf(state, "v", 1)).toEqual([0, 3]);
    expect(withNumber(state, "q", 0, 1, 9)).toEqual({ q: [[1, 2, 3, 9], [5, 6, 7, 8]] });
    expect(withVector(state, "v", 1, [7, 8])).toEqual({ v: [[1, 2, 3], [7, 8, 6]] });
    expect(state.v).toEqual([[1, 2, 3], [4, 5, 6]]); // the old state is as it was
  });

  it("keep the selection on the token that it was on", () => {
    const state = readFragment("#tokens=a,b,c&q=1;2;3&k=1;2;3&v=1;2;3&query=2&key=0");
    expect(withoutToken(state, 1)).toMatchObject({ tokens: ["a", "c"], q: [[1], [3]], query: 1, key: 0 });
    expect(withoutToken(state, 0)).toMatchObject({ query: 1, key: null });
    expect(withoutToken(state, 2)).toMatchObject({ query: 1, key: 0 });
  });

  it("add as many tokens as there is room for, with a row in each matrix", () => {
    const state = readFragment(two);
    const grown = { ...state, ...withTokens(state, "  x " + "y ".repeat(99)) } as State;
    expect(grown.tokens.length).toBe(mostTokens);
    expect(grown.tokens.slice(0, 4)).toEqual(["a", "b", "x", "y"]);
    for (const matrix of [grown.q!, grown.k!, grown.v!]) {
      expect(matrix.length).toBe(mostTokens);
      expect(new Set(matrix.map((row) => row.length)).size).toBe(1);
    }
  });

  it("take queries, keys and values as they came out of x", () => {
    const head = (shift: number) => ({ q: [[1 + shift]], k: [[2 + shift]], v: [[3 + shift, 4]] });
    const worked = { tokens: ["a"], heads: [head(0), head(10)] } as unknown as Parameters<typeof takenAsTheyAre>[0];
    expect(takenAsTheyAre(worked)).toMatchObject({ q: [[1, 11]], k: [[2, 12]], v: [[3, 4, 13, 4]], x: undefined });
  });
});

describe("the plane", () => {
  it("shows every point and the origin, one unit as long upwards as sideways", () => {
    for (const points of [[], [[0, 0]], [[5, 1]], [[-300, 20], [4, 900]], [[0.01, -0.02]]] as [number, number][][]) {
      const { left, right, bottom, top } = domainOf(points, 360, 300);
      expect((right - left) / 360).toBeCloseTo((top - bottom) / 300, 12);
      for (const [x, y] of [[0, 0], ...points]) expect(x > left && x < right && y > bottom && y < top).toBe(true);
    }
  });

  it("drops the key's shadow on the query's line", () => {
    expect(footOf([1, 1], [2, 0])).toEqual([1, 0]);
    expect(footOf([1, 1], [0, 0])).toBe(null);
  });

  it("draws the hull of one point, of two, and of many", () => {
    expect(hullPath([])).toBe("");
    expect(hullPath([[1, 2]])).toBe("M1,2Z");
    expect(hullPath([[1, 2], [3, 4]])).toBe("M1,2L3,4Z");
    expect(hullPath([[0, 0], [4, 0], [1, 1], [0, 4]])).not.toContain("1,1");
  });
});

describe("colours of weights", () => {
  const grey = (color: string) => color.match(/\d+/g)!.map(Number).reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);

  it.each(["light", "dark"] as const)("grow evenly in lightness, also in grey, %s", (theme) => {
    const greys = Array.from({ length: 51 }, (_, step) => grey(weightColor(theme, step / 50)));
    const sign = theme === "light" ? -1 : 1;
    for (let step = 1; step < greys.length; step++) expect((greys[step] - greys[step - 1]) * sign).toBeGreaterThan(0);
    expect(weightColor(theme, theme === "light" ? 0 : 1)).toBe("rgb(247, 251, 255)"); // the ends of cli/color_scale.c
    expect(weightColor(theme, theme === "light" ? 1 : 0)).toBe("rgb(8, 48, 107)");
    expect(inkOn(theme, 0)).not.toBe(inkOn(theme, 1));
  });

  it("stand on a linear or a logarithmic scale", () => {
    expect(fractionOf(0.25, false)).toBe(0.25);
    expect(fractionOf(0.25, false, 0.5)).toBe(0.5);
    expect(fractionOf(1, true)).toBe(1);
    expect(fractionOf(Math.sqrt(smallestLog), true)).toBeCloseTo(0.5, 12);
    expect(fractionOf(smallestLog / 2, true)).toBe(0);
    expect(fractionOf(0, true)).toBe(0);
  });
});

it("a list of whole numbers has no decimals, as on the command line", () => {
  expect(listDigits([1, 2, null], 3)).toBe(0);
  expect(listDigits([1, 2.5], 3)).toBe(3);
});
