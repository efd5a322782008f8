/** Names and numbers as readers see them, the same as `attend trace` writes. */
import type { Engine } from "./engine";

/** Tokens as they are told apart: dog#1, bites, dog#2 (cli/token_labels.h). */
export function tokenLabels(tokens: string[]): string[] {
  return tokens.map((token, index) => {
    if (tokens.indexOf(token) === tokens.lastIndexOf(token)) return token;
    return `${token}#${tokens.slice(0, index + 1).filter((other) => other === token).length}`;
  });
}

export function vectorText(engine: Engine, row: number[], digits: number): string {
  return `(${row.map((value) => engine.decimals(value, digits)).join(", ")})`;
}

/** A difference that should be nothing but rounding: 0, a power of ten, or decimals when it is more. */
export function differenceText(engine: Engine, value: number, digits: number): string {
  if (value === 0) return "0";
  return Math.abs(value) < 1e-6 ? value.toExponential(0) : engine.decimals(value, digits);
}

export function percentText(engine: Engine, share: number, digits = 0): string {
  return `${engine.decimals(100 * share, digits)} %`;
}
