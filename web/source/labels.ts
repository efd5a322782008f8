/** Names and numbers as readers see them, the same as `attend trace` writes. */
import type { Engine } from "./engine";
import type { Page } from "./page.svelte";

/** The decimals that the reader chose in the ledger; 3, as on the command line, when none or no such number. */
export function digitsOf(page: Page): number {
  return Number(/^\d$|^1[0-7]$/.exec(page.state.own.digits ?? "")?.[0] ?? 3);
}

/** A difference that should be nothing but rounding: 0, a power of ten, or decimals when it is more. */
export function differenceText(engine: Engine, value: number, digits: number): string {
  if (value === 0) return "0";
  return Math.abs(value) < 1e-6 ? value.toExponential(0) : engine.decimals(value, digits);
}

export function percentText(engine: Engine, share: number, digits = 0): string {
  return `${engine.decimals(100 * share, digits)} %`;
}

/** Tokens as they are told apart (cli/token_labels.c): dog#1, bites, dog#2. */
export function tokenLabels(tokens: string[]): string[] {
  return tokens.map((token, index) => {
    const name = token === "" ? '""' : token;
    if (tokens.indexOf(token) === tokens.lastIndexOf(token)) return name;
    return `${name}#${tokens.slice(0, index + 1).filter((other) => other === token).length}`;
  });
}
