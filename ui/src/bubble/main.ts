/**
 * The speech bubble's page: shows what the core has it say, as words and never as markup, asks for the room it
 * needs, and fades when it was read. Takes no focus; everything in it can be done in the chat as well.
 */
import type { BubbleView, Delivery, PromiseView } from "../bindings";
import { type Ask, ask as askCore } from "./core";
import "./bubble.css";
import { stay } from "./stay";
import { wordsOf } from "./words";

const FADE_MS = 220;

export function mount(root: HTMLElement, ask: Ask = askCore): void {
  const reading = stay(() => void leave());
  let view: BubbleView | null = null;
  let latest = 0;

  root.addEventListener("pointerenter", reading.hold);
  root.addEventListener("pointerleave", reading.release);

  async function refresh(): Promise<void> {
    latest += 1;
    const asked = latest;
    const found = await ask("get_bubble", {});
    if (asked !== latest) return; // it says something else by now
    view = found;
    reading.end();
    root.classList.remove("gone");
    if (!found || found.kind === "none") {
      root.replaceChildren();
      return;
    }
    dress(found);
    root.replaceChildren(...content(found));
    const place = await ask("size_bubble", { width: root.offsetWidth, height: root.offsetHeight });
    if (place && asked === latest) {
      root.dataset["side"] = place.side;
      root.style.setProperty("--tail", `${place.tail}px`);
      reading.begin(found.kind === "promises" ? 0 : found.seconds); // a promise waits for its answer
    }
  }

  async function leave(): Promise<void> {
    const asked = latest;
    root.classList.add("gone");
    if (!root.classList.contains("still")) await new Promise((done) => setTimeout(done, FADE_MS));
    if (asked === latest) await ask("close_bubble", {});
  }

  function dress(found: BubbleView): void {
    document.documentElement.lang = found.language === "zh" ? "zh-CN" : "en";
    if (found.theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = found.theme;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    root.classList.toggle("still", found.reduced_motion === "on" || (found.reduced_motion === "system" && still));
  }

  function content(found: BubbleView): HTMLElement[] {
    const word = wordsOf(found.language);
    const card = element("div", "card");
    const close = button(word("bubble.close"), () => void ask("close_bubble", {}), "close");
    close.textContent = "×";
    close.setAttribute("aria-label", word("bubble.close"));
    card.append(close);
    if (found.kind === "promises") {
      card.append(element("p", "lead", word("bubble.promises")));
      const list = element("ul", "promises");
      list.append(...found.promises.map((promise) => promised(promise, found)));
      card.append(list);
      return [card];
    }
    card.append(element("p", "said", found.text));
    const label = found.kind === "question" ? "bubble.look" : found.more ? "bubble.more" : "bubble.answer";
    const row = element("div", "row");
    row.append(button(word(label), () => void ask("open_bubble", {}), found.kind === "question" ? "main" : ""));
    card.append(row);
    return [card];
  }

  function promised(promise: PromiseView, found: BubbleView): HTMLElement {
    const word = wordsOf(found.language);
    const item = element("li", "");
    item.append(element("span", "said", promise.text));
    if (promise.overdue) item.append(element("span", "late", word("bubble.overdue", { due: promise.due })));
    const row = element("div", "row");
    row.append(
      button(word("bubble.done"), () => void answer(item, promise, "done"), "main"),
      button(word("bubble.snooze"), () => void answer(item, promise, "snooze"), ""),
    );
    item.append(row);
    return item;
  }

  async function answer(item: HTMLElement, promise: PromiseView, kind: "done" | "snooze"): Promise<void> {
    for (const each of item.querySelectorAll("button")) each.disabled = true;
    const { file, line, text } = promise;
    const until = kind === "snooze" ? tomorrow(new Date()) : null;
    const reply = await ask("answer_promise", { file, line, text, answer: kind, until });
    if (reply || !view) return; // the core has the rest say what is left
    item.replaceChildren(element("span", "late", wordsOf(view.language)("bubble.moved")));
  }

  window.__soulpet = {
    deliver(_delivery: Delivery) {
      void refresh();
    },
  };
  void refresh();
}

/** Tomorrow's local date, as YYYY-MM-DD. */
export function tomorrow(now: Date): string {
  const day = new Date(now.getFullYear(), now.getMonth(), now.getDate() + 1);
  const two = (value: number) => String(value).padStart(2, "0");
  return `${day.getFullYear()}-${two(day.getMonth() + 1)}-${two(day.getDate())}`;
}

function element(tag: string, name: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.textContent = text;
  return made;
}

function button(text: string, act: () => void, name: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  if (name) made.className = name;
  made.addEventListener("click", act);
  return made;
}

const root = document.getElementById("bubble");
if (root) mount(root);
