/** The open conversations as tabs, each with its brain dot and whether it is replying. Arrow keys move between them. */
import { useEffect, useRef } from "preact/hooks";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { runningTurn } from "../state/conversation";
import { t } from "../texts";

export function TabBar() {
  const store = useStore();
  const inChat = store.view.value === "chat";
  return (
    <header class="bar">
      <div class="tabs" role="tablist" aria-label={t("ui.tabs.label")} onWheel={rollSideways}>
        {store.tabs.value.map((id) => (
          <Tab key={id} id={id} />
        ))}
      </div>
      <button
        type="button"
        class="quiet"
        aria-label={t("ui.tabs.new")}
        title={t("ui.tabs.new_tip")}
        onClick={(event) => void store.newTab(event.altKey)}
      >
        <Icon name="plus" />
      </button>
      <span class="space" />
      <button
        type="button"
        class="quiet"
        aria-label={t("ui.tabs.temporary")}
        title={t("ui.tabs.temporary_tip")}
        onClick={() => void store.newTab(true)}
      >
        <Icon name="ghost" />
      </button>
      <ViewButton view="history" icon="clock" label={t("ui.view.history")} />
      <ViewButton view="settings" icon="gear" label={t("ui.view.settings")} />
      {!inChat && <span class="sr">{t("ui.view.other")}</span>}
    </header>
  );
}

interface ViewButtonProps {
  view: "history" | "settings";
  icon: "clock" | "gear";
  label: string;
}

function ViewButton({ view, icon, label }: ViewButtonProps) {
  const store = useStore();
  const open = store.view.value === view;
  return (
    <button
      type="button"
      class="quiet"
      aria-pressed={open}
      aria-label={label}
      title={label}
      onClick={() => {
        store.view.value = open ? "chat" : view;
        if (open) store.askFocus();
      }}
    >
      <Icon name={icon} />
    </button>
  );
}

function Tab({ id }: { id: string }) {
  const store = useStore();
  const conversation = store.conversation(id).value;
  const active = store.active.value === id && store.view.value === "chat";
  const info = conversation?.info;
  const on = info?.memory === true && !info.temporary && !store.paused.value;
  const running = conversation ? runningTurn(conversation) : undefined;
  const title = info?.title || t(info?.temporary ? "ui.tabs.temporary_title" : "ui.tabs.untitled");
  const state = t(on ? "ui.tabs.memory_on" : "ui.tabs.memory_off");

  const tab = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (active) tab.current?.scrollIntoView?.({ block: "nearest", inline: "nearest" });
  }, [active, title]);

  function keyDown(event: KeyboardEvent): void {
    if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      event.preventDefault();
      moveFocus(event.currentTarget, event.key === "ArrowRight" ? 1 : -1);
    } else if (event.key === "Delete") {
      store.closeTab(id);
    }
  }

  return (
    <div ref={tab} class={active ? "tab active" : "tab"} role="presentation">
      <button
        type="button"
        role="tab"
        aria-selected={active}
        tabIndex={store.active.value === id ? 0 : -1}
        title={`${title}\n${state}`}
        onClick={() => void store.openTab(id)}
        onAuxClick={(event) => event.button === 1 && store.closeTab(id)}
        onKeyDown={keyDown}
      >
        <span class={`dot ${on ? "on" : "off"}`} aria-hidden="true" />
        <span class="title">{title}</span>
        <span class="sr">{state}</span>
        {running && <span class={running.proposal ? "badge asks" : "badge"} aria-hidden="true" />}
        {running && <span class="sr">{t(running.proposal ? "ui.turn.asks" : "ui.turn.thinking")}</span>}
      </button>
      <button
        type="button"
        class="quiet close"
        // For the mouse: a list of tabs may hold tabs only, and keys have Delete and Ctrl+W.
        aria-hidden="true"
        tabIndex={-1}
        title={t("ui.tabs.close", { title })}
        onClick={() => store.closeTab(id)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

/** Tabs beyond the edge are in reach of an ordinary wheel. */
function rollSideways(event: WheelEvent): void {
  if (event.deltaX === 0) (event.currentTarget as HTMLElement).scrollLeft += event.deltaY;
}

function moveFocus(from: EventTarget | null, by: number): void {
  const list = (from as HTMLElement | null)?.closest("[role=tablist]");
  const tabs = [...(list?.querySelectorAll<HTMLElement>("[role=tab]") ?? [])];
  const at = tabs.indexOf(from as HTMLElement);
  tabs[(at + by + tabs.length) % tabs.length]?.focus();
}
