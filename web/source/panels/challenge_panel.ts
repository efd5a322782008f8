import type { Panel } from "../panels";
import Challenge from "./challenge.svelte";

export const panel: Panel = {
  id: "challenge",
  title: "Try it yourself",
  about: "Fill in the numbers of the selected query, step by step; two decimals are enough.",
  order: 10,
  component: Challenge,
};
