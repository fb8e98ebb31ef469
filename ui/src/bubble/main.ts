/**
 * The speech bubble's page: shows what the core sends, requests the room it needs, expands for long replies, and
 * fades after the reading time. Takes no focus before it is clicked. Errors go to the core's log.
 */
import type { BubbleView, CommandName, CommandTypes, Delivery, ReminderView } from "../bindings";
import { giveDropped } from "../ipc/upload";
import { reminderMoment } from "../memory/spoken";
import { type Acts, drawn, element, keyOf, wordsOf } from "./content";
import "./bubble.css";

export type Ask = <N extends CommandName>(
  name: N,
  args: CommandTypes[N]["args"],
) => Promise<CommandTypes[N]["reply"] | null>;

const askCore: Ask = async (name, args) => {
  await ready();
  const envelope = await window.pywebview?.api?.invoke?.(name, JSON.stringify(args)).catch(() => "");
  if (!envelope) return null;
  const reply = JSON.parse(envelope) as { ok: boolean; value: CommandTypes[typeof name]["reply"] };
  return reply.ok ? reply.value : null;
};

function ready(): Promise<void> {
  if (window.pywebview?.api?.invoke) return Promise.resolve();
  return new Promise((resolve) => {
    window.addEventListener("pywebviewready", () => resolve(), { once: true });
  });
}

interface DismissTimer {
  begin(seconds: number): void;
  hold(): void;
  release(): void;
  end(): void;
}

function dismissTimer(over: () => void): DismissTimer {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let length = 0;
  let held = false;

  function start(): void {
    clearTimeout(timer);
    if (length > 0 && !held) timer = setTimeout(over, length * 1000);
  }

  return {
    begin(seconds) {
      length = seconds;
      start();
    },
    hold() {
      held = true;
      clearTimeout(timer);
    },
    release() {
      held = false;
      start();
    },
    end() {
      length = 0;
      clearTimeout(timer);
    },
  };
}

const FADE_MS = 220;
/** Characters of a text that is asked about, as in `pet/services/quick_ask.py`. */
const LONGEST_QUOTE = 20_000;

export function mount(root: HTMLElement, ask: Ask = askCore): void {
  const reading = dismissTimer(() => void leave());
  let view: BubbleView | null = null;
  let open = false;
  let later: string | null = null;
  let latest = 0;
  /** what stands in the field: kept while the bubble is drawn anew */
  let typed = "";

  root.addEventListener("pointerenter", reading.hold);
  root.addEventListener("pointerleave", reading.release);
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || !root.isConnected || !view || view.kind === "none") return;
    event.preventDefault();
    if (later !== null) acts.later(null);
    else if (open) acts.readOn(false);
    else acts.close();
  });

  /** Return the number of the view shown: an answer applies to it, whatever the core sends meanwhile. */
  const seen = () => (view ? { number: view.number } : {});

  const acts: Acts = {
    close: () => void ask("close_bubble", seen()),
    openChat() {
      latest += 1; // a fade that began earlier must not hide it
      reading.end();
      void ask("open_bubble", seen());
    },
    say: (text) => void ask("say_in_bubble", { text, ...seen() }),
    async sayInField(text) {
      const sent = await ask("say_in_bubble", { text, ...seen() });
      if (sent) typed = "";
      return sent !== null;
    },
    type(text) {
      typed = text;
    },
    quote: (text) => void ask("ask_about", { text: text.slice(0, LONGEST_QUOTE + 1) }),
    give: (things) => void giveDropped(things, (each) => ask("drop_on_pet", each)),
    remove: (attachment) => void (view && ask("remove_from_field", { attachment, number: view.number })),
    capture: () => void ask("take_screenshot", { area: "region", ask: true }),
    answerAgent: (answer) => void ask("answer_agent", { answer, ...seen() }),
    answerPermission: (answer) => void (view && ask("answer_permission", { answer, number: view.number })),
    goThere: () => void (view && ask("go_there", { number: view.number })),
    answerRecheck: (answer) => void (view && ask("answer_recheck", { answer, number: view.number })),
    undoChange: () => void (view && ask("undo_change", { number: view.number })),
    leaveAlone: () => void ask("leave_alone", seen()),
    readOn(wanted) {
      open = wanted;
      latest += 1;
      root.classList.add("turning"); // visible again when the window has its new size
      void draw(latest);
    },
    answer: (item, reminder, until) => void answer(item, reminder, until),
    later(reminder) {
      later = reminder && keyOf(reminder);
      latest += 1;
      void draw(latest, { chose: reminder !== null });
    },
  };

  // Some desktops show the clipboard only to the program in front, and the owner may go and copy something first.
  function readCopied(): void {
    if (view?.kind === "field" && view.copied && !view.text && document.hasFocus()) {
      void ask("read_copied", { number: view.number });
    }
  }
  window.addEventListener("focus", readCopied);

  // Without these a dropped file replaces the page.
  for (const name of ["dragenter", "dragover"]) {
    root.addEventListener(name, (event) => {
      event.preventDefault();
      const dragged = event as DragEvent;
      if (dragged.dataTransfer && view?.kind !== "field") dragged.dataTransfer.dropEffect = "none";
    });
  }
  root.addEventListener("drop", (event) => {
    event.preventDefault();
    if (view?.kind === "field" && event.dataTransfer) acts.give(event.dataTransfer);
  });

  async function refresh(): Promise<void> {
    latest += 1;
    const request = latest;
    const next = await ask("get_bubble", {});
    if (request !== latest) return; // the content changed meanwhile
    // Keep the elements of unchanged content: a button that is replaced while it is pressed gets no click.
    const same = later === null && root.hasChildNodes() && JSON.stringify(next) === JSON.stringify(view);
    later = null;
    if (next?.number !== view?.number) open = false; // else the same content in another language or theme
    view = next;
    root.classList.remove("gone");
    await draw(request, { same });
  }

  async function draw(request: number, { same = false, chose = false } = {}): Promise<void> {
    const read = root.querySelector(".rest")?.scrollTop ?? 0;
    reading.end();
    root.style.height = "";
    if (!view || view.kind === "none") {
      root.replaceChildren();
      return;
    }
    const shown = view;
    dress(shown);
    // Keep the scroll position of what the owner expanded.
    root.setAttribute("aria-live", open ? "off" : "polite");
    if (!same) root.replaceChildren(drawn(shown, { rest: open, later, typed }, acts));
    if (chose) root.querySelector<HTMLElement>(".later button")?.focus();
    const wanted = { width: root.offsetWidth, height: root.offsetHeight };
    const reads = open || shown.kind === "field";
    const place = await ask("size_bubble", reads ? { ...wanted, reading: true } : wanted);
    if (request !== latest) return;
    root.classList.remove("turning");
    if (!place) return;
    root.dataset["side"] = place.side;
    root.style.setProperty("--tail", `${place.tail}px`);
    if (place.height < wanted.height) root.style.height = `${place.height}px`;
    const rest = root.querySelector<HTMLElement>(".rest");
    rest?.focus();
    root.querySelector<HTMLElement>(".field input")?.focus();
    readCopied();
    if (rest) rest.scrollTop = read;
    else reading.begin(shown.seconds);
  }

  async function leave(): Promise<void> {
    const request = latest;
    root.classList.add("gone");
    if (!root.classList.contains("still")) await new Promise((done) => setTimeout(done, FADE_MS));
    if (request === latest) await ask("close_bubble", seen());
  }

  function dress(next: BubbleView): void {
    document.documentElement.lang = next.language === "zh" ? "zh-CN" : next.language;
    if (next.theme === "system") delete document.documentElement.dataset["theme"];
    else document.documentElement.dataset["theme"] = next.theme;
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    root.classList.toggle("still", next.reduced_motion === "on" || (next.reduced_motion === "system" && still));
    root.classList.toggle("open", open || next.kind === "permission");
  }

  async function answer(item: HTMLElement, reminder: ReminderView, until: string | null): Promise<void> {
    for (const each of item.querySelectorAll("button")) each.disabled = true;
    const { file, line, text } = reminder;
    const shown = reminderMoment(reminder);
    const reply = await ask("answer_reminder", { file, line, text, shown, answer: until ? "snooze" : "done", until });
    if (reply || !view) return; // the core sends what is left
    item.replaceChildren(element("span", "late", wordsOf(view.language)("bubble.moved")));
  }

  window.__soulpet = {
    deliver(_delivery: Delivery) {
      void refresh();
    },
  };
  void refresh();
}

const root = document.getElementById("bubble");
if (root) mount(root);
