import { mount } from "svelte";
import App from "./app.svelte";
import { load } from "./engine";
import { Page } from "./page.svelte";
import { firstState } from "./presets";
import "./theme.css";

const target = document.getElementById("page")!;
try {
  const page = new Page(await load(), firstState(), location.hash);
  mount(App, { target, props: { page } });
  Object.assign(globalThis, { attend: page }); // for the console: attend.worked is what `attend trace --json` prints
} catch (error) {
  target.textContent = "attend: the page cannot start: " + (error as Error).message;
  throw error;
}
