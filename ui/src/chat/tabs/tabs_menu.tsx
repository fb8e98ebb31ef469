/** The chat's own menu, and the list of all tabs where they don't fit beside each other. */
import { useState } from "preact/hooks";
import { Icon } from "../../components/icons";
import { Menu } from "../../components/overlays/menu";
import { runningTurn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import { t } from "../../texts";
import { DeleteDialog } from "./delete";

export function ChatMenu() {
  const store = useStore();
  const id = store.active.value;
  const conversation = id === null ? null : store.conversation(id).value;
  const busy = !conversation || conversation.compacting || runningTurn(conversation) !== undefined;
  const empty = !conversation || conversation.turns.length === 0;
  const [deleting, setDeleting] = useState<{ id: string; title: string } | null>(null);

  async function summarise(of: string): Promise<void> {
    store.summaries.asked.add(of);
    const begun = await store.attempt(() => store.commands.compact({ conversation: of }));
    if (begun === null) store.summaries.asked.delete(of);
  }

  async function save(format: "markdown" | "json"): Promise<void> {
    const saved = await store.attempt(() => store.commands.exportConversation({ conversation: id ?? "", format }));
    if (saved) store.tell(t("ui.menu.exported", { path: saved.path }), "downloads");
  }

  const menu = (
    <Menu
      label={t("ui.menu.label")}
      items={[
        { label: t("ui.menu.temporary"), icon: "ghost", onChoose: () => void store.newTab(true) },
        {
          label: t("ui.keys.rename"),
          starts: true,
          icon: "pencil",
          disabled: !conversation || conversation.info.temporary,
          onChoose: () => {
            store.renaming.value = id;
          },
        },
        {
          label: t("ui.find.label"),
          icon: "search",
          disabled: empty,
          onChoose: () => store.find(),
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
            store.openSettings("memory");
          },
        },
        {
          label: t("ui.usage.title"),
          icon: "meter",
          onChoose: () => {
            store.counting.value = true;
          },
        },
        {
          label: t("ui.keys.title"),
          icon: "keys",
          onChoose: () => {
            store.keys.value = true;
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
  const tabs = store.tabs.value;
  const unread = store.unread.value;
  const waiting = tabs.some((id) => unread.has(id) && id !== store.active.value);
  return (
    <Menu
      label={t(waiting ? "ui.tabs.all_unread" : "ui.tabs.all", { count: tabs.length })}
      items={tabs.map((id) => {
        const info = store.conversation(id).value?.info;
        const title = info?.title || t(info?.temporary ? "ui.tabs.temporary_title" : "ui.tabs.untitled");
        return {
          label: unread.has(id) ? t("ui.tabs.unread_title", { title }) : title,
          icon: id === store.active.value ? "check" : info?.temporary ? "ghost" : "chat",
          key: id,
          onChoose: () => void store.openTab(id),
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
