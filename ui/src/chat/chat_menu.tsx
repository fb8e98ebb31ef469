/** The "…" menu of a conversation, and its dialogs: what an owner does with a conversation, and nothing else. */
import { useState } from "preact/hooks";
import { Icon } from "../components/icons";
import { Menu, type MenuItem } from "../components/menu";
import { Dialog } from "../components/overlays";
import { runningTurn } from "../state/chat/conversation";
import { useStore } from "../state/context";
import { t } from "../texts";
import { DeleteDialog } from "./delete_dialog";
import { modelItem } from "./model_choice";

/** Turns that a summary keeps whole, as in `pet/engine/compaction.py`: with fewer there is nothing to summarise. */
const KEPT_WHOLE = 10;

export function ChatMenu() {
  const store = useStore();
  const id = store.tabs.active.value;
  const conversation = id === null ? null : store.conversations.of(id).value;
  const busy = !conversation || conversation.compacting || runningTurn(conversation) !== undefined;
  const empty = !conversation || conversation.turns.length === 0;
  const temporary = conversation?.info.temporary === true;
  const pinned = id !== null && store.tabs.pinned.value.has(id);
  const [deleting, setDeleting] = useState<{ id: string; title: string } | null>(null);
  const [exporting, setExporting] = useState<string | null>(null);

  async function summarise(of: string): Promise<void> {
    store.summaries.requested.add(of);
    const begun = await store.notices.attempt(() => store.commands.compact({ conversation: of }));
    if (begun === null) store.summaries.requested.delete(of);
  }

  const own: MenuItem[] = temporary
    ? [
        {
          label: t("ui.menu.keep"),
          icon: "pin",
          disabled: busy || empty,
          onChoose: () => void store.tabs.keep(id ?? ""),
        },
      ]
    : [
        {
          label: t(pinned ? "ui.menu.unpin" : "ui.menu.pin"),
          icon: "pin",
          disabled: empty && !pinned,
          onChoose: () => id !== null && store.tabs.pin(id, !pinned),
        },
        {
          label: t("ui.keys.rename"),
          icon: "pencil",
          disabled: !conversation,
          onChoose: () => {
            store.navigation.renaming.value = id;
          },
        },
      ];
  const items: MenuItem[] = [
    ...own,
    { label: t("ui.find.label"), icon: "search", disabled: empty, onChoose: () => store.navigation.find() },
    { ...modelItem(store), disabled: !conversation },
    { label: t("ui.menu.export"), icon: "out", disabled: empty, onChoose: () => setExporting(id) },
    ...((conversation?.info.turns ?? 0) > KEPT_WHOLE
      ? [
          {
            label: t("ui.menu.compact"),
            icon: "shrink" as const,
            disabled: busy,
            onChoose: () => void summarise(id ?? ""),
          },
        ]
      : []),
    ...(store.app.value?.show_usage
      ? [
          {
            label: t("ui.usage.title"),
            icon: "meter" as const,
            onChoose: () => {
              store.navigation.usageOpen.value = true;
            },
          },
        ]
      : []),
    ...(temporary
      ? []
      : [
          {
            label: t("ui.menu.delete"),
            icon: "trash" as const,
            disabled: busy || empty,
            onChoose: () => {
              if (id !== null) setDeleting({ id, title: conversation?.info.title || t("ui.tabs.untitled") });
            },
          },
        ]),
    {
      label: t("ui.menu.temporary"),
      icon: "ghost",
      starts: true,
      onChoose: () => void store.tabs.create(true),
    },
  ];
  return (
    <>
      <Menu label={t("ui.menu.label")} items={items}>
        <Icon name="more" />
      </Menu>
      {deleting && (
        <DeleteDialog conversation={deleting.id} title={deleting.title} onClose={() => setDeleting(null)} />
      )}
      {exporting && <ExportDialog conversation={exporting} onClose={() => setExporting(null)} />}
    </>
  );
}

const FORMATS = ["markdown", "json"] as const;

function ExportDialog({ conversation, onClose }: { conversation: string; onClose: () => void }) {
  const store = useStore();

  async function save(format: (typeof FORMATS)[number]): Promise<void> {
    onClose();
    const saved = await store.notices.attempt(() => store.commands.exportConversation({ conversation, format }));
    if (saved) store.notices.tell(t("ui.menu.exported", { path: saved.path }), "downloads");
  }

  return (
    <Dialog title={t("ui.menu.export_title")} onClose={onClose}>
      {FORMATS.map((format) => (
        <button type="button" class="choice-row" key={format} onClick={() => void save(format)}>
          <Icon name={format === "json" ? "copy" : "file"} />
          <span>
            <b>{t(`ui.menu.export_${format}`)}</b>
            <span class="note">{t(`ui.menu.export_${format}_note`)}</span>
          </span>
        </button>
      ))}
    </Dialog>
  );
}
