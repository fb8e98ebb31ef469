/**
 * Forgetting: the list of what goes and stays, then the deletion, then a report. It is irreversible, so Cancel has
 * the focus.
 */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ForgetArgs, ForgetList, ForgetPiece, ForgetReport } from "../bindings";
import { revealHidden } from "../components/diff";
import { Icon, type IconName } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Dialog } from "../components/overlays";
import { useStore } from "../state/context";
import { errorOf, errorText, type Key, number, t, tn } from "../texts";
import { categoryName, placeName } from "./places";

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

interface Props {
  what: ForgetArgs;
  onClose: () => void;
}

export function ForgetDialog({ what, onClose }: Props) {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listForget(what));
  const list = loaded.value;
  const [report, setReport] = useState<ForgetReport | null>(null);
  const [failed, setFailed] = useState("");
  const [busy, setBusy] = useState(false);
  const out = useRef<HTMLButtonElement>(null);

  // After the dialog opened, which takes the focus.
  useLayoutEffect(() => out.current?.focus(), [list, report]);

  async function forget(): Promise<void> {
    setBusy(true);
    setFailed("");
    try {
      setReport(await store.commands.forget(what));
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
    setBusy(false);
  }

  const done = report !== null || list?.goes.length === 0;
  return (
    <Dialog title={t(report ? "ui.forget.done" : "ui.forget.title")} onClose={onClose} wide>
      <Loading of={loaded} words={t("ui.forget.looking")} lines={4} />
      {list && !report && <Asking list={list} />}
      {report && <Report report={report} />}
      {failed && (
        <p class="error-text" role="alert">
          {failed}
        </p>
      )}
      <div class="row end">
        <button type="button" ref={out} onClick={onClose}>
          {t(done ? "ui.close" : "ui.forget.keep")}
        </button>
        {!done && (
          <button type="button" class="danger" disabled={!list || busy} onClick={() => void forget()}>
            {t(busy ? "ui.forget.busy" : "ui.forget.do")}
          </button>
        )}
      </div>
    </Dialog>
  );
}

function Asking({ list }: { list: ForgetList }) {
  if (list.goes.length === 0) return <p>{t("ui.forget.nothing")}</p>;
  return (
    <>
      <p>{t("ui.forget.text")}</p>
      <ForgetLists list={list} />
    </>
  );
}

/** Entries that go, and entries that stay. */
export function ForgetLists({ list }: { list: ForgetList }) {
  return (
    <>
      <Pieces title={tn("ui.forget.goes_one", "ui.forget.goes", list.goes.length)} pieces={list.goes} tone="goes" />
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
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long list must be scrollable by keyboard */}
      <ul tabIndex={0}>
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
      <p class="entry-text">{revealHidden(piece.text)}</p>
    </li>
  );
}
