import type { Panel } from "../panels";
import { plain } from "../presets_plain";
import Shuffle from "./shuffle.svelte";

const dogs = {
  q: undefined,
  k: undefined,
  v: undefined,
  tokens: ["dog", "bites", "dog"],
  x: [[0, 0, 1, 0], [0, 0, 0, 1], [0, 0, 1, 0]],
  wq: [[1, 0], [0, 1], [0, 0], [0, 0]],
  wk: [[1, 0], [0, 1], [0, 0], [0, 0]],
  wv: [[0, 0], [0, 0], [1, 0], [0, 1]],
};

export const panel: Panel = {
  id: "shuffle",
  title: "Shuffle the tokens",
  about: "Attention alone sees a bag of words. Add positions, and the order counts.",
  order: 25,
  component: Shuffle,
  presets: [
    {
      id: "bag-of-words",
      title: "dog bites dog, no positions",
      about: "Without positions nothing tells the dog that bites from the dog that is bitten.",
      change: () => ({ ...plain, ...dogs, query: 0, own: { order: "1,0,2" } }),
    },
    {
      id: "positions",
      title: "dog bites dog, with positions",
      about: "Sines and cosines of the place are added to x: now the two dogs differ, and a shuffle changes what comes out.",
      change: () => ({ ...plain, ...dogs, positions: "sinusoidal" as const, query: 0, own: { order: "1,0,2" } }),
    },
  ],
};
