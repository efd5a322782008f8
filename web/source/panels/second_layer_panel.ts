import type { Panel } from "../panels";
import SecondLayer from "./second_layer.svelte";

export const panel: Panel = {
  id: "second-layer",
  title: "A second layer on top",
  about: "The same layer again, on what the first one put out: now every token is a mixture already.",
  order: 60,
  component: SecondLayer,
};
