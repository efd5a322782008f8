import type { Browser, Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { columns } from "../source/ledger";
import { fragmentOf, held, launch, native, printed, settled, visit } from "./browser";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

async function column(tab: Tab, name: (typeof columns)[number]): Promise<string[]> {
  return tab.locator(`tbody td.${name} button.cell`).allTextContents();
}

/** The numbers after "=" in the part of a page of the command line that begins with a heading. */
function linesOf(page: string, heading: string): string[] {
  const part = page.slice(page.indexOf(heading));
  const lines = part.slice(0, part.indexOf("\nStep", 5) + 1 || undefined).split("\n");
  return lines.filter((line) => / = +-?[0-9.]+$/.test(line)).map((line) => line.match(/= +(-?[0-9.]+)$/)![1]);
}

describe("presets", () => {
  it("hold what attend trace prints for the same fragment, to the last bit", async () => {
    const { tab, faults } = await visit(browser);
    const ids = await tab.locator(".bar select option").evaluateAll((options) => options.map((option) => (option as HTMLOptionElement).value));
    expect(ids.length).toBeGreaterThanOrEqual(6);
    expect(ids).toEqual(expect.arrayContaining(["cat", "napkin", "equal", "dominant", "unscaled", "masked"]));
    for (const id of ids) {
      await tab.locator(".bar select").selectOption(id);
      await settled(tab);
      expect(await tab.evaluate(() => attend.state.preset)).toBe(id);
      expect(await held(tab), id).toEqual(native(await fragmentOf(tab)));
    }
    expect(faults).toEqual([]);
  });

  it.each(["cat", "napkin", "equal", "unscaled", "masked"])("%s: the ledger shows the command line's decimals", async (id) => {
    const { tab } = await visit(browser);
    await tab.locator(".bar select").selectOption(id);
    for (const digits of [2, 3, 6]) {
      await tab.getByLabel("decimals").first().selectOption(String(digits));
      await settled(tab);
      const page = printed("trace", await fragmentOf(tab), "--digits", String(digits));
      const seen = (texts: string[], allowed: string[]) => texts.filter((_, i) => allowed[i] === "allowed");
      const allowed = await column(tab, "allowed");
      expect(seen(await column(tab, "score"), allowed)).toEqual(linesOf(page, "Step 2").slice(0, seen(allowed, allowed).length));
      const total = await tab.locator("#cell-sum-exponential").textContent();
      const step3 = [...seen(await column(tab, "exponential"), allowed), total, ...seen(await column(tab, "weight"), allowed)];
      expect(step3).toEqual(linesOf(page, "Step 3"));
      const mixture = page.match(/From the exact weights: +\[(.*)\]/)![1];
      expect(await tab.locator("#cell-sum-part").textContent()).toBe(mixture);
    }
  });
});

describe("the address", () => {
  const link = "#tokens=a%2Cb,%C3%A9,%27&q=1.5,-2;0.1,1e-7;3,4&k=1,2;3,4;5,6&v=1,0,5;2,0,6;1e21,0,0.1&causal=1&scale=0.25&query=1&key=0&level=algebra&view=hand&page-log=1";

  it("comes back as it was given, and draws the same", async () => {
    const { tab, faults } = await visit(browser, link);
    expect(await fragmentOf(tab)).toBe(link.replace("1e21", "1e+21"));
    expect(await tab.evaluate(() => attend.state.tokens)).toEqual(["a,b", "é", "'"]);
    expect(await held(tab)).toEqual(native(link));
    expect(faults).toEqual([]);
  });

  it("follows every change, and reloads into the same numbers", async () => {
    const { tab } = await visit(browser);
    await tab.locator("#token-1").click();
    await tab.locator("#token-3").click({ modifiers: ["Shift"] });
    await tab.getByRole("switch", { name: /causal/ }).click();
    await tab.getByLabel("query of cat, number 1").fill("0.3");
    await tab.waitForFunction(() => location.hash === attend.fragment);
    const before = [await fragmentOf(tab), await held(tab)];
    await tab.reload();
    await tab.waitForFunction(() => globalThis.attend !== undefined);
    expect([await fragmentOf(tab), await held(tab)]).toEqual(before);
    expect(before[0]).toContain("&causal=1&query=1&key=3&");
  });

  it("takes another link while open, and says what is wrong with a bad one", async () => {
    const { tab } = await visit(browser);
    await tab.evaluate((hash) => void (location.hash = hash), link);
    await tab.waitForFunction(() => attend.state.level === "algebra");
    await tab.evaluate(() => void (location.hash = "#tokens=a&q=1&k=1&v=one"));
    await tab.getByRole("alert").waitFor();
    expect(await tab.getByRole("alert").textContent()).toContain('row 1, column 1 of v: "one" is not a finite number');
    expect(await tab.evaluate(() => attend.state.tokens.length)).toBe(3);
  });

  it("holds the panels that stand open, which undoing leaves alone", async () => {
    const { tab } = await visit(browser, "#tokens=a,b&q=1;2&k=1;2&v=1;2&page-open=heads,length");
    const opened = () => tab.evaluate(() => [...document.querySelectorAll("details[open]")].map((panel) => panel.id).sort());
    expect(await opened()).toEqual(["heads", "length"]);
    await tab.getByLabel("query of a, number 1").fill("0.3");
    await tab.locator("details#heads summary").click();
    await tab.waitForFunction(() => attend.fragment.includes("page-open=length"));
    await tab.evaluate(() => attend.undo());
    expect(await tab.evaluate(() => [attend.state.q![0][0], attend.state.own.open])).toEqual([1, "length"]);
    expect(await opened()).toEqual(["length"]);
  });

  it("does not drop in silence what is typed over a number and is none", async () => {
    const { tab } = await visit(browser, link);
    const cell = tab.getByLabel(/^key of .*, number 1$/).first();
    const value = await cell.inputValue();
    await cell.fill("12 apples");
    await cell.blur();
    expect(await cell.inputValue()).toBe(value);
    expect(await tab.getByRole("alert").textContent()).toContain('number 1: "12 apples" is not a number up to 1e+21');
  });

  it("names the mixture with the page's decimals", async () => {
    const { tab } = await visit(browser);
    expect(await tab.locator("[data-arrow=mixture]").getAttribute("aria-label")).toMatch(/^mixture of sat: \(-?\d\.\d{3},\s-?\d\.\d{3}\)$/);
  });

  it("takes what a panel cannot read as left out", async () => {
    const { tab, faults } = await visit(browser, link + "&page-digits=many&page-cut=&page-order=0,0&page-line=1");
    expect(await tab.locator("#cell-0-weight").textContent()).toMatch(/^\d\.\d{3}$/);
    expect(faults).toEqual([]);
  });

  it("opens with the toy when the link is bad, and says so", async () => {
    const { tab, faults } = await visit(browser, "#tokens=a,b&q=1,2;1,2&k=1;1&v=1;2");
    expect(await tab.getByRole("alert").textContent()).toMatch(/k/);
    expect(await tab.evaluate(() => attend.state.tokens)).toEqual(["the", "cat", "sat", "down"]);
    expect(faults).toEqual([]);
  });
});
