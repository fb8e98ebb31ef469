/** The history: all kept conversations by day, and full-text search; open, rename, delete. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ConversationInfo, HistoryHit, HistoryHits } from "../bindings";
import { BackButton, IconButton, RenameField, SearchField } from "../components/controls";
import { type Loaded, Loading, type LoadState, useLoad, useSettled } from "../components/loading";
import { searchForm } from "../search_form";
import { useStore } from "../state/context";
import { dayAndTime, type Key, number, t } from "../texts";
import { DeleteDialog } from "./delete_dialog";

/** Rows per page. */
const PAGE = 60;

/** Return the conversations with the words in their titles: those with the accents as typed before others. */
function titled(all: readonly ConversationInfo[], words: string): ConversationInfo[] {
  const within = (title: string, accents: boolean) => searchForm(title, accents).includes(searchForm(words, accents));
  const hits = all.filter(({ title }) => within(title, false));
  return [...hits.filter(({ title }) => within(title, true)), ...hits.filter(({ title }) => !within(title, true))];
}

export function History() {
  const loaded = useConversations();
  const all = loaded.value;
  const [sought, setSought] = useState("");
  const [shown, setShown] = useState(PAGE);
  const [deleting, setDeleting] = useState<ConversationInfo | null>(null);
  const field = useRef<HTMLInputElement>(null);
  function search(words: string): void {
    setSought(words);
    setShown(PAGE);
  }
  useLayoutEffect(() => field.current?.focus(), []);
  const wanted = sought.trim().toLowerCase();
  const found = useHits(wanted);
  const result = found.value;
  const listed = wanted ? titled(all ?? [], wanted) : (all ?? []);
  const rows = listed.slice(0, wanted ? 5 : shown);
  const nothing = wanted !== "" && result !== null && result.hits.length === 0 && listed.length === 0;
  return (
    <main class="page history">
      <div class="view-head">
        <BackButton />
        <h1>{t("ui.view.history")}</h1>
      </div>
      <SearchField value={sought} placeholder={t("ui.history.search")} field={field} onInput={search} />
      <p class="sr" role="status">
        {wanted && result ? t("ui.history.hits", { count: result.hits.length }) : ""}
      </p>
      <Loading of={loaded} lines={6} />
      {all !== null && !wanted && listed.length === 0 && <p class="quiet-text">{t("ui.history.empty")}</p>}
      {wanted && <Loading of={found} />}
      {nothing && <p class="quiet-text">{t("ui.history.nothing_found")}</p>}
      {groups(rows, wanted !== "").map(({ title, infos }) => (
        <section key={title}>
          <h2 class="day">{t(title)}</h2>
          <ul class="cards">
            {infos.map((info) => (
              <HistoryRow key={info.id} info={info} onDelete={() => setDeleting(info)} />
            ))}
          </ul>
        </section>
      ))}
      {!wanted && listed.length > shown && (
        <button type="button" onClick={() => setShown(shown + PAGE)}>
          {t("ui.history.more", { count: number(listed.length - shown) })}
        </button>
      )}
      {wanted && result && result.hits.length > 0 && <Hits result={result} sought={wanted} />}
      {deleting && (
        <DeleteDialog
          conversation={deleting.id}
          title={deleting.title || t("ui.tabs.untitled")}
          onClose={() => setDeleting(null)}
        />
      )}
    </main>
  );
}

export function useConversations(): Loaded<ConversationInfo[]> {
  const store = useStore();
  return useLoad(async () => {
    return (await store.commands.listConversations()).conversations;
  }, [store.listed.value]);
}

/** Load what was said with these words, shortly after the last key. */
function useHits(wanted: string): LoadState & { value: HistoryHits | null } {
  const store = useStore();
  const query = useSettled(wanted);
  const ask = async () => (query ? store.commands.searchHistory({ query }) : null);
  const found = useLoad(ask, [query, store.memory.forgotten.value]);
  return found.failed ? { ...found, value: null } : found;
}

function Hits({ result, sought }: { result: HistoryHits; sought: string }) {
  return (
    <section>
      <h2 class="day">{t("ui.history.said")}</h2>
      <ul class="cards">
        {result.hits.map((hit) => (
          <Hit key={`${hit.conversation} ${hit.turn}`} hit={hit} sought={sought} />
        ))}
      </ul>
      {result.more && <p class="quiet-text">{t("ui.history.many")}</p>}
    </section>
  );
}

function Hit({ hit, sought }: { hit: HistoryHit; sought: string }) {
  const store = useStore();
  async function open(): Promise<void> {
    await store.tabs.open(hit.conversation);
    if (!store.conversations.of(hit.conversation).value) {
      store.notices.notify(t("ui.place.gone"));
      return;
    }
    store.navigation.targetTurn.value = { conversation: hit.conversation, turn: hit.turn };
    store.navigation.find(sought);
  }
  const who = hit.who === "owner" ? t("ui.history.you") : (store.app.value?.pet_name ?? "");
  return (
    <li class="card-row hit-row">
      <button type="button" class="card-main" onClick={() => void open()}>
        <span class="quiet-text">
          <b dir="auto">{hit.title || t("ui.tabs.untitled")}</b> · {dayAndTime(hit.at)} · {who}
        </span>
        <span class="said" dir="auto">
          {hit.snippet.map((piece) => (piece.is_match ? <mark>{piece.text}</mark> : piece.text))}
        </span>
      </button>
    </li>
  );
}

interface Group {
  title: Key;
  infos: ConversationInfo[];
}

/** Group by age; while searching, keep the order of relevance. */
export function groups(infos: ConversationInfo[], sought: boolean): Group[] {
  const made: Group[] = [];
  for (const info of infos) {
    const title = sought ? "ui.history.titles" : ageOf(info.updated_at);
    const last = made.at(-1);
    if (last?.title === title) last.infos.push(info);
    else made.push({ title, infos: [info] });
  }
  return made;
}

function ageOf(iso: string): Key {
  const midnight = new Date().setHours(0, 0, 0, 0);
  const days = Math.ceil((midnight - new Date(iso).getTime()) / 86_400_000);
  if (days <= 0) return "ui.history.today";
  if (days === 1) return "ui.history.yesterday";
  return days <= 7 ? "ui.history.week" : days <= 31 ? "ui.history.month" : "ui.history.earlier";
}

function HistoryRow({ info, onDelete }: { info: ConversationInfo; onDelete: () => void }) {
  const store = useStore();
  const [renaming, setRenaming] = useState(false);
  const name = info.title || t("ui.tabs.untitled");
  const memory = info.memory ? "on" : info.read_only ? "read" : "off";

  async function rename(wanted: string | null): Promise<void> {
    setRenaming(false);
    if (wanted === null) return;
    await store.notices.attempt(() => store.commands.renameConversation({ conversation: info.id, title: wanted }));
    store.listed.value += 1;
  }

  return (
    <li class="card-row">
      <span class={`dot ${memory}`} aria-hidden="true" />
      {!renaming ? (
        <button type="button" class="card-main" onClick={() => void store.tabs.open(info.id)}>
          <span class="title" dir="auto">
            {name}
          </span>
          <span class="quiet-text">
            {dayAndTime(info.updated_at)} · {t("ui.history.turns", { count: info.turns })} ·{" "}
            {t(`ui.tabs.memory_${memory}`)}
          </span>
        </button>
      ) : (
        <RenameField name={info.title} label={t("ui.history.rename")} look="card-main" onDone={rename} />
      )}
      <IconButton
        icon="pencil"
        label={t("ui.history.rename_of", { title: name })}
        data-tip={t("ui.history.rename")}
        onClick={() => setRenaming(true)}
      />
      <IconButton
        icon="trash"
        label={t("ui.history.delete_of", { title: name })}
        data-tip={t("ui.history.delete")}
        onClick={onDelete}
      />
    </li>
  );
}
