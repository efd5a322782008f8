/** What stands on the page below the frame. A file source/panels/NAME_panel.ts with `export const panel: Panel` is
 *  found by itself; nothing else has to know of it. */
import type { Component } from "svelte";
import type { Page } from "./page.svelte";
import type { State } from "./state";

/** A place to start from. `change` gets the state as it is and says what becomes different. */
export interface Preset {
  id: string;
  title: string;
  about: string; // one sentence: what to look for
  change(state: State): Partial<State>;
}

export interface Panel {
  id: string; // also the anchor of its heading
  title: string;
  about: string; // one sentence under the heading
  order: number; // small ones come first
  component: Component<{ page: Page }>;
  presets?: Preset[];
}

const found = import.meta.glob<{ panel: Panel }>("./panels/*_panel.ts", { eager: true });

export const panels: Panel[] = Object.values(found)
  .map((module) => module.panel)
  .sort((a, b) => a.order - b.order);
