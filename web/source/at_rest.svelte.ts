/** A value as it was when nothing had changed for a while: for what takes longer to work out than a frame of a drag. */
import { untrack } from "svelte";

export interface AtRest<T> {
  readonly value: T;
  readonly resting: boolean; // whether it is the value of now
}

/** To be called while a component begins; `now` reads what it depends on, and gives the same object while none changes. */
export function atRest<T>(now: () => T, milliseconds = 200): AtRest<T> {
  let value = $state.raw(untrack(now));
  $effect(() => {
    const next = now();
    const timer = setTimeout(() => (value = next), milliseconds);
    return () => clearTimeout(timer);
  });
  return {
    get value() {
      return value;
    },
    get resting() {
      return value === now();
    },
  };
}
