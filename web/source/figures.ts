/** Numbers for readers that are not simply decimals. */
import type { Engine } from "./engine";
import type { Page } from "./page.svelte";

/** The decimals that the reader chose in the ledger; 3, as on the command line, when none. */
export function digitsOf(page: Page): number {
  return Number(page.state.own.digits ?? 3);
}

/** A difference that should be nothing but rounding: 0, a power of ten, or decimals when it is more. */
export function differenceText(engine: Engine, value: number, digits: number): string {
  if (value === 0) return "0";
  return Math.abs(value) < 1e-6 ? value.toExponential(0) : engine.decimals(value, digits);
}

export function percentText(engine: Engine, share: number, digits = 0): string {
  return `${engine.decimals(100 * share, digits)} %`;
}
