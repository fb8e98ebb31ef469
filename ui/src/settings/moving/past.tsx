/** Imports that can still be taken back. */
import { useState } from "preact/hooks";
import type { ImportDone } from "../../bindings";
import { Icon } from "../../components/icons";
import { Confirm } from "../../components/overlays/dialog";
import { useStore } from "../../state/context";
import { dayAndTime, number, t, tn } from "../../texts";
import { amounts, kindName } from "./words";

export function Past({ except }: { except: string }) {
  const { moving } = useStore();
  const shown = moving.past.value.filter((each) => each.id !== except);
  if (shown.length === 0) return null;
  return (
    <>
      <h4>{t("moving.past")}</h4>
      <ul class="cards moving-past">
        {shown.map((each) => (
          <li key={each.id} class="card-row">
            <div class="card-main">
              <span class="title">{each.new_pet ? each.name : kindName(each.kind)}</span>
              <span class="quiet-text">{[dayAndTime(each.at), brought(each)].filter(Boolean).join(" · ")}</span>
            </div>
            {each.undoable ? (
              <UndoImport done={each} />
            ) : (
              <span class="quiet-text">{t("moving.past_self", { name: each.name })}</span>
            )}
          </li>
        ))}
      </ul>
    </>
  );
}

/** What it brought; of a whole pet, that. */
export function brought(done: ImportDone): string {
  return done.kind === "pet" ? kindName("pet") : amounts(done) || t("moving.done_nothing");
}

export function UndoImport({ done }: { done: ImportDone }) {
  const store = useStore();
  const [asking, setAsking] = useState(false);
  const [busy, setBusy] = useState(false);

  async function undo(): Promise<void> {
    setBusy(true);
    const left = await store.moving.undo(done.id);
    setBusy(false);
    if (left) store.tell(left.length > 0 ? t("moving.undone_left", { names: names(left) }) : t("moving.undone"));
  }

  return (
    <>
      <button type="button" disabled={busy} onClick={() => (done.new_pet ? setAsking(true) : void undo())}>
        <Icon name="undo" />
        {t("moving.undo")}
      </button>
      {asking && (
        <Confirm
          title={t("moving.undo_pet_title", { name: done.name })}
          text={t("moving.undo_pet_text", { name: done.name })}
          action={t("moving.undo_pet")}
          onClose={() => setAsking(false)}
          onConfirm={() => void undo()}
        />
      )}
    </>
  );
}

/** Files by their names; an id of a conversation says nothing to its owner. */
function names(left: readonly string[]): string {
  const files = left.filter((each) => each.endsWith(".md"));
  const talks = left.length - files.length;
  const counted = talks > 0 ? [tn("moving.undone_talk", "moving.undone_talks", talks, { count: number(talks) })] : [];
  return [...files, ...counted].join(t("ui.list.and"));
}
