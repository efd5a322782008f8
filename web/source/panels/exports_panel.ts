import type { Panel } from "../panels";
import Exports from "./exports.svelte";

export const panel: Panel = {
  id: "take-along",
  title: "Take it along",
  about: "The picture, the grid and the ledger as files; a link, and the command that prints the same numbers.",
  order: 90,
  component: Exports,
};
