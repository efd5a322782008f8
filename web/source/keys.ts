/** The keys of the whole page. Parts of it have their own: arrows on a tip, in a table, along the tokens. */
import type { Page } from "./page.svelte";
import { headCount, levels } from "./state";

export interface Shortcut {
  keys: string; // as shown, separated by spaces
  does: string;
}

export const shortcuts: Shortcut[] = [
  { keys: "Tab", does: "goes to the next thing that can be used" },
  { keys: "← ↑ → ↓", does: "move the arrow whose tip has the focus by 0.1; go from number to number in tables, along the tokens" },
  { keys: "Shift ←", does: "moves an arrow by 0.01; along the tokens: chooses the key" },
  { keys: "d", does: "takes hold of the query’s arrow" },
  { keys: "q Q", does: "next, previous query" },
  { keys: "k K", does: "next, previous key" },
  { keys: "h", does: "next head" },
  { keys: "1 2 3", does: "Words, Numbers, Algebra" },
  { keys: "c", does: "causal mask on or off" },
  { keys: "s", does: "divide by √d on or off" },
  { keys: "l", does: "goes to the numbers of the ledger" },
  { keys: "u Ctrl+Z", does: "takes the last change back" },
  { keys: "?", does: "this list" },
  { keys: "Esc", does: "lets go: of the key, of a drag, of a list" },
];

export interface Actions {
  help(): void;
  causal(): void;
  scale(): void;
  free(): void;
}

const next = (index: number, step: number, count: number) => (index + step + count) % count;

function selecting(page: Page): Record<string, () => void> {
  const { state } = page, count = state.tokens.length;
  return {
    q: () => page.select({ query: next(state.query, 1, count) }),
    Q: () => page.select({ query: next(state.query, -1, count) }),
    k: () => page.select({ key: state.key === null ? 0 : next(state.key, 1, count) }),
    K: () => page.select({ key: state.key === null ? count - 1 : next(state.key, -1, count) }),
    h: () => page.select({ head: next(state.head, 1, headCount(state)) }),
    1: () => page.select({ level: levels[0] }),
    2: () => page.select({ level: levels[1] }),
    3: () => page.select({ level: levels[2] }),
  };
}

const focus = (selector: string) => () => document.querySelector<HTMLElement | SVGElement>(selector)?.focus();

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, select, textarea, [contenteditable]");
}

export function onPageKey(event: KeyboardEvent, page: Page, actions: Actions, letters: boolean): void {
  if (event.defaultPrevented || document.querySelector("dialog[open]")) return;
  if (event.key === "Escape") return actions.free();
  if (isTyping(event.target) || event.altKey) return;
  if (event.ctrlKey || event.metaKey) {
    if (event.key.toLowerCase() === "z" && !event.shiftKey) (page.undo(), event.preventDefault());
    return;
  }
  const all: Record<string, () => void> = {
    ...selecting(page),
    "?": actions.help, c: actions.causal, s: actions.scale, u: () => page.undo(),
    d: focus(".tip.q"), l: focus("button.cell[tabindex='0']"),
  };
  if ((letters || event.key === "?") && Object.hasOwn(all, event.key)) {
    all[event.key]();
    event.preventDefault();
  }
}
