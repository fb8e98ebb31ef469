/**
 * The open conversations, as tabs in the bar or as a list at the side, with memory and activity marks, pins, keyboard
 * and drag order; the bar, and the list of all tabs.
 */
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { IconButton, RenameField } from "../components/controls";
import { Icon } from "../components/icons";
import { Menu } from "../components/menu";
import { isKey } from "../input/keys";
import { listen } from "../input/listen";
import { runningTurn } from "../state/chat/conversation";
import { useStore } from "../state/context";
import type { Store } from "../state/store";
import { t } from "../texts";
import { ChatMenu } from "./chat_menu";

/** Pixels; a smaller move is a click. */
const THRESHOLD = 6;

function dragTab(store: Store, id: string, press: PointerEvent): void {
  if (press.button !== 0) return;
  const tab = (press.currentTarget as HTMLElement).closest<HTMLElement>(".tab");
  const list = tab?.parentElement;
  if (!tab || !list) return;
  const down = list.ariaOrientation === "vertical";
  let dragging = false;

  const move = (event: PointerEvent) => {
    const moved = down ? event.clientY - press.clientY : event.clientX - press.clientX;
    if (!dragging && Math.abs(moved) < THRESHOLD) return;
    dragging = true;
    tab.classList.add("dragged");
    const at = placeAt([...list.children], tab, down ? event.clientY : event.clientX, down);
    if (at >= 0) store.tabs.place(id, at);
  };
  const ends = [
    listen(window, ["pointermove"], move),
    listen(window, ["pointerup", "pointercancel"], () => {
      tab.classList.remove("dragged");
      for (const end of ends) end();
    }),
  ];
}

/**
 * Return the place that a dragged tab takes with the pointer at `x`, along the list, or -1 to stay: past a quarter of the other tab,
 * and of a wider one only as far as the dragged tab will lie below the pointer. Otherwise they would change back.
 */
function placeAt(tabs: Element[], dragged: Element, x: number, down: boolean): number {
  const from = tabs.indexOf(dragged);
  const spanOf = (each: Element): [start: number, end: number] => {
    const { left, right, top, bottom } = each.getBoundingClientRect();
    return down ? [top, bottom] : [left, right];
  };
  const [begins, ends] = spanOf(dragged);
  const passed = tabs.map((each, at) => {
    const [start, end] = spanOf(each);
    const reach = Math.min(end - start, ends - begins) * 0.75;
    return at < from ? x < start + reach : at > from && x >= end - reach;
  });
  const first = passed.indexOf(true);
  return first >= 0 && first < from ? first : passed.lastIndexOf(true);
}

function AllTabs() {
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

/** `listed`: the conversations are listed at the side. */
export function TabBar({ listed }: { listed: boolean }) {
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
      {!listed && (
        <>
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
          <IconButton
            icon="plus"
            label={t("ui.tabs.new")}
            data-tip={t("ui.tabs.new_tip")}
            onClick={(event) => void store.tabs.create(event.altKey)}
          />
        </>
      )}
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
export function Tab({ id, least }: { id: string; least?: number | undefined }) {
  const store = useStore();
  const conversation = store.conversations.of(id).value;
  const active = store.tabs.active.value === id && store.navigation.view.value === "chat";
  const info = conversation?.info;
  const temporary = info?.temporary === true;
  const free = info !== undefined && !temporary && !store.paused.value;
  const memory = free && info.memory ? "on" : free && info.read_only ? "read" : "off";
  const running = conversation ? runningTurn(conversation) : undefined;
  const unread = store.tabs.unread.value.has(id);
  const pinned = store.tabs.pinned.value.has(id);
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
      class={["tab", active && "active", unread && "unread", pinned && "pinned"].filter(Boolean).join(" ")}
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
        <span class="sr">{pinned ? `${t("ui.tabs.pinned")}, ${state}` : state}</span>
        {unread && <span class="sr">{t("ui.tabs.unread")}</span>}
        {unread && !running && <span class="badge new" aria-hidden="true" />}
        {running && <span class={running.proposal ? "badge asks" : "badge"} aria-hidden="true" />}
        {running && <span class="sr">{t(running.proposal ? "ui.turn.asks" : "ui.turn.thinking")}</span>}
      </button>
      <button
        type="button"
        class="quiet close"
        // For the mouse: a tab list may hold only tabs; keys have Delete and Ctrl+W, and pins are in the chat's menu.
        aria-hidden="true"
        tabIndex={-1}
        data-tip={t(pinned ? "ui.menu.unpin" : "ui.tabs.close", { title })}
        onClick={() => (pinned ? store.tabs.pin(id, false) : store.tabs.close(id))}
      >
        <Icon name={pinned ? "pin" : "close"} />
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
