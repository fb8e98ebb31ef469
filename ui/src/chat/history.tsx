/** All kept conversations: find by title, open, rename, delete after a question. */
import { useEffect, useState } from "preact/hooks";
import type { ConversationInfo } from "../bindings";
import { Confirm } from "../parts/dialog";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { dayAndTime, t, tn } from "../texts";
import { composing } from "./ime";

export function History() {
  const store = useStore();
  const [all, setAll] = useState<ConversationInfo[] | null>(null);
  const [sought, setSought] = useState("");
  const [deleting, setDeleting] = useState<ConversationInfo | null>(null);
  const listed = store.listed.value;

  useEffect(() => {
    let here = true;
    void store
      .attempt(() => store.commands.listConversations())
      .then((list) => here && setAll(list?.conversations.filter((each) => each.turns > 0 || each.title) ?? []));
    return () => {
      here = false;
    };
  }, [listed]);

  const wanted = sought.trim().toLowerCase();
  const found = all?.filter((each) => !wanted || each.title.toLowerCase().includes(wanted)) ?? [];
  return (
    <main class="page history">
      <h1>{t("ui.view.history")}</h1>
      <input
        type="search"
        value={sought}
        placeholder={t("ui.history.search")}
        aria-label={t("ui.history.search")}
        onInput={(event) => setSought(event.currentTarget.value)}
      />
      {all === null && <p class="quiet-text">{t("ui.loading")}</p>}
      {all !== null && found.length === 0 && (
        <p class="quiet-text">{t(wanted ? "ui.history.nothing_found" : "ui.history.empty")}</p>
      )}
      <ul class="cards">
        {found.map((info) => (
          <HistoryRow key={info.id} info={info} onDelete={() => setDeleting(info)} />
        ))}
      </ul>
      {deleting && (
        <Confirm
          title={t("ui.history.delete_title")}
          text={t("ui.history.delete_text", { title: deleting.title || t("ui.tabs.untitled") })}
          action={t("ui.history.delete")}
          onClose={() => setDeleting(null)}
          onConfirm={() =>
            void store.attempt(async () => {
              await store.commands.deleteConversation({ conversation: deleting.id });
              store.listed.value += 1;
            })
          }
        />
      )}
    </main>
  );
}

function HistoryRow({ info, onDelete }: { info: ConversationInfo; onDelete: () => void }) {
  const store = useStore();
  const [title, setTitle] = useState<string | null>(null);
  const name = info.title || t("ui.tabs.untitled");

  async function rename(): Promise<void> {
    const wanted = title?.trim();
    setTitle(null);
    if (!wanted || wanted === info.title) return;
    await store.attempt(() => store.commands.renameConversation({ conversation: info.id, title: wanted }));
    store.listed.value += 1;
  }

  return (
    <li class="card-row">
      <span class={`dot ${info.memory ? "on" : "off"}`} aria-hidden="true" />
      {title === null ? (
        <button type="button" class="card-main" onClick={() => void store.openTab(info.id)}>
          <span class="title">{name}</span>
          <span class="quiet-text">
            {dayAndTime(info.updated_at)} · {tn("ui.history.turn", "ui.history.turns", info.turns)} ·{" "}
            {t(info.memory ? "ui.tabs.memory_on" : "ui.tabs.memory_off")}
          </span>
        </button>
      ) : (
        <input
          class="card-main"
          value={title}
          aria-label={t("ui.history.rename")}
          ref={(input) => input?.focus()}
          onInput={(event) => setTitle(event.currentTarget.value)}
          onBlur={() => void rename()}
          onKeyDown={(event) => {
            if (composing(event)) return;
            if (event.key === "Enter") void rename();
            if (event.key === "Escape") setTitle(null);
          }}
        />
      )}
      <button
        type="button"
        class="quiet"
        aria-label={`${t("ui.history.rename")}: ${name}`}
        title={t("ui.history.rename")}
        onClick={() => setTitle(info.title)}
      >
        <Icon name="pencil" />
      </button>
      <button
        type="button"
        class="quiet"
        aria-label={`${t("ui.history.delete")}: ${name}`}
        title={t("ui.history.delete")}
        onClick={onDelete}
      >
        <Icon name="trash" />
      </button>
    </li>
  );
}
