/** Entry of the chat window's page. */
import { effect } from "@preact/signals";
import { render } from "preact";
import { App } from "./app";
import type { Commands, Delivery } from "./bindings";
import { EXTRAS } from "./extras/list";
import { stayOnPage } from "./input/drops";
import { connect } from "./ipc/bridge";
import { Store } from "./state/store";
import "./style/index.css";
import { language } from "./texts";

/** Milliseconds after which the page is drawn as far as it is known. */
const PATIENCE = 150;

async function start(root: HTMLElement): Promise<void> {
  let store: Store | undefined;
  const early: Delivery[] = [];
  const deliver = (delivery: Delivery) => (store ? store.deliver(delivery) : void early.push(delivery));
  const commands = await open(deliver);
  store = new Store(commands, EXTRAS);
  for (const delivery of early) store.deliver(delivery);
  stayOnPage();
  const started = store.start();
  await drawable(store);
  render(<App store={store} />, root);
  await started;
}

/** Resolves once the page can be drawn at once with its conversation, or has waited long enough for it. */
function drawable(store: Store): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => void (store.drawable && resolve()));
    setTimeout(() => {
      stop();
      resolve();
    }, PATIENCE);
  });
}

async function open(deliver: (delivery: Delivery) => void): Promise<Commands> {
  if (import.meta.env.DEV && location.search.includes("fake")) {
    const { browseFake } = await import("../dev/browse");
    return browseFake(deliver);
  }
  return connect(deliver);
}

/** Set the language from the window's address (`#theme,language`) before the core answers; `chat.html` sets the theme. */
function speakFromTheStart(): void {
  const named = location.hash.slice(1).split(",")[1];
  if (named === "en" || named === "zh" || named === "es") language.value = named;
}

const root = document.getElementById("app");
if (root) {
  speakFromTheStart();
  void start(root);
}
