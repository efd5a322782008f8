import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { levels } from "../source/state";
import { launch, pictures, settled, visit } from "./browser";

let browser: Browser;
beforeAll(async () => void (browser = await launch()));
afterAll(() => browser.close());

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const masked = "#tokens=the,cat,sat,down&q=0,1;1,1;2,0;1,0&k=0,1;2,0;1,1;0,2&v=1,0;4,0;0,2;1,1&causal=1&query=2&key=1";

interface Violation {
  id: string;
  nodes: { target: string[]; failureSummary: string }[];
}

/** What axe-core finds wrong, as lines. */
async function violations(tab: Tab): Promise<string[]> {
  await tab.evaluate(axe);
  const found = await tab.evaluate(async () => {
    const { violations } = await (globalThis as unknown as { axe: { run(what: Document, how: object): Promise<{ violations: Violation[] }> } }).axe.run(
      document, { runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] });
    return violations;
  });
  return found.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.target.join(" ")}: ${node.failureSummary}`));
}

async function openPanels(tab: Tab) {
  await tab.evaluate(() => document.querySelectorAll("details").forEach((panel) => (panel.open = true)));
  await settled(tab);
}

/** Things to press that are smaller than 24 pixels. */
function smallTargets(tab: Tab): Promise<string[]> {
  return tab.evaluate(() =>
    [...document.querySelectorAll("main button, header button, main input, main select, main summary, .tip")]
      .map((target) => ({ target, box: target.getBoundingClientRect() }))
      .filter(({ box }) => box.width > 0 && Math.min(box.width, box.height) < 23.99)
      .map(({ target, box }) => `${target.outerHTML.slice(0, 120)} ${box.width} x ${box.height}`));
}

describe("sizes", () => {
  it.each([
    ["phone_small", 320, 640], ["phone", 390, 844], ["tablet", 820, 1180], ["desktop", 1280, 800], ["projector", 1920, 1080],
  ])("fits %s, %i pixels wide", async (name, width, height) => {
    const { tab, faults } = await visit(browser, "", { viewport: { width, height } });
    await openPanels(tab);
    expect(await tab.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
    expect(await smallTargets(tab)).toEqual([]);
    const wider = await tab.evaluate(() =>
      [...document.querySelectorAll(".scroll")].filter((frame) => frame.scrollWidth > frame.clientWidth).length);
    expect(wider).toBe(width < 1000 ? 1 : 0); // the ledger alone, and then it says so
    expect(await tab.locator("[data-sideways]").count()).toBe(wider);
    expect(faults).toEqual([]);
    await tab.evaluate(() => document.querySelectorAll("details").forEach((panel) => (panel.open = false)));
    await tab.screenshot({ path: join(pictures, `${name}.png`), fullPage: true });
  });

  it("is printed in light colours, whole", async () => {
    const { tab } = await visit(browser, masked, { colorScheme: "dark" });
    await tab.emulateMedia({ media: "print", colorScheme: "dark" });
    await settled(tab);
    expect(await tab.evaluate(() => getComputedStyle(document.body).backgroundColor)).toBe("rgb(255, 255, 255)");
    expect(await tab.locator(".tools.not-printed").first().isVisible()).toBe(false);
    await tab.pdf({ path: join(pictures, "print.pdf"), format: "A4", printBackground: false });
  });

  it("stands still for those who ask for it", async () => {
    const { tab } = await visit(browser, "", { reducedMotion: "reduce" });
    expect(await tab.locator(".hint").evaluate((ring) => getComputedStyle(ring).animationName)).toBe("none");
  });
});

describe("axe-core", () => {
  for (const scheme of ["light", "dark"] as const)
    it.each(levels)(`finds nothing, ${scheme}, %s`, async (level) => {
      const { tab, faults } = await visit(browser, `${masked}&level=${level}`, { colorScheme: scheme });
      await tab.locator("#cell-1-weight").click();
      await openPanels(tab);
      expect(await violations(tab)).toEqual([]);
      expect(faults).toEqual([]);
      await tab.screenshot({ path: join(pictures, `${scheme}_${level}.png`), fullPage: true });
    });

  it("finds nothing on a phone, nor in the list of keys", async () => {
    const { tab } = await visit(browser, masked, { viewport: { width: 390, height: 844 } });
    expect(await violations(tab)).toEqual([]);
    await tab.keyboard.press("?");
    await settled(tab);
    expect(await violations(tab)).toEqual([]);
    await tab.screenshot({ path: join(pictures, "keys.png") });
  });
});
