/**
 * Conflict copies that sync programs left: announced where the files are, compared side by side, settled by the
 * owner. The copy goes into the file's history: no text is lost.
 */
import { useState } from "preact/hooks";
import type { ConflictCopy } from "../bindings";
import { Refusal } from "../components/controls";
import { SideBySide } from "../components/diff";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Dialog } from "../components/overlays";
import { useStore } from "../state/context";
import { dayAndTime, errorOf, errorText, t } from "../texts";
import { fileName } from "./places";

export function CopiesNotice({ of }: { of: (file: string) => boolean }) {
  const store = useStore();
  const [open, setOpen] = useState<string | null>(null);
  const copies = store.memory.copies.value.filter((copy) => of(copy.file));
  return (
    <>
      {copies.map((copy) => (
        <div class="copy-notice" key={copy.copy}>
          <Icon name="twins" />
          <p>
            {t("ui.copies.notice", { file: fileName(copy.file), by: origin(copy) })}
            <span class="quiet-text">{copy.copy}</span>
          </p>
          <button type="button" onClick={() => setOpen(copy.copy)}>
            {t("ui.copies.compare")}
          </button>
        </div>
      ))}
      {open !== null && <CopyDialog copy={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function origin(copy: ConflictCopy): string {
  const at = dayAndTime(copy.at);
  const program = copy.program || t("ui.copies.some_program");
  return at ? `${program}, ${at}` : program;
}

function CopyDialog({ copy, onClose }: { copy: string; onClose: () => void }) {
  const store = useStore();
  const loaded = useLoad(
    async () => {
      const view = await store.commands.readCopy({ copy });
      return { view, diff: await store.commands.diffTexts({ old: view.file.text, new: view.text }) };
    },
    [],
    copy,
  );
  const { view, diff } = loaded.value ?? { view: null, diff: null };
  const [text, setText] = useState<string | null>(null);
  const [note, setNote] = useState("");
  const [busy, setBusy] = useState(false);

  /** Without a text the file stays as it is. */
  async function settle(chosen: string | null): Promise<void> {
    if (!view) return;
    setBusy(true);
    setNote("");
    try {
      const base = view.file.version;
      const reply = await store.commands.settleCopy({ copy, base, ...(chosen === null ? {} : { text: chosen }) });
      await store.memory.loadCopies();
      if (reply.outcome !== "conflict") return onClose();
      setNote(t("ui.copies.changed"));
      loaded.again();
    } catch (thrown) {
      setNote(errorText(errorOf(thrown)));
    } finally {
      setBusy(false);
    }
  }

  const file = view?.info.file ?? "";
  return (
    <Dialog title={t("ui.copies.title", { file: fileName(file) })} onClose={onClose} wide>
      <Loading of={loaded} lines={6} />
      {view && <p>{t(diff && diff.added + diff.removed === 0 ? "ui.copies.same" : "ui.copies.text")}</p>}
      {text === null && diff && (
        <SideBySide diff={diff} left={t("ui.copies.left")} right={t("ui.copies.right")} label={t("ui.copies.diff")} />
      )}
      {text !== null && (
        <textarea
          class="edit-proposal"
          aria-label={t("ui.copies.edit_label", { file: fileName(file) })}
          value={text}
          spellcheck={false}
          rows={16}
          ref={(area) => area?.focus()}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      )}
      {view && view.merged === null && text === null && <p class="note">{t("ui.copies.overlap")}</p>}
      <Refusal why={note} />
      {view && text === null && (
        <div class="row end">
          <button type="button" disabled={busy} onClick={() => void settle(null)}>
            {t("ui.copies.mine")}
          </button>
          <button type="button" disabled={busy} onClick={() => void settle(view.text)}>
            {t("ui.copies.theirs")}
          </button>
          <button type="button" disabled={busy} onClick={() => setText(view.merged ?? view.file.text)}>
            {t("ui.copies.edit")}
          </button>
          {view.merged !== null && (
            <button type="button" class="primary" disabled={busy} onClick={() => void settle(view.merged)}>
              {t("ui.copies.merged")}
            </button>
          )}
        </div>
      )}
      {view && text !== null && (
        <div class="row end">
          <button type="button" disabled={busy} onClick={() => setText(null)}>
            {t("ui.back")}
          </button>
          <button type="button" class="primary" disabled={busy || !text.trim()} onClick={() => void settle(text)}>
            {t("ui.copies.save")}
          </button>
        </div>
      )}
      <p class="note">{t("ui.copies.kept")}</p>
    </Dialog>
  );
}
