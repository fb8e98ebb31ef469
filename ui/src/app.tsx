/** The chat window's page: tab bar, one view, notices, and the keys that work everywhere. */

import { useEffect, useLayoutEffect } from "preact/hooks";
import type { LostFile } from "./bindings";
import { useDrop } from "./chat/attachments";
import { Composer, flipMemory } from "./chat/composer";
import { History } from "./chat/history";
import { KeyMap } from "./chat/key_map";
import { Messages } from "./chat/messages";
import { KeyNotice } from "./chat/missing_key";
import { ModelChoice } from "./chat/model_choice";
import { TabBar } from "./chat/tabs";
import { UsageDialog } from "./chat/turn/usage";
import { ViewBoundary } from "./components/boundary";
import { Icon } from "./components/icons";
import { Loading } from "./components/loading";
import { Notices, Tooltip } from "./components/overlays";
import { closeTop, noteField, restoreField } from "./input/back";
import { composing, everywhere, isKey, pressed, typesText } from "./input/keys";
import { LocalModelOffer } from "./settings/model/local_models";
import { Settings } from "./settings/settings";
import { type Conversation, runningTurn } from "./state/chat/conversation";
import { StoreContext, useStore } from "./state/context";
import { orNull } from "./state/memory";
import type { Store } from "./state/store";
import { dayAndTime, language, t } from "./texts";
import { DemoBar } from "./welcome/demo";
import { Welcome } from "./welcome/welcome";

export function App({ store }: { store: Store }) {
  return (
    <StoreContext.Provider value={store}>
      <ViewBoundary of={store}>
        <Page />
      </ViewBoundary>
      <Tooltip />
    </StoreContext.Provider>
  );
}

function Page() {
  const store = useStore();
  const app = store.app.value;
  useLook();
  useKeys(store);
  useReader(store);
  useKeeping(store);
  if (!app) return <Waiting />;
  if (app.welcome > 0) {
    return (
      <>
        <Welcome />
        <LocalModelOffer />
        <Notices />
      </>
    );
  }
  const view = store.navigation.view.value;
  const back = view === "chat" ? undefined : { words: t("ui.back_to_chat"), go: () => store.navigation.toChat() };
  return (
    <>
      <ViewBoundary of={store.tabs.ids.value}>
        <TabBar />
      </ViewBoundary>
      {store.paused.value && <Paused />}
      {app.lost_files.map((lost) => (
        <Lost key={lost.file} lost={lost} />
      ))}
      {app.asks_held && <Held files={app.held_files} />}
      {store.extras.map(({ Strip }, at) => Strip && <Strip key={at} />)}
      <ViewBoundary of={view} back={back}>
        {view === "chat" && <DemoBar />}
        {view === "chat" && <Chat />}
        {view === "history" && <History />}
        {view === "settings" && <Settings />}
      </ViewBoundary>
      {store.navigation.keyMapOpen.value && <KeyMap />}
      {store.navigation.usageOpen.value && <UsageDialog />}
      <ModelChoice />
      <LocalModelOffer />
      {store.extras.map(({ Question }, at) => Question && <Question key={at} />)}
      <Notices />
    </>
  );
}

function Waiting() {
  const store = useStore();
  const loading = { value: null, failed: store.unstarted.value, busy: false, again: () => void store.start() };
  return (
    <>
      <main class="page centred">
        <Loading of={loading} />
      </main>
      <Notices />
    </>
  );
}

function Chat() {
  const store = useStore();
  const id = store.tabs.active.value;
  const conversation = id === null ? null : store.conversations.of(id).value;
  const failed = (id !== null && store.conversations.unreadable.value.get(id)) || null;
  if (!conversation) {
    return (
      <main class="page centred">
        <Loading
          of={{ value: null, failed, busy: false, again: () => id !== null && void store.conversations.load(id) }}
        />
      </main>
    );
  }
  return <Talk key={conversation.info.id} conversation={conversation} />;
}

function Talk({ conversation }: { conversation: Conversation }) {
  const { over, zone } = useDrop(conversation.info.id);
  return (
    <main class="chat" {...zone}>
      <h1 class="sr">{conversation.info.title || t("ui.tabs.untitled")}</h1>
      <ViewBoundary of={conversation}>
        <Messages conversation={conversation} />
      </ViewBoundary>
      <KeyNotice conversation={conversation} />
      <Composer conversation={conversation} />
      {over && (
        <div class="drop-here" aria-hidden="true">
          <Icon name="picture" />
          <p>{t("ui.attach.drop")}</p>
        </div>
      )}
    </main>
  );
}

function Paused() {
  const store = useStore();
  return (
    <div class="paused" role="status">
      <Icon name="brain" slashed />
      <p>{t(store.app.value?.pause_lost ? "ui.paused.lost" : "ui.paused")}</p>
      <button
        type="button"
        class="link"
        onClick={() => void store.notices.attempt(() => store.commands.pauseMemory({ paused: false }))}
      >
        {t("ui.paused.resume")}
      </button>
    </div>
  );
}

/** A core file that is gone: nothing takes its place before the owner chose. */
function Lost({ lost: { file, since, version } }: { lost: LostFile }) {
  const store = useStore();
  const bringBack = () => store.settleLost(() => store.commands.restoreVersion({ file, version }));
  const begin = () => store.settleLost(() => store.commands.beginFile({ file }));
  return (
    <div class="paused" role="alert">
      <Icon name="warning" />
      <p>{t("ui.file.gone", { file, when: dayAndTime(since) })}</p>
      {version && (
        <button type="button" class="link" onClick={() => void bringBack()}>
          {t("ui.file.bring_back")}
        </button>
      )}
      <button type="button" class="link" onClick={() => void begin()}>
        {t("ui.file.begin")}
      </button>
    </div>
  );
}

/** Instructions that came with another program's workspace: asked once. */
function Held({ files }: { files: string[] }) {
  const store = useStore();
  const answer = (use: boolean) => void store.settleLost(() => store.commands.answerInstructions({ use }));
  return (
    <div class="paused" role="alert">
      <Icon name="warning" />
      <p>{t("ui.file.held", { files: files.join(t("ui.list.and")) })}</p>
      <button type="button" class="link" onClick={() => answer(true)}>
        {t("ui.file.held_use")}
      </button>
      <button type="button" class="link" onClick={() => answer(false)}>
        {t("ui.file.held_leave")}
      </button>
    </div>
  );
}

/** Apply the owner's language, theme and motion to the document. */
function useLook(): void {
  const store = useStore();
  const app = store.app.value;
  const spoken = language.value;
  useEffect(() => {
    const root = document.documentElement;
    root.lang = spoken === "zh" ? "zh-CN" : spoken;
    if (!app) return; // until the core answers, the theme of the first paint stays
    root.dataset["theme"] = app.theme;
    root.dataset["motion"] = app.reduced_motion;
  }, [app, spoken]);
}

function useKeys(store: Store): void {
  useLayoutEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.defaultPrevented || composing(event)) return;
      const back = isKey("back", event);
      const hushed = back && !document.querySelector("dialog[open]") && store.hush();
      if (back && (restoreField(settingsField(event.target)) || closeTop())) return event.preventDefault();
      if (document.querySelector("dialog[open]") || store.app.value?.welcome) return;
      const id = store.tabs.active.value;
      const conversation = id === null ? null : store.conversations.of(id).value;
      const shortcut = store.app.value?.shortcut_memory ?? "";
      const inChat = store.navigation.view.value === "chat";
      const act = everywhere(event);
      if (shortcut && conversation && inChat && pressed(shortcut, event)) {
        void flipMemory(store, conversation);
      } else if (act) {
        act(store);
      } else if (inChat && writes(event)) {
        focusComposer();
        return; // the letter goes to the new focus
      } else if (back && inChat) {
        if (conversation && (conversation.compacting || runningTurn(conversation) !== undefined))
          void store.notices.attempt(() => store.commands.stopTurn({ conversation: conversation.info.id }));
        else if (!hushed) focusComposer();
      } else if (back) {
        if (!hushed) store.navigation.toChat();
      } else {
        return;
      }
      event.preventDefault();
    };
    const entered = (event: FocusEvent) => noteField(event.target);
    window.addEventListener("keydown", listen);
    window.addEventListener("focusin", entered);
    return () => {
      window.removeEventListener("keydown", listen);
      window.removeEventListener("focusin", entered);
    };
  }, [store]);
}

/** Milliseconds between reports that the owner is active here; a nap needs a longer quiet. */
const READING = 120_000;

/** Report the owner's activity to the core: on input only, not on scrolling by the page, and without a timer. */
function useReader(store: Store): void {
  useEffect(() => {
    let reportedAt = Number.NEGATIVE_INFINITY;
    function moved({ timeStamp }: Event): void {
      if (timeStamp - reportedAt < READING) return;
      reportedAt = timeStamp;
      void orNull(() => store.commands.reading());
    }
    const signs = ["pointermove", "pointerdown", "wheel", "keydown"] as const;
    for (const sign of signs) window.addEventListener(sign, moved, { passive: true });
    return () => {
      for (const sign of signs) window.removeEventListener(sign, moved);
    };
  }, [store]);
}

/** Save pending changes when the window loses focus or is hidden: the program may end then. */
function useKeeping(store: Store): void {
  useEffect(() => {
    const keep = () => void store.saver.pending();
    const leaving = ["blur", "visibilitychange", "pagehide"] as const;
    for (const sign of leaving) window.addEventListener(sign, keep);
    return () => {
      for (const sign of leaving) window.removeEventListener(sign, keep);
    };
  }, [store]);
}

/**
 * Return the settings field that saves when it loses focus; null for fields of dialogs, which save by their button.
 */
function settingsField(target: EventTarget | null): EventTarget | null {
  const field = target instanceof HTMLElement && target.closest("main.settings input, main.settings textarea");
  return field && !field.closest("dialog") && !field.matches("[type=search], .card-main") ? field : null;
}

/** Whether the key types text, or begins a composition, while no field or menu has the focus. */
function writes(event: KeyboardEvent): boolean {
  const inMenu = event.target instanceof HTMLElement && event.target.closest("[role=menu], [role=listbox]");
  return !inMenu && !inField(event.target) && typesText(event);
}

function focusComposer(): void {
  document.querySelector<HTMLTextAreaElement>(".composer textarea")?.focus();
}

function inField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement && target.closest("input, textarea, select, dialog, [contenteditable]") !== null
  );
}
