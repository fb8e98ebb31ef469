/**
 * The tab bar: open conversations with memory and activity marks, keyboard and drag order, the chat's menu and the
 * list of all tabs.
 */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { RenameField } from "../components/controls";
import { Icon } from "../components/icons";
import { Menu } from "../components/menu";
import { isKey } from "../input/keys";
import { runningTurn } from "../state/chat/conversation";
import { useStore } from "../state/context";
import type { Store } from "../state/store";
import { t } from "../texts";
import { DeleteDialog } from "./delete_dialog";

/** Pixels; a smaller move is a click. */
const THRESHOLD = 6;

export function dragTab(store: Store, id: string, press: PointerEvent): void {
  if (press.button !== 0) return;
  const tab = (press.currentTarget as HTMLElement).closest<HTMLElement>(".tab");
  const list = tab?.parentElement;
  if (!tab || !list) return;
  let dragging = false;

  const move = (event: PointerEvent) => {
    if (!dragging && Math.abs(event.clientX - press.clientX) < THRESHOLD) return;
    dragging = true;
    tab.classList.add("dragged");
    const at = placeAt([...list.children], tab, event.clientX);
    if (at >= 0) store.tabs.place(id, at);
  };
  const end = () => {
    tab.classList.remove("dragged");
    window.removeEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) window.removeEventListener(name, end);
  };
  window.addEventListener("pointermove", move);
  for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, end);
}

/**
 * Return the place that a dragged tab takes with the pointer at `x`, or -1 to stay: past a quarter of the other tab,
 * and of a wider one only as far as the dragged tab will lie below the pointer. Otherwise they would change back.
 */
function placeAt(tabs: Element[], dragged: Element, x: number): number {
  const from = tabs.indexOf(dragged);
  const passed = tabs.map((each, at) => {
    const { left, right, width } = each.getBoundingClientRect();
    const reach = Math.min(width, dragged.getBoundingClientRect().width) * 0.75;
    return at < from ? x < left + reach : at > from && x >= right - reach;
  });
  const first = passed.indexOf(true);
  return first >= 0 && first < from ? first : passed.lastIndexOf(true);
}

export function ChatMenu() {
  const store = useStore();
  const id = store.tabs.active.value;
  const conversation = id === null ? null : store.conversations.of(id).value;
  const busy = !conversation || conversation.compacting || runningTurn(conversation) !== undefined;
  const empty = !conversation || conversation.turns.length === 0;
  const [deleting, setDeleting] = useState<{ id: string; title: string } | null>(null);

  async function summarise(of: string): Promise<void> {
    store.summaries.requested.add(of);
    const begun = await store.notices.attempt(() => store.commands.compact({ conversation: of }));
    if (begun === null) store.summaries.requested.delete(of);
  }

  async function save(format: "markdown" | "json"): Promise<void> {
    const saved = await store.notices.attempt(() =>
      store.commands.exportConversation({ conversation: id ?? "", format }),
    );
    if (saved) store.notices.tell(t("ui.menu.exported", { path: saved.path }), "downloads");
  }

  const menu = (
    <Menu
      label={t("ui.menu.label")}
      items={[
        { label: t("ui.menu.temporary"), icon: "ghost", onChoose: () => void store.tabs.create(true) },
        {
          label: t("ui.keys.rename"),
          starts: true,
          icon: "pencil",
          disabled: !conversation || conversation.info.temporary,
          onChoose: () => {
            store.navigation.renaming.value = id;
          },
        },
        {
          label: t("ui.find.label"),
          icon: "search",
          disabled: empty,
          onChoose: () => store.navigation.find(),
        },
        {
          label: t("choice.menu"),
          icon: "bulb",
          disabled: !conversation,
          onChoose: () => {
            store.connections.choosing.value = true;
          },
        },
        { label: t("ui.menu.export_markdown"), icon: "out", disabled: empty, onChoose: () => void save("markdown") },
        { label: t("ui.menu.export_json"), icon: "out", disabled: empty, onChoose: () => void save("json") },
        {
          label: t("ui.menu.compact"),
          icon: "shrink",
          disabled: busy || empty,
          onChoose: () => void summarise(id ?? ""),
        },
        ...(conversation?.info.temporary
          ? [
              {
                label: t("ui.menu.keep"),
                icon: "pin" as const,
                disabled: busy || empty,
                onChoose: () => void store.tabs.keep(conversation.info.id),
              },
            ]
          : []),
        {
          label: t("ui.menu.delete"),
          icon: "trash",
          disabled: busy || empty || conversation.info.temporary,
          onChoose: () => {
            const title = conversation?.info.title || t("ui.tabs.untitled");
            if (id !== null) setDeleting({ id, title });
          },
        },
        {
          label: t("ui.menu.search"),
          starts: true,
          icon: "book",
          onChoose: () => {
            store.memory.tab.value = "browse";
            store.navigation.openSettings("memory");
          },
        },
        {
          label: t("ui.usage.title"),
          icon: "meter",
          onChoose: () => {
            store.navigation.usageOpen.value = true;
          },
        },
        {
          label: t("ui.keys.title"),
          icon: "keys",
          onChoose: () => {
            store.navigation.keyMapOpen.value = true;
          },
        },
      ]}
    >
      <Icon name="more" />
    </Menu>
  );
  return (
    <>
      {menu}
      {deleting && (
        <DeleteDialog conversation={deleting.id} title={deleting.title} onClose={() => setDeleting(null)} />
      )}
    </>
  );
}

export function AllTabs() {
  const store = useStore();
  const tabs = store.tabs.ids.value;
  const unread = store.tabs.unread.value;
  const waiting = tabs.some((id) => unread.has(id) && id !== store.tabs.active.value);
  return (
    <Menu
      label={t(waiting ? "ui.tabs.all_unread" : "ui.tabs.all", { count: tabs.length })}
      items={tabs.map((id) => {
        const info = store.conversations.of(id).value?.info;
        const title = info?.title || t(info?.temporary ? "ui.tabs.temporary_title" : "ui.tabs.untitled");
        return {
          label: unread.has(id) ? t("ui.tabs.unread_title", { title }) : title,
          icon: id === store.tabs.active.value ? "check" : info?.temporary ? "ghost" : "chat",
          key: id,
          onChoose: () => void store.tabs.open(id),
        };
      })}
    >
      <span class="turned">
        <Icon name="chevron" />
      </span>
      {waiting && <span class="badge new" aria-hidden="true" />}
    </Menu>
  );
}

export function TabBar() {
  const store = useStore();
  const inChat = store.navigation.view.value === "chat";
  const bar = useRef<HTMLElement>(null);
  const row = useRef<HTMLDivElement>(null);
  const crowded = useWidth(bar, (width) => store.tabs.ids.value.length * NARROWEST > width - BESIDE);
  const least = useWidth(row, (width) => (crowded ? wholeTabs(width) : 0));
  const active = store.tabs.active.value;
  // Align again after the open tab scrolled into sight: widths may have changed.
  useEffect(() => {
    if (row.current && least) row.current.scrollLeft = atWholeTab(row.current.scrollLeft, least);
  }, [least, active, store.tabs.ids.value.length]);
  return (
    <header class="bar" ref={bar}>
      <div
        class="tabs"
        ref={row}
        role="tablist"
        aria-label={t("ui.tabs.label")}
        style={least ? { "--least": `${least}px` } : undefined}
        onWheel={rollSideways}
      >
        {store.tabs.ids.value.map((id) => (
          <Tab key={id} id={id} least={least} />
        ))}
      </div>
      {crowded && <AllTabs />}
      <button
        type="button"
        class="quiet"
        aria-label={t("ui.tabs.new")}
        data-tip={t("ui.tabs.new_tip")}
        onClick={(event) => void store.tabs.create(event.altKey)}
      >
        <Icon name="plus" />
      </button>
      <span class="space" />
      <ChatMenu />
      <ViewButton view="history" icon="clock" label={t("ui.view.history")} />
      <ViewButton view="settings" icon="gear" label={t("ui.view.settings")} />
      {!inChat && <span class="sr">{t("ui.view.other")}</span>}
    </header>
  );
}

/** Pixels: the least width and gap (as in tabs.css) of a tab in a crowded bar, and the room beside the tabs. */
const NARROWEST = 128;
const GAP = 4;
const BESIDE = 180;

/** Return the tab width at which only whole tabs are in sight. */
function wholeTabs(width: number): number {
  const count = Math.max(1, Math.floor((width + GAP) / NARROWEST));
  return Math.floor((width - GAP * (count - 1)) / count);
}

/** Return the nearest tab boundary to `left`. */
export function atWholeTab(left: number, width: number): number {
  return Math.round(left / (width + GAP)) * (width + GAP);
}

/** Return a value computed from the element's width; undefined before the layout. */
function useWidth<T>(of: RefObject<HTMLElement | null>, follows: (width: number) => T): T | undefined {
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const box = of.current;
    if (!box || typeof ResizeObserver === "undefined") return;
    const watch = new ResizeObserver(() => setWidth(box.clientWidth));
    watch.observe(box);
    return () => watch.disconnect();
  }, []);
  return width > 0 ? follows(width) : undefined;
}

interface ViewButtonProps {
  view: "history" | "settings";
  icon: "clock" | "gear";
  label: string;
}

function ViewButton({ view, icon, label }: ViewButtonProps) {
  const store = useStore();
  const open = store.navigation.view.value === view;
  const waiting = view === "settings" && store.memory.copies.value.length > 0;
  return (
    <button
      type="button"
      class="quiet view"
      aria-pressed={open}
      aria-label={waiting ? `${label}. ${t("ui.copies.waiting")}` : label}
      data-tip={waiting ? `${label}\n${t("ui.copies.waiting")}` : label}
      onClick={() => {
        store.navigation.view.value = open ? "chat" : view;
        if (open) store.navigation.focusComposer();
      }}
    >
      <Icon name={icon} />
      {waiting && <span class="badge asks" aria-hidden="true" />}
    </button>
  );
}

/** `least`: when it changes, the tabs move and the open one scrolls into sight again. */
function Tab({ id, least }: { id: string; least: number | undefined }) {
  const store = useStore();
  const conversation = store.conversations.of(id).value;
  const active = store.tabs.active.value === id && store.navigation.view.value === "chat";
  const info = conversation?.info;
  const temporary = info?.temporary === true;
  const free = info !== undefined && !temporary && !store.paused.value;
  const memory = free && info.memory ? "on" : free && info.read_only ? "read" : "off";
  const running = conversation ? runningTurn(conversation) : undefined;
  const unread = store.tabs.unread.value.has(id);
  const title = info?.title || t(temporary ? "ui.tabs.temporary_title" : "ui.tabs.untitled");
  const state = t(
    temporary ? (info?.read_only ? "ui.tabs.temporary_read" : "ui.tabs.temporary") : `ui.tabs.memory_${memory}`,
  );

  const tab = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) tab.current?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [active, title, least]);

  function keyDown(event: KeyboardEvent): void {
    if (isKey("along", event)) moveFocus(event.currentTarget, 1);
    else if (isKey("along_back", event)) moveFocus(event.currentTarget, -1);
    else if (isKey("tab_close", event)) {
      moveFocus(event.currentTarget, 1); // closing the open tab moves the focus to the next one's composer
      store.tabs.close(id);
    } else return;
    event.preventDefault();
  }

  if (store.navigation.renaming.value === id) return <Rename id={id} title={info?.title ?? ""} />;

  return (
    <div
      ref={tab}
      class={["tab", active && "active", unread && "unread"].filter(Boolean).join(" ")}
      role="presentation"
      data-title={title}
    >
      <button
        type="button"
        role="tab"
        aria-selected={active}
        tabIndex={store.tabs.active.value === id ? 0 : -1}
        data-tip={`${title}\n${state}`}
        onClick={() => void store.tabs.open(id)}
        onDblClick={() => {
          if (!temporary) store.navigation.renaming.value = id;
        }}
        onMouseDown={(event) => {
          if (event.button === 1) event.preventDefault(); // middle click closes, without autoscroll
        }}
        onPointerDown={(event) => dragTab(store, id, event)}
        onAuxClick={(event) => event.button === 1 && store.tabs.close(id)}
        onKeyDown={keyDown}
      >
        {temporary ? <Icon name="ghost" /> : <span class={`dot ${memory}`} aria-hidden="true" />}
        <span class="title" dir="auto">
          {title}
        </span>
        <span class="sr">{state}</span>
        {unread && <span class="sr">{t("ui.tabs.unread")}</span>}
        {unread && !running && <span class="badge new" aria-hidden="true" />}
        {running && <span class={running.proposal ? "badge asks" : "badge"} aria-hidden="true" />}
        {running && <span class="sr">{t(running.proposal ? "ui.turn.asks" : "ui.turn.thinking")}</span>}
      </button>
      <button
        type="button"
        class="quiet close"
        // For the mouse: a tab list may hold only tabs; keys have Delete and Ctrl+W.
        aria-hidden="true"
        tabIndex={-1}
        data-tip={t("ui.tabs.close", { title })}
        onClick={() => store.tabs.close(id)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Edit the title in place. */
function Rename({ id, title }: { id: string; title: string }) {
  const store = useStore();

  function close(wanted: string | null): void {
    store.navigation.renaming.value = null;
    if (wanted !== null) void store.tabs.rename(id, wanted);
    store.navigation.focusComposer();
  }

  return (
    <div class="tab active" role="presentation">
      <RenameField name={title} label={t("ui.keys.rename")} look="rename" onDone={close} />
    </div>
  );
}

/** Scroll tabs sideways by an ordinary wheel. */
function rollSideways(event: WheelEvent): void {
  if (event.deltaX === 0) (event.currentTarget as HTMLElement).scrollLeft += event.deltaY;
}

function moveFocus(from: EventTarget | null, by: number): void {
  const list = (from as HTMLElement | null)?.closest("[role=tablist]");
  const tabs = [...(list?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
  const at = tabs.indexOf(from as HTMLElement);
  tabs[(at + by + tabs.length) % tabs.length]?.focus();
}
