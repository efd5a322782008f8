/* The panels below the frame: what they show against the command line and against their closed forms. */
import { readFileSync } from "node:fs";
import type { Browser, Download, Locator, Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cutKinds, type CutKind } from "../source/cuts";
import type { Worked } from "../source/engine";
import { printed as attend, fragmentOf, held, launch, native, settled, visit } from "./browser";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

const cat = "#tokens=the,cat,sat,down&q=0,1;1,1;2,0;1,0&k=0,1;2,0;1,1;0,2&v=1,0;4,0;0,2;1,1&query=2";
const napkin = "#tokens=it,was,tired&q=1,0;0,1;1,1&k=1,0;0,1;1,1&v=2,0;0,2;2,2&query=2";

/** A panel, opened; its body. */
async function open(tab: Tab, id: string): Promise<Locator> {
  const panel = tab.locator(`details#${id}`);
  if ((await panel.getAttribute("open")) === null) await panel.locator("summary").press("Enter");
  await settled(tab);
  return panel.locator("[data-panel]");
}

async function start(tab: Tab, preset: string): Promise<void> {
  await tab.getByLabel("Start from").selectOption({ label: preset });
  await settled(tab);
}

/** "(1.054, 0.781)" as numbers. */
const vectorOf = (text: string): number[] => text.match(/-?\d+(\.\d+)?(e[-+]\d+)?/g)!.map(Number);

/** Every number shown is that number to three decimals: half of the last, and a rounding of the double. */
function expectShown(shown: number[], exact: number[], digits = 3): void {
  expect(shown).toHaveLength(exact.length);
  shown.forEach((value, index) => expect(Math.abs(value - exact[index])).toBeLessThanOrEqual(0.5 * 10 ** -digits + 1e-12));
}

/** The texts of a row; the spaces that do not break count as spaces. */
const cells = async (row: Locator): Promise<string[]> =>
  (await row.locator("th, td").allInnerTexts()).map((text) => text.replaceAll("\u00a0", " "));

describe("different weights, same mixture", () => {
  it("shows the other weights, the same mixture, and that no query makes them", async () => {
    const { tab, faults } = await visit(browser);
    await start(tab, "different weights, same mixture");
    const panel = await open(tab, "other-weights");
    const rows = await panel.locator("tbody tr").all();
    const weights = await Promise.all(rows.map(async (row) => await cells(row)));
    expect(weights.map((row) => row[1])).toEqual(["0.3238", "0.1597", "0.4612", "0.0553"]);
    expect(weights.map((row) => row[3])).toEqual(["0.5542", "0.3900", "0.0005", "0.0553"]);
    const [, own, other] = await cells(panel.locator("tfoot tr"));
    expect([own, other]).toEqual(["(1.0536, 0.7805)", "(1.0536, 0.7805)"]);
    expect(await panel.locator("[data-lamp]").getAttribute("data-lamp")).toBe("unreachable");
    expect(await panel.locator("[data-lamp]").innerText()).toContain("-8.69");
    expect(weights.map((row) => row[1])).toEqual(native(await fragmentOf(tab)).heads[0].normalize[0].map((w) => w!.toFixed(4)));
    expect(faults).toEqual([]);
  });

  it("the slider goes by keyboard from end to end, and the link brings it back", async () => {
    const { tab } = await visit(browser);
    await start(tab, "different weights, same mixture");
    const panel = await open(tab, "other-weights");
    const slider = panel.getByRole("slider");
    await slider.press("Home");
    await settled(tab);
    expect(await panel.locator("[data-lamp]").getAttribute("data-lamp")).toBe("zero");
    await slider.press("End");
    await settled(tab);
    expect(await panel.locator("[data-lamp]").getAttribute("data-lamp")).toBe("zero");
    const there = await panel.innerText();
    const again = await visit(browser, await fragmentOf(tab));
    expect(await (await open(again.tab, "other-weights")).innerText()).toBe(there);
    await panel.getByRole("button", { name: "back to" }).press("Enter");
    await settled(tab);
    expect(await panel.locator("[data-lamp]").getAttribute("data-lamp")).toBe("reachable");
  });

  it("where a query can, putting it in makes the other weights, on the command line too", async () => {
    const { tab } = await visit(browser);
    await start(tab, "the same, and a query can");
    const panel = await open(tab, "other-weights");
    const before = await held(tab);
    const other = await panel.locator("tbody tr td:nth-child(4)").allInnerTexts();
    expect(await panel.locator("[data-lamp]").getAttribute("data-lamp")).toBe("reachable");
    await panel.getByRole("button", { name: "put this query in" }).press("Enter");
    await settled(tab);
    const after = native(await fragmentOf(tab));
    expectShown(other.map(Number), after.heads[0].normalize[0] as number[], 4);
    after.heads[0].combine[0].forEach((value, index) => expect(value).toBeCloseTo(before.heads[0].combine[0][index], 12));
    expect(after.heads[0].normalize[0][0]).not.toBeCloseTo(before.heads[0].normalize[0][0]!, 2);
  });
});

describe("scissors", () => {
  /** The closed form from the numbers of the command line. */
  function closed(worked: Worked, query: number, key: number, kind: CutKind): number[] {
    const head = worked.heads[0];
    const a = head.normalize[query][key]!;
    const seen = head.v.filter((_, index) => head.normalize[query][index] !== null);
    return head.v[key].map((u, e) => {
      const o = head.combine[query][e];
      if (kind === "zero") return -a * u;
      if (kind === "mean") return a * (seen.reduce((sum, value) => sum + value[e], 0) / seen.length - u);
      return (a / (1 - a)) * (o - u);
    });
  }

  it.each([cat, napkin, cat + "&causal=1"])("every key of every query, in three kinds: %s", async (fragment) => {
    const worked = native(fragment);
    const { tab, faults } = await visit(browser, fragment + "&level=algebra");
    const panel = await open(tab, "scissors");
    let cut = 0;
    for (let query = 0; query < worked.tokens.length; query++)
      for (let key = 0; key < worked.tokens.length; key++) {
        const weight = worked.heads[0].normalize[query][key];
        if (weight === null || weight === 1) continue;
        await tab.evaluate(([i, j]) => globalThis.attend.select({ query: i, key: j }), [query, key]);
        await settled(tab);
        for (const kind of cutKinds) {
          const [, after, rerun, formula] = await cells(panel.locator(`[data-cut=${kind}]`));
          const change = closed(worked, query, key, kind);
          expectShown(vectorOf(rerun), change);
          expectShown(vectorOf(formula), change);
          expectShown(vectorOf(after), change.map((value, e) => worked.heads[0].combine[query][e] + value));
          cut++;
        }
      }
    expect(cut).toBeGreaterThan(24);
    expect(faults).toEqual([]);
  });

  it("a heavy weight that does nothing", async () => {
    const { tab } = await visit(browser);
    await start(tab, "a heavy weight that does nothing");
    const panel = await open(tab, "scissors");
    expect(vectorOf((await cells(panel.locator("[data-cut=renormalise]")))[2])).toEqual([0, 0]);
    expect(await panel.locator(".fact").innerText()).toContain("“loud” has the largest weight, but");
  });

  it("the only key of a query leaves nothing", async () => {
    const { tab } = await visit(browser, cat.replace("query=2", "query=0") + "&causal=1");
    const panel = await open(tab, "scissors");
    const [, after, , formula] = await cells(panel.locator("[data-cut=renormalise]"));
    expect(vectorOf(after)).toEqual([0, 0]);
    expect(formula).toContain("none");
  });
});

describe("several heads", () => {
  it("the parts add up to the output of the command line", async () => {
    const { tab, faults } = await visit(browser);
    await start(tab, "two heads and W_O");
    const panel = await open(tab, "heads");
    const output = native(await fragmentOf(tab)).output;
    expectShown(vectorOf(await panel.locator("[data-output]").innerText()), output[3]);
    const parts = (await panel.locator("[data-part]").allInnerTexts()).map(vectorOf);
    parts[0].forEach((value, index) => expect(value + parts[1][index]).toBeCloseTo(output[3][index], 2));
    expect(faults).toEqual([]);
  });

  it("heads are added up to four, joined, chosen and taken away, all by keyboard", async () => {
    const { tab } = await visit(browser, cat);
    const panel = await open(tab, "heads");
    const add = panel.getByRole("button", { name: "+ add a head" });
    for (let heads = 2; heads <= 4; heads++) await add.press("Enter");
    expect(await add.isDisabled()).toBe(true);
    await panel.getByRole("switch", { name: "join with W_O" }).press("Space");
    await panel.getByRole("button", { name: "head 3", exact: true }).press("Enter");
    const field = panel.getByLabel("W_O, row 3, column 1", { exact: true });
    await field.fill("2");
    await field.press("Enter");
    await settled(tab);
    const fragment = await fragmentOf(tab);
    expect(fragment).toContain("heads=4");
    expect(fragment).toContain("head=2");
    expectShown(vectorOf(await panel.locator("[data-output]").innerText()), native(fragment).output[2]);
    for (let heads = 3; heads >= 1; heads--) await panel.getByRole("button", { name: "remove the last" }).press("Enter");
    await settled(tab);
    expect((await held(tab)).heads).toHaveLength(1);
    expect((await held(tab)).heads[0]).toEqual(native(cat).heads[0]);
  });
});

describe("a second layer", () => {
  const heads =
    "#tokens=she,fed,her,cat&x=1,0,1;0,1,0;1,0,0;0,1,1&wq=2,0,0,1;0,1,2,0;1,1,0,0&wk=2,0,1,0;0,2,0,1;0,0,1,1" +
    "&wv=1,0,0,1;0,1,1,0;1,1,0,0&wo=1,0,0;0,1,0;0,1,0;0,0,1&heads=2&query=3";

  it.each([cat, napkin, heads, heads + "&causal=1"])("is what its command prints: %s", async (fragment) => {
    const { tab, faults } = await visit(browser, fragment);
    const panel = await open(tab, "second-layer");
    const command = (await panel.locator("code").innerText()).match(/^attend trace '(#.*)'$/)!;
    const second = native(command[1]);
    const query = Number(/query=(\d)/.exec(fragment)![1]);
    expectShown(vectorOf(await panel.locator("[data-second-output]").innerText()), second.output[query]);
    const shown = await panel.locator("[data-second]").allInnerTexts();
    second.heads[0].normalize[query].forEach((weight, key) =>
      weight === null ? expect(shown[key]).toBe("hidden") : expectShown([Number(shown[key])], [weight]),
    );
    expect(faults).toEqual([]);
  });

  it("with the residual path x is added before the second layer and after it", async () => {
    const { tab } = await visit(browser, heads);
    const panel = await open(tab, "second-layer");
    await panel.getByRole("switch").press("Space");
    await settled(tab);
    const second = native((await panel.locator("code").innerText()).match(/'(#.*)'/)![1]);
    const first = native(heads);
    const x = [0, 1, 1];
    const between = first.output[3].map((value, index) => value + x[index]);
    expectShown(
      vectorOf(await panel.locator("[data-second-output]").innerText()),
      second.output[3].map((value, index) => value + between[index]),
    );
    expect(await fragmentOf(tab)).toContain("page-residual=1");
  });

  it("says where none fits", async () => {
    const { tab } = await visit(browser, heads.replace(/&wo=[^&]*/, ""));
    expect(await (await open(tab, "second-layer")).innerText()).toContain("the output has 4 numbers for each token, x has 3");
  });
});

describe("where the picture stops", () => {
  it("one layer is all explained, more are not, and the paths are counted", async () => {
    const { tab, faults } = await visit(browser, cat);
    const panel = await open(tab, "where-it-stops");
    expect((await panel.locator("[data-paths]").allInnerTexts()).map(Number)).toEqual([4, 16, 64, 256]);
    const shares = (await panel.locator("[data-share]").allInnerTexts()).map(parseFloat);
    expect(shares[0]).toBe(100);
    for (const share of shares.slice(1)) expect(share).toBeLessThan(99);
    expect(faults).toEqual([]);
  });

  it("is worked out again when a drag comes to rest, not for each of its frames", async () => {
    const { tab } = await visit(browser, cat);
    const panel = await open(tab, "where-it-stops");
    const text = () => panel.locator("table").innerText();
    const before = await text();
    const [busy, during] = await tab.evaluate(async () => {
      for (let i = 1; i <= 5; i++) {
        const q = globalThis.attend.state.q!.map((row, token) => (token === globalThis.attend.state.query ? [i, -i] : row));
        globalThis.attend.change({ q }, "drag");
        await new Promise((done) => requestAnimationFrame(done));
      }
      const panel = document.querySelector<HTMLElement>("[data-panel=stops]")!;
      return [panel.getAttribute("aria-busy"), panel.querySelector("table")!.innerText];
    });
    expect([busy, during]).toEqual(["true", before]);
    await panel.and(tab.locator("[aria-busy=false]")).waitFor();
    const after = await text();
    expect(after).not.toBe(before);
    const { tab: fresh } = await visit(browser, await fragmentOf(tab)); // with the panel open
    expect(await fresh.locator("[data-panel=stops] table").innerText()).toBe(after);
  });
});

describe("try it yourself", () => {
  it("a whole row worked out by keyboard from the command line’s numbers", async () => {
    const { tab, faults } = await visit(browser, cat);
    const head = native(cat).heads[0];
    const panel = await open(tab, "challenge");
    const answers = [head.compare[2], head.scale[2], head.normalize[2], head.combine[2]] as number[][];
    for (const [step, row] of answers.entries()) {
      const blanks = panel.locator("[data-blank]");
      await blanks.first().focus();
      for (const answer of row) {
        expect(await tab.evaluate(() => document.activeElement!.matches("[data-blank]"))).toBe(true);
        await tab.keyboard.type(answer.toFixed(2));
        await tab.keyboard.press("Tab");
      }
      expect(await panel.locator("[role=status]").innerText()).toContain(`${row.length} of ${row.length} right`);
      if (step < 3) await panel.getByRole("button", { name: "next step" }).press("Enter");
      await settled(tab);
    }
    expect(await panel.locator("[role=status]").innerText()).toContain("worked attention out by hand");
    expect(faults).toEqual([]);
  });

  it("says what is wrong, what is no number, and the answers when asked", async () => {
    const { tab } = await visit(browser, cat + "&page-challenge=normalize");
    const panel = await open(tab, "challenge");
    await panel.locator("[data-blank='1']").fill("0.7");
    expect(await panel.locator("li").nth(1).innerText()).toContain("not yet");
    await panel.locator("[data-blank='1']").fill("three");
    expect(await panel.locator("li").nth(1).innerText()).toContain("a number, please");
    await panel.getByRole("button", { name: "show the answers" }).click();
    expect(await panel.locator(".answer").allInnerTexts()).toEqual(["0.043", "0.735", "0.179", "0.043"]);
  });
});

describe("length of the vectors", () => {
  it("longer vectors spike, undivided ones more, and the command line agrees", async () => {
    const { tab, faults } = await visit(browser, cat);
    const panel = await open(tab, "length");
    const slider = panel.getByRole("slider");
    await slider.press("End");
    await settled(tab);
    const long = native(await fragmentOf(tab));
    expect(long.heads[0].q[2]).toEqual([8, 0]);
    expect(long.heads[0].normalize[2][1]).toBeGreaterThan(0.999999);
    expect(await panel.locator("[data-slope]").innerText()).toContain("softmax has spiked");
    await panel.getByRole("button", { name: "as they were" }).press("Enter");
    await settled(tab);
    expect((await held(tab)).heads[0].q).toEqual(native(cat).heads[0].q);
    await panel.getByRole("switch").press("Space");
    await settled(tab);
    expect((await held(tab)).heads[0].normalize).toEqual(native(cat + "&scale=1").heads[0].normalize);
    expect(faults).toEqual([]);
  });
});

describe("shuffle", () => {
  it("without positions nothing changes; with them it does; the command gives the new order", async () => {
    const { tab, faults } = await visit(browser);
    await start(tab, "dog bites dog, no positions");
    const panel = await open(tab, "shuffle");
    for (const change of await panel.locator("[data-change]").allInnerTexts()) expect(Number(change)).toBeLessThan(1e-12);
    expect(await panel.locator(".fact").innerText()).toContain("bag of words");
    await start(tab, "dog bites dog, with positions");
    const before = await held(tab);
    const after = native((await panel.locator("code").innerText()).match(/'(#.*)'/)![1]);
    expect(after.tokens).toEqual(["bites", "dog", "dog"]);
    const order = [1, 0, 2];
    const largest = before.output.map((row, token) =>
      Math.max(...row.map((value, e) => Math.abs(value - after.output[order.indexOf(token)][e]))),
    );
    expectShown((await panel.locator("[data-change]").allInnerTexts()).map(Number), largest);
    expect(Math.max(...largest)).toBeGreaterThan(0.05);
    expect(faults).toEqual([]);
  });

  it("under a causal mask it says what knows the order", async () => {
    const { tab } = await visit(browser, cat + "&causal=1");
    const panel = await open(tab, "shuffle");
    await panel.getByRole("button", { name: "first one last" }).press("Enter");
    await settled(tab);
    expect(await panel.locator(".fact").innerText()).toContain("the causal mask lets each token see");
    expect(await fragmentOf(tab)).toContain("page-order=1%2C2%2C3%2C0");
  });
});

describe("take it along", () => {
  async function saved(tab: Tab, press: () => Promise<void>): Promise<{ name: string; bytes: Buffer }> {
    const [download] = (await Promise.all([tab.waitForEvent("download"), press()])) as [Download, void];
    return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
  }

  it("the CSV has every double of the command line", async () => {
    const { tab } = await visit(browser, cat + "&causal=1");
    const panel = await open(tab, "take-along");
    const { name, bytes } = await saved(tab, () => panel.getByRole("button", { name: "The grid: CSV" }).press("Enter"));
    expect(name).toBe("weights.csv");
    const rows = bytes.toString().trim().split("\r\n").slice(1).map((line) => line.split(",").slice(1));
    expect(rows.map((row) => row.map((cell) => (cell === "" ? null : Number(cell))))).toEqual(native(cat + "&causal=1").heads[0].normalize);
  });

  it.each(["Query and keys", "Values and mixture", "The grid"])("%s as SVG and PNG", async (title) => {
    const { tab, faults } = await visit(browser, cat, { colorScheme: "dark" });
    const panel = await open(tab, "take-along");
    const svg = (await saved(tab, () => panel.getByRole("button", { name: `${title}: SVG` }).click())).bytes.toString();
    expect(svg).toMatch(/^<svg [^>]*xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    expect(svg).not.toContain("var(--");
    expect(svg).toContain("sat");
    expect(await tab.evaluate((text) => new DOMParser().parseFromString(text, "image/svg+xml").querySelector("parsererror"), svg)).toBe(null);
    const png = (await saved(tab, () => panel.getByRole("button", { name: `${title}: PNG` }).click())).bytes;
    expect(png.subarray(1, 4).toString()).toBe("PNG");
    expect(png.readUInt32BE(16)).toBeGreaterThan(600);
    expect(faults).toEqual([]);
  });

  it("copies the ledger, the link and the command", async () => {
    const { tab } = await visit(browser, cat, { permissions: ["clipboard-read", "clipboard-write"] });
    const panel = await open(tab, "take-along");
    const clipboard = () => tab.evaluate(() => navigator.clipboard.readText());
    await panel.getByRole("button", { name: "copy as text" }).click();
    expect(await clipboard()).toContain("query sat");
    await panel.getByRole("button", { name: "copy the link" }).click();
    expect(await clipboard()).toContain("attention.html#tokens=the,cat,sat,down");
    await panel.getByRole("button", { name: "copy the command" }).click();
    const command = (await clipboard()).match(/^attend trace '(#[^']*)'$/)!;
    expect(attend("trace", command[1], "--json")).toBe(attend("trace", cat, "--json"));
  });
});
