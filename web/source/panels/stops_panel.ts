import type { Panel } from "../panels";
import Stops from "./stops.svelte";

export const panel: Panel = {
  id: "where-it-stops",
  title: "Where the picture stops",
  about: "One layer is the sum of its edges. Pile layers up, and count how much of the answer single edges still explain.",
  order: 70,
  component: Stops,
};
