import type { Panel } from "../panels";
import Length from "./length.svelte";

export const panel: Panel = {
  id: "length",
  title: "Long vectors make softmax spike",
  about: "Make queries and keys longer, with and without dividing by the square root of their width, and watch the slope die.",
  order: 20,
  component: Length,
};
