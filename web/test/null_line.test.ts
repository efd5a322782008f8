import { describe, expect, it } from "vitest";
import { load } from "../source/engine";
import { dot, norm, nullSpace, projection, solve, transpose } from "../source/linear";
import { divergence, lineThrough, reachOf, sameMixtureDirections, weightsAt } from "../source/null_line";

const { work } = await load();

const tokens = ["a", "b", "c", "d"];
const k = [[1, 0], [0, 1], [1, 1], [-1, 1]];
const v = [[2, 0], [0, 2], [1, 1], [-1, 0]];
const q = [[1.5, 0.5], [0, 0], [0, 0], [0, 0]];
const worked = work({ tokens, q, k, v });
const weights = worked.heads[0].normalize[0] as number[];
const line = () => lineThrough(weights, sameMixtureDirections(v)[0]);
const rounded = (row: number[]) => row.map((value) => value.toFixed(4));

describe("different weights, same mixture", () => {
  it("starts from the weights and the mixture of the text", () => {
    expect(rounded(weights)).toEqual(["0.3238", "0.1597", "0.4612", "0.0553"]);
    expect(rounded(worked.heads[0].combine[0])).toEqual(["1.0536", "0.7805"]);
  });

  it("finds the one direction, (-3, -3, 6, 0) but for its length", () => {
    const directions = sameMixtureDirections(v);
    expect(directions).toHaveLength(1);
    expect(directions[0].map((value) => value * 3 + 0)).toEqual([-3, -3, 6, 0]);
  });

  it("reaches the other weights with the same mixture", () => {
    const other = weightsAt(weights, line(), -0.999);
    expect(rounded(other)).toEqual(["0.5542", "0.3900", "0.0005", "0.0553"]);
    transpose(v).forEach((column, index) => expect(dot(other, column)).toBeCloseTo(worked.heads[0].combine[0][index], 14));
    expect(divergence(weights, other)).toBeCloseTo(0.198, 3);
  });

  it("says that no query makes them, and by how much", () => {
    const other = weightsAt(weights, line(), -0.999);
    const reach = reachOf(other, k, worked.scale);
    expect(reach.kind).toBe("unreachable");
    if (reach.kind !== "unreachable") return;
    expect(reach.contrast).toEqual([0, -2, 1, 1]);
    expect(reach.residual).toBeCloseTo(-8.69, 2);
    expect(reach.distance).toBeCloseTo(8.69 / Math.sqrt(6), 2);
  });

  it("gives back the query of weights that a query made", () => {
    const reach = reachOf(weights, k, worked.scale);
    expect(reach.kind).toBe("reachable");
    if (reach.kind === "reachable") reach.query.forEach((value, index) => expect(value).toBeCloseTo(q[0][index], 12));
  });

  it("a weight of 0 is made by no query", () => {
    expect(reachOf(weightsAt(weights, line(), -1), k, worked.scale)).toEqual({ kind: "zero", index: 2 });
    expect(weightsAt(weights, line(), 1)[1]).toBe(0);
  });

  it("keeps every weight, and their sum, all along the line", () => {
    for (let place = -1; place <= 1; place += 0.125) {
      const moved = weightsAt(weights, line(), place);
      expect(Math.min(...moved)).toBeGreaterThanOrEqual(0);
      expect(moved.reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 14);
    }
    expect(weightsAt(weights, line(), 0)).toEqual(weights);
  });

  it("has no direction when the values are at the corners of a triangle", () => {
    expect(sameMixtureDirections([[0, 0], [1, 0], [0, 1]])).toEqual([]);
  });

  it("has one direction for each token too many", () => {
    const values = [[0, 0], [1, 0], [0, 1], [1, 1], [2, 3], [-1, 4]];
    const directions = sameMixtureDirections(values);
    expect(directions).toHaveLength(3);
    for (const direction of directions) {
      expect(dot(direction, values.map(() => 1))).toBeCloseTo(0, 12);
      for (const column of transpose(values)) expect(dot(direction, column)).toBeCloseTo(0, 12);
    }
  });

  it("sometimes a query can: three values on a line, three keys at corners", () => {
    const corners = [[1, 0], [0, 1], [-1, -1]];
    const before = work({ tokens: ["a", "b", "c"], q: [[1, 0], [0, 0], [0, 0]], k: corners, v: [[0, 0], [1, 1], [2, 2]] });
    const row = before.heads[0].normalize[0] as number[];
    const moved = weightsAt(row, lineThrough(row, sameMixtureDirections([[0, 0], [1, 1], [2, 2]])[0]), 0.5);
    const reach = reachOf(moved, corners, before.scale);
    expect(reach.kind).toBe("reachable");
    if (reach.kind !== "reachable") return;
    const after = work({ tokens: ["a", "b", "c"], q: [reach.query, [0, 0], [0, 0]], k: corners, v: [[0, 0], [1, 1], [2, 2]] });
    after.heads[0].normalize[0].forEach((weight, index) => expect(weight).toBeCloseTo(moved[index], 12));
    after.heads[0].combine[0].forEach((value, index) => expect(value).toBeCloseTo(before.heads[0].combine[0][index], 12));
  });
});

describe("linear algebra", () => {
  it("null space and rows are at right angles", () => {
    const rows = [[1, 2, 3, 4], [2, 4, 6, 8], [0, 1, -1, 0.5]];
    const basis = nullSpace(rows, 4);
    expect(basis).toHaveLength(2);
    for (const vector of basis) for (const row of rows) expect(dot(vector, row)).toBeCloseTo(0, 12);
  });

  it("solves a system with a free column", () => {
    const rows = [[1, 0, 1], [0, 2, 2]];
    const solution = solve(rows, [3, 4]);
    expect(rows.map((row) => dot(row, solution))).toEqual([3, 4]);
  });

  it("projects onto a plane", () => {
    expect(projection([1, 2, 3], [[1, 0, 0], [1, 1, 0], [2, 1, 0]])).toEqual([1, 2, 0]);
    expect(norm([3, 4])).toBe(5);
  });
});
