/** Places to start from: the two founding toys, and what to learn from them. */
import { panels, type Preset } from "./panels";
import { emptyState, type State } from "./state";

const cat = {
  tokens: ["the", "cat", "sat", "down"],
  q: [[0, 1], [1, 1], [2, 0], [1, 0]],
  k: [[0, 1], [2, 0], [1, 1], [0, 2]],
  v: [[1, 0], [4, 0], [0, 2], [1, 1]],
};

const napkin = {
  tokens: ["it", "was", "tired"],
  q: [[1, 0], [0, 1], [1, 1]],
  k: [[1, 0], [0, 1], [1, 1]],
  v: [[2, 0], [0, 2], [2, 2]],
};

/** What a preset takes back of whatever was there before it. */
export const plain: Partial<State> = {
  x: undefined, wq: undefined, wk: undefined, wv: undefined, wo: undefined,
  heads: undefined, kv_heads: undefined, positions: undefined, causal: undefined, scale: undefined,
  hidden: undefined, key: null, head: 0, own: {},
};

export const ownPresets: Preset[] = [
  {
    id: "cat", title: "the cat sat down", about: "“sat” asks who sat: nearly three quarters of its attention go to “cat”.",
    change: () => ({ ...plain, ...cat, query: 2 }),
  },
  {
    id: "napkin", title: "it was tired", about: "Small enough for a napkin: every product is 0, 1 or 2.",
    change: () => ({ ...plain, ...napkin, query: 2 }),
  },
];

export const presets: Preset[] = [...ownPresets, ...panels.flatMap((panel) => panel.presets ?? [])];

export function firstState(): State {
  return { ...emptyState(), ...ownPresets[0].change(emptyState()), preset: ownPresets[0].id };
}
