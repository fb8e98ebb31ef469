/** Starts the chat window's page. */
import { render } from "preact";
import { App } from "./app";
import type { Commands, Delivery } from "./bindings";
import { connect } from "./ipc/bridge";
import { Store } from "./state/store";
import "./style/index.css";

async function start(root: HTMLElement): Promise<void> {
  let store: Store | undefined;
  const early: Delivery[] = [];
  const deliver = (delivery: Delivery) => (store ? store.deliver(delivery) : void early.push(delivery));
  const commands = await open(deliver);
  store = new Store(commands);
  for (const delivery of early) store.deliver(delivery);
  keepOnThisPage();
  render(<App store={store} />, root);
  window.addEventListener("pagehide", () => void store?.saveTabsNow());
  await store.start();
}

async function open(deliver: (delivery: Delivery) => void): Promise<Commands> {
  if (import.meta.env.DEV && location.search.includes("fake")) {
    const { browseFake } = await import("../dev/browse");
    return browseFake(deliver);
  }
  return connect(deliver);
}

/** Nothing may lead away from this page, whatever is clicked or dropped. */
function keepOnThisPage(): void {
  const refuse = (event: Event) => event.preventDefault();
  window.open = () => null;
  for (const name of ["dragover", "drop"]) window.addEventListener(name, keepText);
  for (const name of ["click", "auxclick"]) {
    document.addEventListener(name, (event) => {
      if (event.target instanceof Element && event.target.closest("a[href]")) refuse(event);
    });
  }
}

/** Text may be dropped into a field; anything else would be opened in place of the page. */
function keepText(event: Event): void {
  const field = event.target instanceof Element && event.target.closest("textarea, input, .cm-editor");
  const data = event instanceof DragEvent ? event.dataTransfer : null;
  if (!field || !data?.types.includes("text/plain") || data.types.includes("Files")) event.preventDefault();
}

const root = document.getElementById("app");
if (root) void start(root);
