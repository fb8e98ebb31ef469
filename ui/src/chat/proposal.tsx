/**
 * A change that waits for the owner: the whole of it, with Allow, Edit and Refuse (PRODUCT §4.4).
 * Refuses to allow by Enter, and before the whole change is on the screen.
 */
import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { Diff, Proposal } from "../bindings";
import { DiffView } from "../parts/diff";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { errorOf, errorText, t } from "../texts";
import { composing } from "./ime";

interface Props {
  conversation: string;
  proposal: Proposal;
}

export function ProposalCard({ conversation, proposal }: Props) {
  const store = useStore();
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  const [diff, setDiff] = useState<Diff | null>(null);
  const [text, setText] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState("");

  useEffect(() => {
    let here = true;
    setDiff(null);
    store.commands.diffTexts({ old: proposal.before, new: proposal.after }).then(
      (made) => here && setDiff(made),
      (thrown: unknown) => here && setFailed(errorText(errorOf(thrown))),
    );
    // On the heading, where no key answers; and not out of the owner's hands while they write.
    if (!(document.activeElement instanceof HTMLTextAreaElement && document.activeElement.value))
      heading.current?.focus();
    return () => {
      here = false;
    };
  }, [proposal.id]);

  async function answer(how: "allow" | "edit" | "refuse"): Promise<void> {
    setBusy(true);
    setFailed("");
    try {
      const edited = how === "edit" && text !== null ? { text } : {};
      await store.commands.answerProposal({ conversation, proposal: proposal.id, answer: how, ...edited });
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
    setBusy(false);
  }

  const soul = proposal.reason === "soul";
  const title = soul ? t("ui.proposal.soul") : t("ui.proposal.losing", { file: proposal.file });
  return (
    <section class="proposal" aria-labelledby={id}>
      <h2 id={id} tabIndex={-1} ref={heading}>
        <Icon name={soul ? "heart" : "warning"} />
        {title}
      </h2>
      <p>{soul ? t("ui.proposal.soul_note") : t("ui.proposal.losing_note", { file: proposal.file })}</p>
      {text !== null ? (
        <textarea
          class="edit-proposal"
          aria-label={t("ui.proposal.edit_label", { file: proposal.file })}
          value={text}
          spellcheck={false}
          rows={Math.min(18, text.split("\n").length + 2)}
          ref={focusOnce}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      ) : diff ? (
        <DiffView diff={diff} label={t("ui.proposal.change", { file: proposal.file })} />
      ) : (
        <p class="quiet-text">{t("ui.loading")}</p>
      )}
      {failed && (
        <p class="error-text" role="alert">
          {failed}
        </p>
      )}
      <div class="row end">
        {text === null ? (
          <>
            <button type="button" disabled={busy} onClick={() => void answer("refuse")}>
              {t("ui.proposal.refuse")}
            </button>
            <button type="button" disabled={busy} onClick={() => setText(proposal.after)}>
              {t("ui.proposal.edit")}
            </button>
            <button
              type="button"
              class="primary"
              disabled={busy || !diff}
              aria-describedby={`${id}-space`}
              title={t("ui.proposal.allow_note")}
              onKeyDown={notByEnter}
              onClick={() => void answer("allow")}
            >
              {t("ui.proposal.allow")}
            </button>
            <span id={`${id}-space`} class="sr">
              {t("ui.proposal.allow_note")}
            </span>
          </>
        ) : (
          <>
            <button type="button" disabled={busy} onClick={() => setText(null)}>
              {t("ui.back")}
            </button>
            <button
              type="button"
              class="primary"
              disabled={busy || !text.trim()}
              onKeyDown={notByEnter}
              onClick={() => void answer("edit")}
            >
              {t("ui.proposal.save_edited")}
            </button>
          </>
        )}
      </div>
    </section>
  );
}

function notByEnter(event: KeyboardEvent): void {
  if (event.key === "Enter" || composing(event)) event.preventDefault();
}

function focusOnce(area: HTMLTextAreaElement | null): void {
  if (area && !area.dataset["focused"]) {
    area.dataset["focused"] = "yes";
    area.focus();
  }
}
