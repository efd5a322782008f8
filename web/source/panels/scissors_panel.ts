import type { Panel } from "../panels";
import { plain } from "../presets_plain";
import Scissors from "./scissors.svelte";

export const panel: Panel = {
  id: "scissors",
  title: "Scissors: cut one edge",
  about: "What becomes of the mixture when a query no longer gets one key: three kinds of cut, each beside its formula.",
  order: 30,
  component: Scissors,
  presets: [
    {
      id: "heavy-nothing",
      title: "a heavy weight that does nothing",
      about: "“loud” gets four fifths of the weight, and yet the mixture stays where it is when it is cut.",
      change: () => ({
        ...plain,
        tokens: ["left", "right", "loud"],
        q: [[1, 1], [0, 1], [1, 0]],
        k: [[1, 0], [0, 1], [2, 2]],
        v: [[2, 0], [0, 2], [1, 1]],
        query: 0,
        key: 2,
      }),
    },
  ],
};
