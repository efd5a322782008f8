/* The page as readers get it: from `attend serve`, under its policy, and from `attend page` as one file. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import type { Browser, Page as Tab } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { held, launch, native, printed, settled } from "./browser";

const root = fileURLToPath(new URL("../..", import.meta.url));
const program = process.env.ATTEND_PROGRAM ?? join(root, "build/release/attend");
const folder = mkdtempSync(join(tmpdir(), "attend-"));
const file = join(folder, "attention.html");
const example = "#tokens=it,was,tired&q=1,0;0,1;1,1&k=1,0;0,1;1,1&v=2,0;0,2;2,2&query=2";

let browser: Browser;
let server: ChildProcess;
let address: string;

/** The line that `attend serve` prints. */
function serve(): Promise<string> {
  server = spawn(program, ["serve", "--port", "0"], { stdio: ["ignore", "pipe", "inherit"] });
  return new Promise((done, failed) => {
    server.stdout!.once("data", (line: Buffer) => done(line.toString().trim()));
    server.once("exit", (status) => failed(new Error(`attend serve ended with ${status}`)));
  });
}

beforeAll(async () => {
  printed("page", "-o", file);
  browser = await launch();
  address = await serve();
});

afterAll(async () => {
  await browser.close();
  const ended = new Promise((done) => server.once("exit", done));
  server.kill("SIGTERM");
  expect(await ended).toBe(0);
  rmSync(folder, { recursive: true });
});

interface Visit {
  tab: Tab;
  faults: string[]; // of the console and of the policy
}

async function visit(url: string): Promise<Visit> {
  const context = await browser.newContext();
  if (url.startsWith("http")) await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const tab = await context.newPage();
  const faults: string[] = [];
  tab.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") faults.push(message.text());
  });
  tab.on("pageerror", (error) => faults.push(error.message));
  tab.on("request", (request) => {
    if (!/^(data|blob):/.test(request.url()) && request.url() !== url.split("#")[0]) faults.push(request.url());
  });
  await tab.goto(url);
  await tab.waitForFunction(() => globalThis.attend !== undefined);
  return { tab, faults };
}

/** Opens every panel and presses every button once, so that a drawing or an export that the policy forbids shows. */
async function useEverything(tab: Tab): Promise<string[]> {
  return tab.evaluate(async () => {
    const frame = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    for (const panel of document.querySelectorAll("details")) panel.open = true;
    await frame();
    const pressed: string[] = [];
    const name = (button: Element) => button.getAttribute("aria-label") ?? button.textContent ?? "";
    for (let button: HTMLElement | undefined; pressed.length < 150; pressed.push(name(button))) {
      const all = [...document.querySelectorAll<HTMLElement>("button:not(:disabled), [role=button]")];
      button = all.find((candidate) => !pressed.includes(name(candidate)));
      if (button === undefined) break;
      button.click();
      await frame();
    }
    return pressed;
  });
}

describe("the page from attend serve", () => {
  it("opens without a word from the console, and asks for nothing else", async () => {
    const { tab, faults } = await visit(address + example);
    const worked = await held(tab);
    expect(worked.tokens).toEqual(["it", "was", "tired"]);
    expect(worked).toEqual(native(example));
    expect(faults).toEqual([]);
    await tab.context().close();
  });

  it("does everything it can under its policy", async () => {
    const { tab, faults } = await visit(address);
    const pressed = await useEverything(tab);
    expect(pressed.length).toBeGreaterThan(20);
    await settled(tab);
    expect(faults).toEqual([]);
    await tab.context().close();
  });

  it("runs no script that was put into it, and reaches no network", async () => {
    const { tab, faults } = await visit(address);
    const ran = await tab.evaluate(async () => {
      const script = document.createElement("script");
      script.textContent = "globalThis.strange = 1";
      document.body.append(script);
      document.body.insertAdjacentHTML("beforeend", '<img src="data:," onerror="globalThis.strange = 2">');
      const reached = await fetch(location.href).then(() => true, () => false);
      return { strange: (globalThis as { strange?: number }).strange, reached };
    });
    expect(ran).toEqual({ strange: undefined, reached: false });
    expect(faults.join("\n")).toContain("Content Security Policy");
    await tab.context().close();
  });

  it("stands, and the time is printed", async () => {
    const context = await browser.newContext();
    const tab = await context.newPage();
    const began = performance.now();
    await tab.goto(address);
    await tab.waitForFunction(() => globalThis.attend !== undefined);
    await settled(tab);
    console.log(`the page stood after ${(performance.now() - began).toFixed(0)} ms`);
    expect(await tab.locator("h1").innerText()).toContain("Attention");
    await context.close();
  });
});

describe("the page from attend page", () => {
  it("is one file that works from the disk with the same numbers", async () => {
    const { tab, faults } = await visit(pathToFileURL(file).href + example);
    expect(await held(tab)).toEqual(native(example));
    expect(faults).toEqual([]);
    await tab.context().close();
  });

  it("is small: 250 KB of script, gzipped, and 150 KB of WebAssembly", () => {
    const page = readFileSync(file, "utf8");
    const script = [...page.matchAll(/<script[^>]*>([^]*?)<\/script>/g)].map((match) => match[1]).join("");
    const modules = [...script.matchAll(/AGFzbQ[A-Za-z0-9+/]+=*/g)].map((match) => Buffer.from(match[0], "base64")); // "\0asm"
    const wasm = modules.reduce((sum, module) => sum + module.length, 0);
    console.log(`script ${gzipSync(script).length} bytes gzipped, WebAssembly ${wasm} bytes`);
    expect(modules.map((module) => module.subarray(1, 4).toString())).toEqual(["asm", "asm"]);
    expect(gzipSync(script).length).toBeLessThanOrEqual(250_000);
    expect(wasm).toBeLessThanOrEqual(150_000);
  });
});
