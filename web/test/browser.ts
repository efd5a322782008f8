/** Debian's Chromium with the built page in it, and the program to compare it with. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page as Tab } from "playwright-core";
import type { Worked } from "../source/engine";
import type { Page } from "../source/page.svelte";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The page under test, the program, the browser, and where pictures are kept. */
const pageFile = process.env.ATTEND_PAGE ?? resolve(root, "build/page/attention.html");
const program = process.env.ATTEND_PROGRAM ?? resolve(root, "build/release/attend");
const browserFile = process.env.ATTEND_CHROMIUM ?? "/usr/bin/chromium";
export const pictures = process.env.ATTEND_PICTURES ?? resolve(root, "build/page/pictures");

declare global {
  // eslint-disable-next-line no-var
  var attend: Page; // set by main.ts
}

export async function launch(): Promise<Browser> {
  mkdirSync(pictures, { recursive: true });
  return chromium.launch({ executablePath: browserFile, chromiumSandbox: false, args: ["--force-color-profile=srgb"] });
}

export interface Visit {
  tab: Tab;
  faults: string[]; // what the console and the network complained of: to be empty
}

/** Opens the page with a fragment ("" for none) and waits until it stands. */
export async function visit(browser: Browser, fragment = "", options: BrowserContextOptions = {}): Promise<Visit> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
  const tab = await context.newPage();
  const faults: string[] = [];
  tab.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  tab.on("pageerror", (error) => faults.push(error.message));
  tab.on("request", (request) => {
    if (!/^(file|data|blob):/.test(request.url())) faults.push("asked the network for " + request.url());
  });
  await tab.goto(pathToFileURL(pageFile).href + fragment);
  await tab.waitForFunction(() => globalThis.attend !== undefined);
  return { tab, faults };
}

/** What the page holds: the numbers of `attend trace --json`, by way of JSON. */
export async function held(tab: Tab): Promise<Worked> {
  const text = await tab.evaluate(() => JSON.stringify(globalThis.attend.worked));
  return JSON.parse(text) as Worked;
}

export async function fragmentOf(tab: Tab): Promise<string> {
  return tab.evaluate(() => globalThis.attend.fragment);
}

/** What the program prints. */
export function printed(...args: string[]): string {
  return execFileSync(program, args, { encoding: "utf8", maxBuffer: 1 << 26 });
}

export function native(fragment: string): Worked {
  return JSON.parse(printed("trace", fragment, "--json")) as Worked;
}

/** The next frame is drawn. */
export async function settled(tab: Tab): Promise<void> {
  await tab.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
}
