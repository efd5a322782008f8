import type { Panel } from "../panels";
import { plain } from "../presets_plain";
import Heads from "./heads.svelte";

export const panel: Panel = {
  id: "heads",
  title: "Several heads, joined by W_O",
  about: "Each head asks its own questions; the output is the sum of what W_O makes of each head’s mixture.",
  order: 50,
  component: Heads,
  presets: [
    {
      id: "two-heads",
      title: "two heads and W_O",
      about: "Queries, keys and values made from x by matrices, two heads, joined by W_O; each token sees only what came before.",
      change: () => ({
        ...plain,
        q: undefined,
        k: undefined,
        v: undefined,
        tokens: ["she", "fed", "her", "cat"],
        x: [[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1]],
        wq: [[2, 0, 0, 1], [0, 1, 2, 0], [1, 1, 0, 0]],
        wk: [[2, 0, 1, 0], [0, 2, 0, 1], [0, 0, 1, 1]],
        wv: [[1, 0, 0, 1], [0, 1, 1, 0], [1, 1, 0, 0]],
        wo: [[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]],
        heads: 2,
        causal: true,
        query: 3,
      }),
    },
  ],
};
