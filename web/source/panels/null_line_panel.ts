import type { Panel } from "../panels";
import { plain } from "../presets_plain";
import NullLine from "./null_line.svelte";

export const panel: Panel = {
  id: "other-weights",
  title: "Different weights, same mixture",
  about: "Slide to other weights that give exactly the same answer, and see whether any query could have made them.",
  order: 40,
  component: NullLine,
  presets: [
    {
      id: "other-weights",
      title: "different weights, same mixture",
      about: "Four values, two numbers each: the weights can move and the mixture stays. No query makes these weights.",
      change: () => ({
        ...plain,
        tokens: ["it", "was", "so", "tired"],
        q: [[1.5, 0.5], [0, 1], [1, 0], [1, 1]],
        k: [[1, 0], [0, 1], [1, 1], [-1, 1]],
        v: [[2, 0], [0, 2], [1, 1], [-1, 0]],
        query: 0,
        own: { line: "0,-0.999" },
      }),
    },
    {
      id: "other-query",
      title: "the same, and a query can",
      about: "Three values on one line, three keys that are not: here another query makes the other weights.",
      change: () => ({
        ...plain,
        tokens: ["low", "middle", "high"],
        q: [[1, 0.5], [0, 1], [1, 1]],
        k: [[1, 0], [0, 1], [-1, -1]],
        v: [[0, 0], [1, 1], [2, 2]],
        query: 0,
        own: { line: "0,0.6" },
      }),
    },
  ],
};
