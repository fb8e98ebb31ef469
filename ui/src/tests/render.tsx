/** Pages over the fake core, and helpers to find, press and type. */
import { render } from "preact";
import { act } from "preact/test-utils";
import { App } from "../app";
import type { Receipt, TurnView } from "../bindings";
import type { MakeExtra } from "../state/extra";
import type { Below, Section } from "../state/navigation";
import type { Store } from "../state/store";
import type { FakeCore } from "./core/core";
import { turnView } from "./core/records";
import { makeStore } from "./store";

export interface Mounted {
  core: FakeCore;
  store: Store;
  root: HTMLElement;
}

let before: HTMLElement | undefined;
// jsdom has no layout, but the editor measures a frame after the test.
Range.prototype.getClientRects ??= () => [] as unknown as DOMRectList;

/** Mount the page, with all extras or these. jsdom has neither layout nor modal dialogs. */
export async function mountApp(prepare?: (core: FakeCore) => void, extras?: readonly MakeExtra[]): Promise<Mounted> {
  const { core, store } = makeStore(prepare, extras);
  const root = document.createElement("div");
  root.id = "app";
  if (before) render(null, before);
  before = root;
  document.body.replaceChildren(root);
  await settle(async () => {
    render(<App store={store} />, root);
    await store.start();
  });
  return { core, store, root };
}

/** Mount the app with the conversation `c1` of these turns in front. */
export function mountTalk(turns: TurnView[], prepare: (core: FakeCore) => void = () => undefined): Promise<Mounted> {
  return mountApp((core) => {
    core.addConversation({ id: "c1", title: "A talk" }, turns);
    core.app = {
      ...core.app,
      tabs: [{ conversation: "c1", draft: "", scroll: 0, attachments: [], pinned: false }],
      active_tab: "c1",
    };
    prepare(core);
  });
}

/** A page of the settings, one below them, or a file in the editor. */
export type Place = Section | Exclude<Below, ""> | "SOUL.md" | "USER.md";

/** Open a place of the settings, with what is folded there. */
export async function openAt({ store, root }: Mounted, place: Place): Promise<void> {
  await settle(() => {
    if (place.endsWith(".md")) store.openFile(place);
    else if (place === "days" || place === "reminders") store.navigation.openSettings("us", place);
    else if (isSection(place)) store.navigation.openSettings(place);
    else store.navigation.openSettings("privacy", place as Below);
  });
  if (place !== "advanced") return;
  await settle(() => {
    for (const each of root.querySelectorAll<HTMLDetailsElement>("details.advanced")) {
      each.open = true;
      each.dispatchEvent(new Event("toggle"));
    }
  });
}

function isSection(place: string): place is Section {
  return ["me", "us", "model", "desktop", "privacy"].includes(place);
}

/** Mount the app with a place of the settings in front. */
export async function mountSettings(place: Place, prepare?: (core: FakeCore) => void): Promise<Mounted> {
  const page = await mountApp(prepare);
  await openAt(page, place);
  return page;
}

/** Return turns `t0`, `t1`, … with their number in message and reply. */
export const many = (count: number) =>
  Array.from({ length: count }, (_, at) => turnView(`t${at}`, `message ${at}`, `reply ${at}`));

/** The receipt of a line in the profile. */
export const RECEIPT: Receipt = {
  file: "USER.md",
  history_id: "h",
  before: "a",
  after: "b",
  added: 1,
  removed: 0,
  author: "pet",
  merged: false,
  masked: [],
  foreign: [],
  noted: [],
};

/** Return a turn in which the pet wrote this. */
export function wrote(receipt: Receipt): TurnView {
  const tool = {
    call: "k",
    round: 1,
    tool: "memory_write",
    file: receipt.file,
    running: false,
    error: null,
    receipt,
  };
  return turnView("t1", "hi", "done", { tools: [tool] });
}

/** Run `action` and everything that follows from it: promises, effects, drawing. */
export async function settle(action: () => unknown = () => undefined): Promise<void> {
  await act(async () => void (await action()));
  // Effects run at the end of an act; their commands are answered in the next ones.
  for (let round = 0; round < 4; round += 1) {
    await act(async () => {
      for (let turn = 0; turn < 12; turn += 1) await Promise.resolve();
    });
  }
}

export function find<E extends Element = HTMLElement>(root: ParentNode, selector: string): E {
  const element = root.querySelector<E>(selector);
  if (!element) throw new Error(`nothing matches ${selector} in:\n${(root as Element).innerHTML}`);
  return element;
}

export function button(root: ParentNode, words: string): HTMLButtonElement {
  const all = [...root.querySelectorAll("button")];
  const element = all.find((each) => each.textContent?.trim() === words || each.getAttribute("aria-label") === words);
  if (!element) throw new Error(`no button "${words}" among ${all.map((each) => each.textContent).join(" | ")}`);
  return element;
}

export function type(field: HTMLTextAreaElement | HTMLInputElement, text: string): void {
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { bubbles: true }));
}

export function press(target: Element, key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  return event;
}
