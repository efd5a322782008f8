/** The page at work: the state, what the engine makes of it, and the way back. Panels read it and call change(). */
import type { Engine, Head, Worked } from "./engine";
import { exampleOf, openPanels, readFragment, withOpenPanels, writeFragment, type State } from "./state";

const mostUndone = 200;

export class Page {
  readonly engine: Engine;
  state: State = $state.raw()!;
  /** What went wrong with the last change or link; empty when all is well. */
  trouble = $state("");
  /** A sentence for screen readers about what was just done. */
  said = $state("");
  /** How many changes undo() can take back. */
  undoable = $state(0);
  worked: Worked = $state.raw()!;
  readonly head: Head = $derived(this.worked.heads[this.state.head]);
  readonly fragment: string = $derived(writeFragment(this.state));
  readonly #past: State[] = [];
  #lastTopic = "";

  /** Stands where the fragment says; where there is none, or none that can be read, at first. */
  constructor(engine: Engine, first: State, fragment = "") {
    this.engine = engine;
    this.worked = engine.work(exampleOf(first));
    this.state = first;
    if (fragment.length > 1) this.open(fragment);
    this.#past.length = this.undoable = 0;
  }

  /** Takes a change and works everything out; a change the engine refuses is not taken, and `trouble` says why.
   *  Changes of one topic in a row (a drag) are undone together; "" makes each its own. A changed number is no longer
   *  the preset's. */
  change(next: Partial<State>, topic = ""): boolean {
    const kept = Object.keys(exampleOf(next)).length === 0;
    return this.replace(this.#withPanels({ ...this.state, preset: kept ? this.state.preset : null, ...next }), topic);
  }

  replace(state: State, topic = ""): boolean {
    if (!this.#take(state)) return false;
    if (topic === "" || topic !== this.#lastTopic) this.#past.push(this.#before);
    if (this.#past.length > mostUndone) this.#past.shift();
    this.#lastTopic = topic;
    this.undoable = this.#past.length;
    return true;
  }

  /** Selecting is not undone: it changes no number. */
  select(next: Partial<Pick<State, "query" | "key" | "head" | "level" | "view">>): void {
    this.state = { ...this.state, ...next };
    this.#lastTopic = "";
  }

  /** Opens or closes a panel; as selecting, this is not undone. */
  show(id: string, open: boolean): void {
    const others = openPanels(this.state).filter((other) => other !== id);
    const ids = open ? [...others, id] : others;
    this.state = withOpenPanels(this.state, ids.length > 0 ? ids.join(",") : undefined);
  }

  /** Places to start from and undoing leave the panels as they stand. */
  #withPanels(state: State): State {
    return withOpenPanels(state, this.state.own.open);
  }

  undo(): void {
    const state = this.#past.pop();
    if (!state) return;
    this.#take(this.#withPanels(state));
    this.#lastTopic = "";
    this.undoable = this.#past.length;
  }

  open(fragment: string): void {
    try {
      this.replace(readFragment(fragment));
    } catch (error) {
      this.trouble = "The link cannot be read: " + (error as Error).message;
    }
  }

  #before: State = undefined!;

  #take(state: State): boolean {
    try {
      const worked = this.engine.work(exampleOf(state));
      this.#before = this.state;
      this.worked = worked;
      this.state = state;
      this.trouble = "";
      return true;
    } catch (error) {
      this.trouble = (error as Error).message;
      return false;
    }
  }
}
