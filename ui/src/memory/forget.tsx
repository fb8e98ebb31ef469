/**
 * Forgetting: what was noted, and on request the conversations in which it was said; the list of what goes and stays,
 * then the deletion, then a report. It is irreversible, so Cancel has the focus.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ForgetArgs, ForgetList, ForgetPiece, ForgetReport } from "../bindings";
import { Refusal, SCROLLS, Tick } from "../components/controls";
import { revealHidden } from "../components/diff";
import { Icon, type IconName } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Dialog } from "../components/overlays";
import { useStore } from "../state/context";
import { errorOf, errorText, type Key, number, t } from "../texts";
import { categoryName, placeName } from "./places";
import { quoted } from "./spoken";

const WHERE: Record<ForgetPiece["where"], Key> = {
  file: "ui.forget.in_file",
  log: "ui.forget.in_log",
  tool_result: "ui.forget.in_tool_result",
  recall: "ui.forget.in_recall",
  summary: "ui.forget.in_summary",
  history: "ui.forget.in_history",
  said: "ui.forget.in_said",
};

const ICONS: Record<ForgetPiece["where"], IconName> = {
  file: "book",
  log: "calendar",
  tool_result: "chat",
  recall: "chat",
  summary: "shrink",
  history: "clock",
  said: "chat",
};

/** A transcript's path: its name begins with the conversation's id. */
const CONVERSATION = /^conversations\/([0-9a-z]{26})/;

interface Props {
  what: ForgetArgs;
  onClose: () => void;
}

export function ForgetDialog({ what, onClose }: Props) {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listForget(what));
  const list = loaded.value;
  const [noted, setNoted] = useState(true);
  const [said, setSaid] = useState(false);
  const [report, setReport] = useState<ForgetReport | null>(null);
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(false);
  const out = useRef<HTMLButtonElement>(null);

  // After the dialog opened, which takes the focus.
  useLayoutEffect(() => out.current?.focus(), [list, report]);

  const talks = list ? conversationsOf(list.stays) : [];
  const goes = { noted: noted && list?.goes.length !== 0, said: said && talks.length > 0 };

  async function forget(): Promise<void> {
    setBusy(true);
    setFailed("");
    try {
      const made = goes.noted ? await store.commands.forget(what) : null;
      if (goes.said) {
        setNoted(false); // done: if a conversation can't be deleted, only that is tried again
        // One of them may be this dialog's own conversation, which closes with it: the report is then a notice.
        for (const conversation of talks) await store.commands.deleteConversation({ conversation });
        store.listed.value += 1;
        store.notices.tell(t("ui.forget.done_both"));
        onClose();
        return;
      }
      setReport(made);
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
    setBusy(false);
  }

  const done = report !== null || (list?.goes.length === 0 && talks.length === 0);
  return (
    <Dialog title={t(report ? "ui.forget.done" : "ui.forget.title")} onClose={onClose} wide>
      <Loading of={loaded} words={t("ui.forget.looking")} lines={4} />
      {list && !report && done && <p>{t("ui.forget.nothing")}</p>}
      {list && !report && !done && (
        <>
          <p>{t("ui.forget.text")}</p>
          {talks.length > 0 && (
            <fieldset class="learned-here" disabled={busy} aria-label={t("ui.forget.title")}>
              {list.goes.length > 0 && (
                <Tick
                  look=""
                  label={t("ui.forget.noted")}
                  note={t("ui.forget.noted_some", { count: list.goes.length })}
                  checked={noted}
                  onChange={setNoted}
                />
              )}
              <Tick
                look=""
                label={t("ui.forget.said")}
                note={t("ui.forget.said_some", { count: talks.length })}
                checked={said}
                onChange={setSaid}
              />
            </fieldset>
          )}
          <ForgetLists list={list} />
        </>
      )}
      {report && <Report report={report} />}
      <Refusal why={failed} />
      <div class="row end">
        <button type="button" ref={out} onClick={onClose}>
          {t(done ? "ui.close" : "ui.forget.keep")}
        </button>
        {!done && (
          <button
            type="button"
            class="danger"
            disabled={!(goes.noted || goes.said) || !list || busy}
            onClick={() => void forget()}
          >
            {t(busy ? "ui.forget.busy" : "ui.forget.do")}
          </button>
        )}
      </div>
    </Dialog>
  );
}

/** Return the ids of the conversations in which the owner or the pet said it. */
function conversationsOf(pieces: ForgetPiece[]): string[] {
  const ids = pieces.filter(({ where }) => where === "said").map(({ path }) => CONVERSATION.exec(path)?.[1] ?? "");
  return [...new Set(ids.filter(Boolean))];
}

/** Entries that go, and entries that stay. */
export function ForgetLists({ list }: { list: ForgetList }) {
  return (
    <>
      {list.goes.length > 0 && (
        <Pieces title={t("ui.forget.goes", { count: list.goes.length })} pieces={list.goes} tone="goes" />
      )}
      {list.stays.length > 0 && (
        <>
          <Pieces title={t("ui.forget.stays")} pieces={list.stays} tone="stays" />
          <p class="note">{t("ui.forget.stays_note")}</p>
        </>
      )}
    </>
  );
}

/** The report: what was deleted, and what is left. */
export function Report({ report }: { report: ForgetReport }) {
  const { entries, versions, messages } = report;
  const counts = { entries: number(entries), versions: number(versions), messages: number(messages) };
  return (
    <div role="status" class="forget-report">
      <p>
        <Icon name="check" />
        {t("ui.forget.report", counts)}
      </p>
      {report.left.length === 0 ? (
        <p>{t("ui.forget.nothing_left")}</p>
      ) : (
        <>
          <Pieces title={t("ui.forget.left")} pieces={report.left} tone="stays" />
          <p class="note">{t("ui.forget.stays_note")}</p>
        </>
      )}
    </div>
  );
}

/** Places of an entry, each shown whole. */
function Pieces({ title, pieces, tone }: { title: string; pieces: ForgetPiece[]; tone: "goes" | "stays" }) {
  return (
    <section class={`pieces ${tone}`} aria-label={title}>
      <h3>{title}</h3>
      <ul {...SCROLLS}>
        {pieces.map((piece) => (
          <Piece key={`${piece.where} ${piece.path} ${piece.start_line} ${piece.text}`} piece={piece} />
        ))}
      </ul>
    </section>
  );
}

/** An entry as in the memory browser, with its place. */
function Piece({ piece }: { piece: ForgetPiece }) {
  return (
    <li class="entry">
      <div class="entry-head">
        <Icon name={ICONS[piece.where]} />
        <span class="category">{t(WHERE[piece.where], { place: placeName(piece.path) })}</span>
        {piece.time && <time>{piece.time.slice(0, 5)}</time>}
        {piece.category && <span class="category">{categoryName(piece.category)}</span>}
      </div>
      <p class="entry-text">{revealHidden(quoted(piece.text).words)}</p>
    </li>
  );
}
