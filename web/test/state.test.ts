import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { load } from "../source/engine";
import { exampleOf, FragmentError, readFragment, writeFragment } from "../source/state";

const program = process.env.ATTEND_PROGRAM ?? join(__dirname, "../../build/release/attend");
const engine = await load();

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
    [cat.replace("q=0,1", "q=0,1e22"), "row 1, column 2 of q: 1e22 is past 1e21, the largest number here"],
    [cat + "&key=2", "key is 2, the last of 2 tokens is 1"],
    [cat + "&head=1", "head is 1, the last of 1 head is 0"],
    [cat + "&level=loud", 'level: "loud" is not one of words, numbers, algebra'],
    [cat + "&preset=%", 'preset, "%", is not percent-encoded text'],
    ["#tokens=a" + ",a".repeat(32), "33 tokens, the page shows at most 32"],
  ])("refuses %s, which only the page looks at", (text, message) => {
    expect(() => readFragment(text)).toThrow(FragmentError);
    expect(() => readFragment(text)).toThrow(message);
  });

  it.each([
    cat + "&colour=red", cat + "&causal=yes", cat + "&q=1,1;1,1", cat + "&query=2", cat + "&query=-1", cat + "&heads=0",
    cat + "&kv_heads=1.5", cat + "&positions=turned", cat + "&scale=x", cat + "&heads=3",
    cat.replace("q=0,1;1,1", "q=0,1;1"), cat.replace("q=0,1;1,1", "q=0,1"), cat.replace("q=0,1;1,1", "q=0,1,2;1,1,2"),
    cat.replace("q=0,1", "q=0,one"), cat.replace("q=0,1", "q=0,0x10"), cat.replace("q=0,1", "q=0,"),
    cat.replace("tokens=", "tokens=a%00"), cat.replace("cat", "%2"), cat.replace("&v=1,0;4,0", ""), cat + "&x=1;2",
    "#tokens=%E0%A4%A&q=1", "#tokens", "#__proto__=1", "#q=1&k=1&v=1", "#tokens=a", "#",
  ])("says of %s what the command line says", (text) => {
    const { stderr, status } = spawnSync(program, ["trace", text], { encoding: "utf8" });
    expect(status).toBe(2);
    const said = stderr.split("\n")[0].replace(/^attend: error: (fragment: )?/, "");
    let message = "";
    try {
      engine.work(exampleOf(readFragment(text)));
    } catch (error) {
      message = (error as Error).message;
    }
    expect(message).toBe(said);
  });
});
