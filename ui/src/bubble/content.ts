/** The bubble's texts and elements. A separate small catalogue keeps the page small; draws text, never markup. */
import en from "@texts/en/bubble.json";
import enChat from "@texts/en/chat.json";
import es from "@texts/es/bubble.json";
import esChat from "@texts/es/chat.json";
import zh from "@texts/zh/bubble.json";
import zhChat from "@texts/zh/chat.json";
import type { BubbleView, FieldFile, MarkdownBlock, ReminderView } from "../bindings";
import { quickReplies } from "../chat/quick_replies";
import { canSnoozeToEvening, plainNote, shortDay } from "../memory/spoken";

/** Return a quick reply's text in the language of the reply. */
function quickWord(language: BubbleView["language"], key: string): string {
  const words: Record<BubbleView["language"], Record<string, string>> = { en: enChat, zh: zhChat, es: esChat };
  return words[language][key] ?? "";
}

type Word = keyof typeof en;

export function wordsOf(language: BubbleView["language"]): (word: Word, args?: Record<string, string>) => string {
  const words: Record<Word, string> = { en, zh, es }[language];
  return (word, args = {}) => words[word].replace(/\{(\w+)\}/g, (whole, name: string) => args[name] ?? whole);
}

/** The owner's actions in the bubble. */
export interface Acts {
  close(): void;
  openChat(): void;
  readOn(open: boolean): void;
  leaveAlone(): void;
  answerAgent(answer: "read" | "later" | "never"): void;
  /** allows or denies what an agent asks for; "" leaves it to the agent's own question */
  answerPermission(answer: "" | "allow" | "deny"): void;
  goThere(): void;
  /** answers whether a line of the memory still holds */
  answerRecheck(answer: "yes" | "no_longer" | "never"): void;
  undoChange(): void;
  say(text: string): void;
  /** sends what was typed; resolves to whether it was sent */
  sayInField(text: string): Promise<boolean>;
  type(text: string): void;
  /** asks about a pasted text; "" opens the line alone */
  quote(text: string): void;
  /** asks about dropped or pasted files */
  give(things: DataTransfer): void;
  /** takes a file out of the field, "" for the quoted text */
  remove(attachment: string): void;
  /** adds a part of the screen */
  capture(): void;
  /** answers a reminder: done, or snoozed until a time that the core parses */
  answer(item: HTMLElement, reminder: ReminderView, until: string | null): void;
  /** shows the times to snooze until; null: hides them */
  later(reminder: ReminderView | null): void;
}

interface Choice {
  word: Word;
  act: () => void;
  name?: "main" | "quiet" | "quick";
  /** literal texts, not of the catalogue */
  text?: string;
}

/** The expanded part: the rest of a reply, or the snooze times of one reminder. */
interface Opened {
  rest: boolean;
  later: string | null;
  typed: string;
}

export function drawn(view: BubbleView, { rest: open, later, typed }: Opened, acts: Acts): HTMLElement {
  const word = wordsOf(view.language);
  const card = element("div", "card");
  const close = button({ word: "bubble.close", act: acts.close }, "×");
  close.className = "close";
  close.setAttribute("aria-label", word("bubble.close"));
  const shown = view.kind === "field" ? field(view, typed, acts) : body(view, open, later, acts);
  card.append(close, shown);
  const choices = choicesOf(view, open, acts);
  if (choices.length > 0) {
    const row = element("div", "row");
    row.append(...choices.map((choice) => inItsDirection(button(choice, choice.text ?? word(choice.word)))));
    card.append(row);
    if (view.kind === "agent" || view.kind === "permission") rest(row);
    if (view.kind === "permission") readFirst(row, shown);
  }
  return card;
}

/** Milliseconds before a permission can be given: a click meant for what was there before must not give it. */
const AT_REST = 600;

function rest(row: HTMLElement): void {
  const buttons = row.querySelectorAll("button");
  for (const each of buttons) {
    each.disabled = true;
    each.addEventListener("keydown", (event) => {
      if (event.key === "Enter") event.preventDefault(); // it may have been meant for another window
    });
  }
  setTimeout(() => {
    for (const each of buttons) each.disabled = false;
  }, AT_REST);
}

/** Let Allow show the next part of a command until its end was in view. */
function readFirst(row: HTMLElement, body: HTMLElement): void {
  let read = false;
  const look = () => {
    read ||= body.scrollTop + body.clientHeight >= body.scrollHeight - 1;
  };
  const next = (event: Event) => {
    look();
    if (read) return;
    event.stopImmediatePropagation();
    body.scrollTop += body.clientHeight * 0.9;
    rest(row);
  };
  body.addEventListener("scroll", look);
  row.querySelector("button")?.addEventListener("click", next, { capture: true });
}

/** Return the quick replies, as in the chat. */
function quickOf(view: BubbleView): string[] {
  const { language, replies } = quickReplies(view.ending);
  return replies.map((each) => ("text" in each ? each.text : quickWord(language, each.key))).filter(Boolean);
}

function choicesOf(view: BubbleView, open: boolean, acts: Acts): Choice[] {
  const openChat: Choice = { word: "bubble.look", act: acts.openChat, name: "main" };
  const inField = view.kind === "greeting"; // there is nothing yet to go on with in the chat
  const answer: Choice = { word: "bubble.answer", act: inField ? () => acts.quote("") : acts.openChat };
  const toChat: Choice = { word: "bubble.open", act: acts.openChat, name: "quiet" };
  const less: Choice = { word: "bubble.less", act: () => acts.readOn(false) };
  const quick = quickOf(view).map(
    (text): Choice => ({ word: "bubble.answer", text, act: () => acts.say(text), name: "quick" }),
  );
  switch (view.kind) {
    case "field":
      return view.suggestions.map((text) => ({
        word: "bubble.answer",
        text,
        act: () => void acts.sayInField(text).then(refuse),
        name: "quick",
      }));
    case "reminders":
    case "line":
    case "goodbye":
      return [];
    case "state":
      return view.goes ? [{ word: "bubble.go_there", act: acts.goThere, name: "main" }] : [];
    case "saved":
      return [{ word: "bubble.open_folder", act: acts.goThere, name: "main" }];
    case "permission":
      return [
        { word: "bubble.allow", act: () => acts.answerPermission("allow") },
        { word: "bubble.deny", act: () => acts.answerPermission("deny") },
        { word: "bubble.ask_there", act: () => acts.answerPermission(""), name: "quiet" },
      ];
    case "failed":
    case "question":
      return [openChat];
    case "agent":
      return [
        { word: "bubble.read_only", act: () => acts.answerAgent("read") },
        { word: "bubble.not_now", act: () => acts.answerAgent("later") },
        { word: "bubble.never", act: () => acts.answerAgent("never"), name: "quiet" },
      ];
    case "recheck":
      return [
        { word: "bubble.yes", act: () => acts.answerRecheck("yes") },
        { word: "bubble.no_longer", act: () => acts.answerRecheck("no_longer") },
        { word: "bubble.dont_ask_again", act: () => acts.answerRecheck("never"), name: "quiet" },
      ];
    case "changed":
      return [{ word: "bubble.undo", act: acts.undoChange }];
    case "asking":
      return [
        { word: "bubble.tell", act: acts.openChat, name: "main" },
        { word: "bubble.not_now", act: acts.close },
        { word: "bubble.dont_ask", act: acts.leaveAlone, name: "quiet" },
      ];
    default:
      if (!view.more) return quick.length > 0 ? [...quick, toChat] : [answer];
      if (open) return quick.length > 0 ? [...quick, less, toChat] : [{ ...answer, name: "main" }, less];
      return [
        { word: "bubble.more", act: () => acts.readOn(true), name: "main" },
        { word: "bubble.open", act: acts.openChat },
      ];
  }
}

/** Characters of a pasted text that is asked about instead of said; one with several lines always is. */
const QUOTED = 200;

function refuse(sent: boolean): void {
  document.querySelector(".field")?.classList.toggle("refused", !sent);
}

/** One line in which the owner says something, below what they ask about; what could not be sent stays in it. */
function field(view: BubbleView, typed: string, acts: Acts): HTMLElement {
  const word = wordsOf(view.language);
  const form = document.createElement("form");
  form.className = "field";
  const removal = (name: string, id: string) => {
    const remove = button({ word: "bubble.remove", act: () => acts.remove(id) }, "×");
    remove.className = "remove";
    remove.setAttribute("aria-label", word("bubble.remove", { name }));
    return remove;
  };
  if (view.text) {
    const name = word(view.copied ? "bubble.copied" : "bubble.quoted");
    const quoted = textElement("blockquote", "quoted", view.text);
    quoted.setAttribute("aria-label", name);
    const line = element("div", "about");
    line.append(quoted, removal(name, ""));
    if (view.copied) form.append(element("p", "late", name));
    form.append(line);
    if (view.more) form.append(element("p", "late", `… ${word("bubble.quote_cut")}`));
  } else if (view.copied) form.append(element("p", "late", word("bubble.copy_first")));
  if (view.files.length > 0) {
    const files = element("ul", "files");
    files.append(...view.files.map((file) => fileItem(file, removal(file.name, file.id))));
    form.append(files);
  }
  if (view.notice) form.append(textElement("p", "late notice", view.notice));
  const input = document.createElement("input");
  input.maxLength = 2000;
  input.value = typed;
  input.dir = "auto";
  const asks = word(view.text || view.copied || view.files.length > 0 ? "bubble.ask" : "bubble.say");
  input.placeholder = asks;
  input.setAttribute("aria-label", asks);
  input.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (!text && event.clipboardData?.files.length) {
      event.preventDefault();
      acts.give(event.clipboardData);
      return;
    }
    if (text.length < QUOTED && !text.trim().includes("\n")) return;
    event.preventDefault();
    acts.quote(text);
  });
  input.addEventListener("input", () => {
    acts.type(input.value);
    form.classList.remove("refused");
  });
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const text = input.value.trim();
    if (!text || input.disabled) return;
    input.disabled = true;
    void acts.sayInField(text).then((sent) => {
      input.disabled = false;
      refuse(sent);
      if (!sent) input.focus();
    });
  });
  const line = element("div", "line");
  line.append(input);
  if (view.captures) {
    const capture = button({ word: "bubble.screenshot", act: acts.capture }, "");
    capture.className = "capture";
    capture.title = word("bubble.screenshot");
    capture.setAttribute("aria-label", word("bubble.screenshot"));
    capture.append(icon("M4 8V5h4M16 5h4v3M20 16v3h-4M8 19H4v-3M9 12a3 3 0 1 0 6 0a3 3 0 1 0-6 0"));
    line.append(capture);
  }
  form.append(line);
  return form;
}

/** A small copy of a picture, or a text's name and how much of it is sent. */
function fileItem(file: FieldFile, remove: HTMLElement): HTMLElement {
  const item = element("li", file.image ? "picture" : "text");
  if (file.image) {
    const picture = document.createElement("img");
    picture.src = file.image;
    picture.alt = file.name;
    item.append(picture, remove);
    return item;
  }
  const name = textElement("span", "name", file.name);
  name.title = file.name;
  const words = element("span", "");
  words.append(name);
  if (file.note) words.append(element("span", "late", file.note));
  item.append(icon("M6.500 3.500h7.500l4 4v13h-11.500zM13.500 3.500v4.500h4.500"), words, remove);
  return item;
}

function icon(path: string): SVGElement {
  const space = "http://www.w3.org/2000/svg";
  const made = document.createElementNS(space, "svg");
  made.setAttribute("viewBox", "0 0 24 24");
  made.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  made.append(line);
  return made;
}

function body(view: BubbleView, open: boolean, later: string | null, acts: Acts): HTMLElement {
  const word = wordsOf(view.language);
  const place = element("div", open ? "body rest" : "body");
  if (view.kind === "reminders") {
    const list = element("ul", "reminders");
    list.append(...view.reminders.map((reminder) => reminderItem(reminder, view, later, acts)));
    place.append(element("p", "lead", word("bubble.reminders")), list);
  } else if (open) {
    place.tabIndex = 0; // focusable, so that the arrow keys scroll it
    place.setAttribute("role", "region");
    place.setAttribute("aria-label", word("bubble.rest"));
    place.append(...view.pieces.map(piece));
  } else {
    const said = textElement("p", "said", view.text);
    if (view.kind === "greeting") said.addEventListener("click", () => acts.quote(""));
    place.append(said);
  }
  if (view.command) {
    const command = element("pre", "command", view.command);
    command.dir = "ltr";
    command.tabIndex = 0; // a long one is scrolled by the arrow keys
    command.setAttribute("role", "region");
    command.setAttribute("aria-label", word("bubble.command"));
    place.append(command);
  }
  return place;
}

const TAGS: Record<MarkdownBlock["kind"], string> = {
  text: "p",
  heading: "p",
  item: "p",
  quote: "blockquote",
  code: "pre",
  row: "p",
};

function piece({ kind, text, mark, depth }: MarkdownBlock): HTMLElement {
  const made = textElement(TAGS[kind], kind, kind === "item" ? "" : text);
  if (kind === "code") made.dir = "ltr";
  if (kind === "item") {
    made.style.setProperty("--depth", String(depth));
    made.append(element("span", "mark", mark), textElement("span", "", text));
  }
  return made;
}

function reminderItem(reminder: ReminderView, view: BubbleView, later: string | null, acts: Acts): HTMLElement {
  const word = wordsOf(view.language);
  const item = element("li", "");
  item.append(textElement("span", "said", plainNote(reminder.text)));
  const due = shortDay(reminder.due, view.language === "en" ? "en-GB" : view.language);
  const when = [reminder.overdue ? word("bubble.overdue", { due }) : reminder.at, reminder.repeats];
  if (when.some(Boolean)) item.append(element("span", "late", when.filter(Boolean).join(" · ")));
  const row = element("div", "row");
  const act = (word_: Word, act: () => void, name?: "main" | "quiet") =>
    button({ word: word_, act, ...(name ? { name } : {}) }, word(word_));
  if (later === keyOf(reminder)) {
    row.classList.add("later");
    const until = (word_: Word, words: string) => act(word_, () => acts.answer(item, reminder, words));
    row.append(until("bubble.in_ten_minutes", "in 10 minutes"), until("bubble.in_an_hour", "in an hour"));
    if (canSnoozeToEvening()) row.append(until("bubble.this_evening", "this evening"));
    row.append(until("bubble.tomorrow", "tomorrow"));
    row.append(act("bubble.back", () => acts.later(null), "quiet"));
  } else {
    row.append(
      act("bubble.done", () => acts.answer(item, reminder, null), "main"),
      act("bubble.later", () => acts.later(reminder)),
    );
  }
  item.append(row);
  return item;
}

export function keyOf(reminder: ReminderView): string {
  return `${reminder.file}:${reminder.line}`;
}

/** Return an element with text in its own direction. */
function textElement(tag: string, name: string, text: string): HTMLElement {
  return inItsDirection(element(tag, name, text));
}

function inItsDirection(made: HTMLElement): HTMLElement {
  made.dir = "auto";
  return made;
}

export function element(tag: string, name: string, text = ""): HTMLElement {
  const made = document.createElement(tag);
  if (name) made.className = name;
  made.textContent = text;
  return made;
}

function button({ act, name }: Choice, text: string): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = text;
  if (name) made.className = name;
  made.addEventListener("click", act);
  return made;
}
