/** The arrows of the two planes: what the state and the engine say, as things to draw. */
import { kindNames, type Kind } from "./edit";
import { digitsOf, tokenLabels } from "./labels";
import type { Page } from "./page.svelte";
import { numberText } from "./state";
import { vectorText } from "./ledger";

export interface Arrow {
  id: string;
  kind: Kind | "mixture";
  token: number;
  label: string;
  name: string; // "query of sat"
  vector: number[];
  hidden: boolean; // the query may not see it
  chosen: boolean;
  share: number | null; // the part of a value that goes into the mixture
  text: string; // the vector in digits
}

function arrow(page: Page, kind: Kind, token: number): Arrow {
  const { head, state } = page;
  const label = tokenLabels(state.tokens)[token];
  const weight = head.normalize[state.query][token];
  const hidden = kind !== "q" && head.mask[state.query][token] === null;
  return {
    id: kind + token, kind, token, label,
    name: `${kindNames[kind]} of ${label}`,
    vector: head[kind][token],
    hidden,
    chosen: kind === "q" ? true : state.key === token,
    share: kind === "v" ? (weight ?? 0) : null,
    text: vectorText(head[kind][token], numberText),
  };
}

/** Keys first, so that the query lies on top; a chosen key lies over the others. */
export function compareArrows(page: Page): Arrow[] {
  const keys = page.state.tokens.map((_, token) => arrow(page, "k", token));
  return [...keys.sort((a, b) => Number(a.chosen) - Number(b.chosen)), arrow(page, "q", page.state.query)];
}

export function combineArrows(page: Page): Arrow[] {
  const { query, tokens } = page.state;
  const values = tokens.map((_, token) => arrow(page, "v", token));
  const mixture: Arrow = {
    id: "mixture", kind: "mixture", token: query, label: "mixture", name: `mixture of ${tokenLabels(tokens)[query]}`,
    vector: page.head.combine[query], hidden: false, chosen: true, share: null,
    text: vectorText(page.head.combine[query], (value) => page.engine.decimals(value, digitsOf(page))),
  };
  return [...values.sort((a, b) => Number(a.chosen) - Number(b.chosen)), mixture];
}

export function arrowName(arrow: Arrow): string {
  return `${arrow.name}: ${arrow.text}${arrow.hidden ? ", hidden" : ""}`;
}
