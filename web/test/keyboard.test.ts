import type { Browser, Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fragmentOf, held, launch, settled, visit } from "./browser";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

const focusName = (tab: Tab) =>
  tab.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? document.activeElement?.textContent?.trim() ?? "");

async function press(tab: Tab, ...keys: string[]) {
  for (const key of keys) await tab.keyboard.press(key);
  await settled(tab);
}

describe("the page by keyboard alone", () => {
  it("tells a whole story", async () => {
    const { tab, faults } = await visit(browser);

    await press(tab, "d"); // take hold of the query
    expect(await focusName(tab)).toBe("query of sat: (2,\u00a00)");
    await press(tab, "ArrowUp", "ArrowUp", "ArrowUp", "Shift+ArrowRight", "Shift+ArrowDown");
    expect((await held(tab)).heads[0].q[2]).toEqual([2.01, 0.29]);
    expect(await tab.locator("#cell-1-raw").textContent()).toBe("4.020");

    await press(tab, "k", "k"); // choose a key: the second
    expect(await tab.evaluate(() => attend.state.key)).toBe(1);
    expect(await tab.locator("tr.chosen button.name").textContent()).toBe("cat");

    await press(tab, "l"); // the ledger, and along it
    expect(await tab.locator("#cell-0-raw").evaluate((cell) => cell === document.activeElement)).toBe(true);
    await press(tab, "ArrowDown", "ArrowRight", "ArrowRight", "ArrowRight", "ArrowRight");
    expect(await tab.locator("#cell-1-weight").evaluate((cell) => cell === document.activeElement)).toBe(true);
    expect(await tab.locator(".products .title").textContent()).toBe("weight of cat: its share of the total");
    await press(tab, "End", "ArrowDown", "ArrowDown", "ArrowDown");
    expect(await tab.locator(".products .title").textContent()).toBe("the mixture of sat");
    await press(tab, "Escape");
    expect(await tab.locator(".products .title").count()).toBe(0);
    await press(tab, "Escape"); // and lets go of the key
    expect(await tab.evaluate(() => attend.state.key)).toBe(null);

    await press(tab, "2");
    expect(await tab.locator(".levels button[aria-pressed=true]").textContent()).toBe("Numbers");
    await press(tab, "3");
    expect(await tab.locator(".levels button[aria-pressed=true]").textContent()).toBe("Algebra");

    await press(tab, "c"); // the mask hides what comes later
    expect((await held(tab)).heads[0].normalize[2][3]).toBe(null);
    expect(await tab.locator("#cell-3-allowed").textContent()).toBe("hidden");
    await press(tab, "s"); // and without the scale the score is the match
    expect(await tab.locator("#cell-1-score").textContent()).toBe(await tab.locator("#cell-1-raw").textContent());
    await press(tab, "u", "Control+z");
    expect((await held(tab)).causal).toBe(false);

    await press(tab, "q"); // the next query, and what is said of it
    await tab.waitForFunction(() => document.querySelector("[role=status]")?.textContent?.startsWith("Query “down” gives 0.505 to “cat”, 0.249 to “sat”"));
    await press(tab, "Shift+Q");
    expect(await tab.evaluate(() => attend.state.query)).toBe(2);
    expect(faults).toEqual([]);
  });

  it("types numbers, names and new tokens", async () => {
    const { tab, faults } = await visit(browser);
    const field = tab.getByLabel("key of cat, number 2");
    await field.focus();
    await tab.keyboard.type("-1.5");
    expect((await held(tab)).heads[0].k[1]).toEqual([2, -1.5]);
    await tab.keyboard.type("x");
    expect(await field.getAttribute("aria-invalid")).toBe("true");
    expect((await held(tab)).heads[0].k[1]).toEqual([2, -1.5]);
    await press(tab, "Escape", "ArrowUp", "Shift+ArrowDown");
    expect((await held(tab)).heads[0].k[1]).toEqual([2, -1.41]);

    await tab.getByRole("button", { name: "+ add" }).focus();
    await press(tab, "Enter");
    await tab.keyboard.type("and slept");
    await press(tab, "Enter");
    expect((await held(tab)).tokens).toEqual(["the", "cat", "sat", "down", "and", "slept"]);
    await press(tab, "Escape");

    await tab.locator("#token-5").focus();
    await press(tab, "ArrowLeft");
    expect(await tab.evaluate(() => attend.state.query)).toBe(4);
    await press(tab, "Shift+ArrowLeft");
    expect(await tab.evaluate(() => attend.state.key)).toBe(3);
    await tab.getByRole("button", { name: "remove “and”" }).focus();
    await press(tab, "Enter");
    expect((await held(tab)).tokens).toEqual(["the", "cat", "sat", "down", "slept"]);

    await tab.getByRole("button", { name: "rename" }).focus();
    await press(tab, "Enter");
    await tab.keyboard.type("dreamt, a lot");
    await press(tab, "Enter");
    expect((await held(tab)).tokens[4]).toBe("dreamt, a lot");
    expect(await tab.evaluate(() => document.activeElement?.id)).toBe("token-4"); // not lost at the top of the page
    expect(await fragmentOf(tab)).toContain("dreamt%2C%20a%20lot");
    expect(faults).toEqual([]);
  });

  it("lists its keys, and lets single letters be turned off", async () => {
    const { tab } = await visit(browser);
    await press(tab, "?");
    expect(await tab.getByRole("dialog").isVisible()).toBe(true);
    expect(await tab.getByRole("dialog").textContent()).toContain("causal mask on or off");
    await press(tab, "Escape");
    expect(await tab.getByRole("dialog").isVisible()).toBe(false);
    await press(tab, "?");
    await tab.getByRole("switch", { name: "single letters work" }).click();
    await press(tab, "Escape", "c");
    expect((await held(tab)).causal).toBe(false);
  });

  it("lets go of a drag with escape, and takes a whole drag back at once", async () => {
    const { tab } = await visit(browser);
    const box = (await tab.locator(".tip.q").boundingBox())!;
    await tab.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await tab.mouse.down();
    await tab.mouse.move(box.x - 60, box.y - 60, { steps: 4 });
    await settled(tab);
    expect((await held(tab)).heads[0].q[2]).not.toEqual([2, 0]);
    await press(tab, "Escape");
    expect((await held(tab)).heads[0].q[2]).toEqual([2, 0]);
    await tab.mouse.up();

    for (const to of [[-70, -40], [-30, -80]]) {
      const now = (await tab.locator(".tip.q").boundingBox())!;
      await tab.mouse.move(now.x + now.width / 2, now.y + now.height / 2);
      await tab.mouse.down();
      await tab.mouse.move(box.x + to[0], box.y + to[1], { steps: 5 });
      await settled(tab);
      await tab.mouse.up();
    }
    const first = (await held(tab)).heads[0].q[2];
    await press(tab, "u");
    const second = (await held(tab)).heads[0].q[2];
    expect(second).not.toEqual(first);
    expect(second).not.toEqual([2, 0]);
    await press(tab, "u");
    expect((await held(tab)).heads[0].q[2]).toEqual([2, 0]);
  });
});
