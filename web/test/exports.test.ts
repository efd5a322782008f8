import { describe, expect, it } from "vitest";
import { gridCsv, ledgerText } from "../source/exports";
import { gridSvg } from "../source/grid_picture";
import { ledgerOf } from "../source/ledger";
import { load } from "../source/engine";

const engine = await load();
const worked = engine.work({
  tokens: ["a,b", 'say "x"', "<a,b>"],
  q: [[1, 0], [0, 1], [1, 1]],
  k: [[1, 0], [0, 1], [1, 1]],
  v: [[2, 0], [0, 2], [2, 2]],
  causal: true,
});
const head = worked.heads[0];

describe("exports", () => {
  it("writes the grid as CSV, doubles in full, hidden cells empty", () => {
    const lines = gridCsv(worked, head).split("\r\n");
    expect(lines[0]).toBe('query,"a,b","say ""x""","<a,b>"');
    expect(lines[1]).toBe('"a,b",1,,');
    expect(lines[4]).toBe("");
    expect(Number(lines[3].split(",").at(-1))).toBe(head.normalize[2][2]);
  });

  it("writes no token as a formula", () => {
    const tokens = ["=1+1", "@x", "-2", "+3", "a=b"];
    const rows = tokens.map(() => [1]);
    const plain = engine.work({ tokens, q: rows, k: rows, v: rows });
    const lines = gridCsv(plain, plain.heads[0]).split("\r\n");
    expect(lines[0]).toBe("query,'=1+1,'@x,'-2,'+3,a=b");
    expect(lines[1].split(",")[0]).toBe("'=1+1");
  });

  it("writes a ledger whose columns stand under each other", () => {
    const lines = ledgerText(ledgerOf(engine, worked, 0, 1), (value) => engine.decimals(value, 3)).split("\n");
    expect(lines).toHaveLength(6);
    expect(lines[0]).toMatch(/^query say "x" +q\.k +scaled +allowed +exponential +weight +v1 +v2 +weight\*v1 +weight\*v2$/);
    expect(lines[3]).toMatch(/<a,b> +1\.000 +0\.707 +hidden/);
    expect(lines[4]).toMatch(/^sum, mixture +3.028 +1\.000 +0\.660 +1\.340$/);
    expect(lines[1].indexOf("0.330")).toBe(lines[2].indexOf("0.670"));
  });

  it("writes the grid as SVG with every number, and hatches what is hidden", () => {
    const svg = gridSvg([{ title: "causal", weights: head.normalize }], worked.tokens, {
      color: () => "#eee",
      ink: () => "#000",
      text: (weight) => engine.decimals(weight, 2),
      scale: { title: "weights", stops: ["#fff", "#000"], least: "0", most: "1" },
    });
    expect(svg.match(/url\(#hatch\)/g)).toHaveLength(4); // three cells, and the legend
    expect(svg).toContain(">0.67</text>");
    expect(svg).toContain("say &quot;x&quot;");
    expect(svg).not.toContain("<a,b>");
  });
});
