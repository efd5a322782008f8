/** Where every preset starts: apart from presets.ts, so that panels can import it before that file lists them. */
import type { State } from "./state";

/** What a preset takes back of whatever was there before it. */
export const plain: Partial<State> = {
  x: undefined, wq: undefined, wk: undefined, wv: undefined, wo: undefined,
  heads: undefined, kv_heads: undefined, positions: undefined, causal: undefined, scale: undefined,
  hidden: undefined, key: null, head: 0, own: {},
};
