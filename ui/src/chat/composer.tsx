/** The composer: message field, memory switch, send and stop. */
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { fitText, IconButton } from "../components/controls";
import { Icon } from "../components/icons";
import { Menu } from "../components/menu";
import { composing, isKey } from "../input/keys";
import { listen } from "../input/listen";
import { type Conversation, runningTurn } from "../state/chat/conversation";
import { NEW } from "../state/chat/drafts";
import { useStore } from "../state/context";
import type { ConversationSwitch } from "../state/extra";
import { orNull } from "../state/memory";
import type { Store } from "../state/store";
import { t } from "../texts";
import { AttachButton, Tray, takePaste } from "./attachments";
import { acknowledge } from "./banner";
import { modelItem } from "./model_choice";

function MemorySwitch({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { id, memory, read_only, temporary, switches } = conversation.info;
  const paused = store.paused.value;
  const fixed = temporary || paused;
  const on = memory && !fixed;
  const reads = read_only && !paused; // also in a temporary conversation: a question about what is selected
  const shortcut = store.app.value?.shortcut_memory ?? "";
  const position = on ? "on" : reads ? "read" : "off";
  const state = temporary ? (reads ? "temporary_read" : "temporary") : paused ? "paused" : position;
  const tip = t(`ui.memory_switch.tip_${state}`);
  const toggle = (
    <button
      type="button"
      class="memory-switch"
      aria-pressed={reads ? "mixed" : on}
      aria-label={t("ui.memory_switch.label")}
      aria-disabled={fixed}
      data-tip={
        shortcut && !temporary && !paused ? `${tip}\n${t("ui.memory_switch.shortcut", { keys: shortcut })}` : tip
      }
      onClick={() => void flipMemory(store, conversation)}
    >
      <Icon name="brain" slashed={!on && !reads} />
      <span class="state" data-words={t(`ui.memory_switch.${state}`)} />
    </button>
  );
  const own = switchesOf(store, temporary).map(({ name, label }, at) => ({
    label: label(),
    checked: switches.includes(name),
    own: true,
    starts: at === 0 && !temporary,
    onChoose: () => void setSwitch(store, id, name, !switches.includes(name)),
  }));
  if (paused || (fixed && own.length === 0)) return toggle;
  return (
    <>
      {toggle}
      <Menu
        label={t("ui.memory_switch.choose")}
        look="quiet memory-menu"
        above
        items={[
          ...(temporary ? [] : POSITIONS).map((position) => ({
            label: t(`ui.memory_switch.${position}`),
            checked: position === state,
            onChoose: () => void setMemory(store, id, position),
          })),
          ...own,
          ...(temporary ? [] : [{ ...modelItem(store), starts: true }]),
        ]}
      >
        <Icon name="chevron" />
      </Menu>
    </>
  );
}

type Position = "on" | "read" | "off";
const POSITIONS: Position[] = ["on", "read", "off"];

async function setMemory(store: Store, conversation: string, position: Position): Promise<void> {
  const to = { conversation, memory: position === "on", read_only: position === "read" };
  await store.notices.attempt(() => store.commands.setMemory(to));
}

export async function flipMemory(store: Store, conversation: Conversation): Promise<void> {
  const { id, memory, read_only, temporary } = conversation.info;
  if (temporary)
    return store.notices.tell(
      t(read_only ? "ui.memory_switch.tip_temporary_read" : "ui.memory_switch.tip_temporary"),
    );
  if (store.paused.value) return store.notices.tell(t("ui.memory_switch.tip_paused"));
  // From "read only" the toggle leads to off, so that a slip never starts writing.
  await setMemory(store, id, memory || read_only ? "off" : "on");
}

/** Return the extras' switches that a conversation has. */
function switchesOf(store: Store, temporary: boolean): ConversationSwitch[] {
  return store.extras.flatMap((each) => each.conversationSwitch ?? []).filter((each) => each.temporary || !temporary);
}

async function setSwitch(store: Store, conversation: string, name: string, on: boolean): Promise<void> {
  await store.notices.attempt(() => store.commands.setSwitch({ conversation, name, on }));
}

/** The extras' switches that are on; a click turns one off. */
function SwitchMarks({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { id, switches, temporary } = conversation.info;
  return (
    <>
      {switchesOf(store, temporary)
        .filter(({ name }) => switches.includes(name))
        .map(({ name, icon, label, tip }) => (
          <IconButton
            icon={icon}
            key={name}
            class="quiet attach"
            aria-pressed="true"
            label={label()}
            data-tip={tip()}
            onClick={() => void setSwitch(store, id, name, false)}
          />
        ))}
    </>
  );
}

const TALLEST = 220;
/** Milliseconds without a key that count as a pause. */
const PAUSE = 300;
/** Characters of a draft that recall reads, as in `pet/memory/search/query.py`. */
const MOST_PREPARED = 2000;

export function Composer({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { id } = conversation.info;
  const field = useRef<HTMLTextAreaElement>(null);
  const reportedAt = useRef(-2000);
  const recalled = useRef<string | null>(null);
  const pause = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const opening = store.tabs.opening.value > 0;
  const draft = opening ? NEW : id;
  const text = store.drafts.of(draft).value;
  const running = conversation.compacting || runningTurn(conversation) !== undefined;
  const focus = store.navigation.composerFocus.value;
  const pending = store.attachments.pending(id).value;
  const coming = pending.some((each) => each.taken === null);
  const ready = !opening && (text.trim() !== "" || pending.length > 0) && !coming;

  useLayoutEffect(() => {
    const measure = () => {
      if (field.current) fitText(field.current, TALLEST);
    };
    measure();
    return listen(window, ["resize"], measure);
  }, [text, id]);

  useLayoutEffect(() => {
    const area = field.current;
    area?.focus();
    area?.setSelectionRange(area.value.length, area.value.length);
  }, [focus, id]);

  useEffect(() => () => clearTimeout(pause.current), [id]);

  /** Have recall prepared for the draft at the next pause, while memory may be read. */
  function prepare(words: string): void {
    clearTimeout(pause.current);
    const { memory, read_only, temporary } = conversation.info;
    if (opening || temporary || store.paused.value || !(memory || read_only)) return;
    const prepared = { conversation: id, text: words.slice(0, MOST_PREPARED) };
    pause.current = setTimeout(() => void orNull(() => store.commands.prepareDraft(prepared)), PAUSE);
  }

  async function send(): Promise<void> {
    clearTimeout(pause.current);
    const draft = store.drafts.of(id).value;
    if (!ready || running) return;
    const files = store.attachments.take(id);
    const taken = files.flatMap((each) => each.taken ?? []);
    const attachments = taken.map((each) => each.id);
    store.drafts.set(id, "");
    store.drafts.setScroll(id, 0);
    const pages = taken.map((each) => each.sent);
    const message = {
      conversation: id,
      text: draft,
      ...(attachments.length > 0 && { attachments }),
      ...(pages.some(Boolean) && { pages }),
    };
    const sent = await store.notices.attempt(() => store.commands.sendMessage(message));
    if (sent) return acknowledge(store, conversation);
    store.drafts.prepend(id, draft);
    store.attachments.giveBack(id, files);
  }

  function keyDown(event: KeyboardEvent): void {
    if (composing(event)) return;
    if (isKey("send", event)) {
      event.preventDefault();
      void send();
    } else if (isKey("stop", event) && running) {
      event.preventDefault();
      store.hush();
      void stop();
    } else if (isKey("earlier", event) || isKey("later", event)) {
      if (recall(isKey("earlier", event) ? -1 : 1)) event.preventDefault();
    }
  }

  /** Bring an earlier message of the owner into an empty or unchanged field. */
  function recall(by: -1 | 1): boolean {
    if (opening || (text !== "" && text !== recalled.current)) return false;
    const earlier = [
      ...new Set(conversation.turns.filter((turn) => turn.kind !== "continue").map((turn) => turn.text)),
    ];
    const at = text === "" ? earlier.length : earlier.lastIndexOf(text);
    const words = earlier[at + by] ?? (by > 0 ? "" : undefined);
    if (words === undefined || (text === "" && by > 0)) return false;
    recalled.current = words;
    store.drafts.set(id, words);
    return true;
  }

  /** Report typing to the core, throttled, so that the pet looks up. */
  function listenUp(): void {
    const now = performance.now();
    if (now - reportedAt.current < 2000) return;
    reportedAt.current = now;
    void orNull(() => store.commands.typing());
  }

  const stop = () => store.notices.attempt(() => store.commands.stopTurn({ conversation: id }));
  return (
    <form class="composer" onSubmit={(event) => event.preventDefault()}>
      <div class="field">
        <Tray conversation={id} />
        <MemorySwitch conversation={conversation} />
        <SwitchMarks conversation={conversation} />
        <AttachButton conversation={id} />
        <textarea
          ref={field}
          rows={1}
          dir="auto"
          value={text}
          aria-label={t("ui.composer.label")}
          placeholder={t("ui.composer.placeholder", { name: store.app.value?.pet_name ?? "" })}
          onInput={(event) => {
            store.drafts.set(draft, event.currentTarget.value);
            listenUp();
            prepare(event.currentTarget.value);
          }}
          onKeyDown={keyDown}
          onPaste={(event) => {
            if (takePaste(store, id, event)) event.preventDefault();
          }}
        />
        {running ? (
          <IconButton icon="stop" class="round-button stop" label={t("ui.stop")} onClick={stop} />
        ) : (
          <IconButton
            icon="send"
            class="round-button send"
            disabled={!ready}
            label={t("ui.send")}
            onClick={() => void send()}
          />
        )}
      </div>
    </form>
  );
}
