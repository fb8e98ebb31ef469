/** The chat window's page: tab bar, one view, notices, and the keys that work everywhere. */

import { useEffect, useLayoutEffect } from "preact/hooks";
import { useDrop } from "./chat/attachments";
import { Banner } from "./chat/banner";
import { Composer, flipMemory } from "./chat/composer";
import { History } from "./chat/history";
import { KeyMap } from "./chat/key_map";
import { Messages } from "./chat/messages";
import { ModelChoice } from "./chat/model_choice";
import { SideList, useWide } from "./chat/side";
import { TabBar } from "./chat/tabs";
import { UsageDialog } from "./chat/turn/usage";
import { ViewBoundary } from "./components/boundary";
import { Icon } from "./components/icons";
import { Loading } from "./components/loading";
import { Notices, Tooltip } from "./components/overlays";
import { closeTop, noteField, restoreField } from "./input/back";
import { composing, everywhere, isKey, pressed, typesText } from "./input/keys";
import { listen } from "./input/listen";
import { Settings } from "./settings/settings";
import { type Conversation, runningTurn } from "./state/chat/conversation";
import { StoreContext, useStore } from "./state/context";
import { orNull } from "./state/memory";
import type { Store } from "./state/store";
import { language, t } from "./texts";
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
  const Offer = store.models?.Offer;
  useLook();
  useKeys(store);
  useReader(store);
  useKeeping(store);
  const wide = useWide();
  if (!app) return <Waiting />;
  if (app.welcome > 0) {
    return (
      <>
        <Welcome />
        {Offer && <Offer />}
        <Notices />
      </>
    );
  }
  const view = store.navigation.view.value;
  const back = view === "chat" ? undefined : { words: t("ui.back_to_chat"), go: () => store.navigation.toChat() };
  const listed = wide && view === "chat";
  const page = (
    <>
      <ViewBoundary of={store.tabs.ids.value}>
        <TabBar listed={listed} />
      </ViewBoundary>
      {view !== "chat" && <Banner conversation={null} />}
      <ViewBoundary of={view} back={back}>
        {view === "chat" && <Chat />}
        {view === "history" && <History />}
        {view === "settings" && <Settings />}
      </ViewBoundary>
    </>
  );
  return (
    <>
      <div class="frame">
        {listed && (
          <ViewBoundary of={store.tabs.ids.value}>
            <SideList />
          </ViewBoundary>
        )}
        <div class="column">{page}</div>
      </div>
      {store.navigation.keyMapOpen.value && <KeyMap />}
      {store.navigation.usageOpen.value && <UsageDialog />}
      <ModelChoice />
      {Offer && <Offer />}
      {store.extras.map(({ Question }, at) => Question && <Question key={at} />)}
      {view !== "chat" && <Notices />}
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
        <Notices />
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
      <Notices />
      <Banner conversation={conversation} />
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
    const pressedKey = (event: KeyboardEvent) => {
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
    const ends = [
      listen(window, ["keydown"], pressedKey),
      listen(window, ["focusin"], (event: FocusEvent) => noteField(event.target)),
    ];
    return () => ends.forEach((end) => void end());
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
    return listen(window, ["pointermove", "pointerdown", "wheel", "keydown"], moved, { passive: true });
  }, [store]);
}

/** Save pending changes when the window loses focus or is hidden: the program may end then. */
function useKeeping(store: Store): void {
  const leaving = ["blur", "visibilitychange", "pagehide"];
  useEffect(() => listen(window, leaving, () => void store.saver.pending()), [store]);
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
