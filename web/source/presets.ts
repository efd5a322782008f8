/** Places to start from: the two founding toys, and what can be learned from them. */
import { panels, type Preset } from "./panels";
import { plain } from "./presets_plain";
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

export const ownPresets: Preset[] = [
  {
    id: "cat", title: "the cat sat down",
    about: "“sat” asks who sat: nearly three quarters of its attention go to “cat”.",
    change: () => ({ ...plain, ...cat, query: 2 }),
  },
  {
    id: "napkin", title: "it was tired",
    about: "Small enough for a napkin: every product is 0 or 1, and “tired” looks at itself most.",
    change: () => ({ ...plain, ...napkin, query: 2 }),
  },
  {
    id: "equal", title: "equal keys",
    about: "All keys are the same, so whatever the query asks, all weights are equal and the mixture is the plain average.",
    change: () => ({ ...plain, ...cat, k: cat.k.map(() => [1, 1]), query: 2 }),
  },
  {
    id: "dominant", title: "one dominant key",
    about: "One key is ten times as long as it was: it takes nearly everything, and the mixture sits on its value.",
    change: () => ({ ...plain, ...cat, k: [[0, 1], [20, 0], [1, 1], [0, 2]], query: 2 }),
  },
  {
    id: "unscaled", title: "scale off",
    about: "Without the division by √d the same matches make sharper weights: “cat” goes from 0.735 to 0.853.",
    change: () => ({ ...plain, ...cat, scale: 1, query: 2 }),
  },
  {
    id: "masked", title: "mask on",
    about: "With the causal mask no query sees what comes after it: “down” is hidden from “sat”, and the others share its part.",
    change: () => ({ ...plain, ...cat, causal: true, query: 2 }),
  },
];

export const presets: Preset[] = [...ownPresets, ...panels.flatMap((panel) => panel.presets ?? [])];

export function firstState(): State {
  return { ...emptyState(), ...ownPresets[0].change(emptyState()), preset: ownPresets[0].id };
}
