import { describe, expect, it } from "vitest";
import { FragmentError, readFragment, writeFragment } from "../source/state";

const cat = "#tokens=the,cat&q=0,1;1,1&k=0,1;2,0&v=1,0;4,0";

describe("the fragment", () => {
  it("gives the state back that wrote it", () => {
    const text = "#tokens=a%2Cb,%C3%A9%26%3D%23,%27&q=1.5,-2;0.1,1e-7;3,4&k=1,2;3,4;5,6&v=1;2;1e%2B21".replace("%2B", "+");
    const state = readFragment(text + "&causal=1&scale=0.25&query=1&key=2&level=algebra&view=hand&page-cut=0.1%3B2");
    expect(state.tokens).toEqual(["a,b", "é&=#", "'"]);
    expect(state.q).toEqual([[1.5, -2], [0.1, 1e-7], [3, 4]]);
    expect(state.own).toEqual({ cut: "0.1;2" });
    expect(readFragment(writeFragment(state))).toEqual(state);
  });

  it("writes doubles so that the same ones come back", () => {
    const state = readFragment(cat);
    state.q = [[0.1 + 0.2, 1 / 3], [5e-324, 1e21]];
    expect(readFragment(writeFragment(state)).q).toEqual(state.q);
  });

  it.each([
    [cat + "&colour=red", 'unknown key "colour"'],
    [cat + "&causal=yes", 'causal is 0 or 1, not "yes"'],
    [cat + "&q=1,1;1,1", "q is given twice"],
    [cat + "&query=2", "query is 2, the last token is 1"],
    [cat.replace("q=0,1;1,1", "q=0,1;1"), "q: row 1 has 1 numbers, row 0 has 2"],
    [cat.replace("q=0,1;1,1", "q=0,1"), "q has 1 rows for 2 tokens"],
    [cat.replace("q=0,1", "q=0,one"), 'q: "one" is not a number'],
    [cat.replace("q=0,1", "q=0,0x10"), 'q: "0x10" is not a number'],
    [cat.replace("q=0,1", "q=0,1e22"), "q: 1e22 is past 1e21, the largest number here"],
    [cat.replace("tokens=", "tokens=a%00"), '"a%00the" is not percent-encoded text'],
    [cat.replace("&v=1,0;4,0", ""), "v is missing"],
    ["#tokens=%E0%A4%A&q=1", "is not percent-encoded text"],
    ["#tokens", 'has no "="'],
    ["#__proto__=1", 'unknown key "__proto__"'],
  ])("refuses %s", (text, message) => {
    expect(() => readFragment(text)).toThrow(FragmentError);
    expect(() => readFragment(text)).toThrow(message);
  });
});
