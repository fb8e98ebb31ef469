/**
 * A proposed change, shown whole, with Allow, Edit and Refuse. Enter never allows it, and Allow waits until the whole
 * change is drawn: of a long one it shows the next part, until its end was in view. Proposals to forget show the whole list, those to read a web page its whole address, those to call
 * another program's tool all that is sent, without Edit.
 */
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AskedCall, Diff, Proposal, ProposalArgs } from "../../bindings";
import { Refusal, SCROLLS } from "../../components/controls";
import { DiffView, revealHidden, withoutHidden } from "../../components/diff";
import { Icon, type IconName } from "../../components/icons";
import { composing } from "../../input/keys";
import { NoteFacts } from "../../memory/note_facts";
import { sourceWords } from "../../memory/places";
import { useRewrite, useStore } from "../../state/context";
import { errorOf, errorText, type Key, t } from "../../texts";

interface Props {
  conversation: string;
  proposal: Proposal;
}

type Lasting = NonNullable<ProposalArgs["lasting"]>;

const HALF_A_LINE = 10;
const NO_DIFF: Diff = { lines: [], added: 0, removed: 0 };

export function ProposalCard({ conversation, proposal }: Props) {
  const store = useStore();
  const heading = useRef<HTMLHeadingElement>(null);
  const read = useRef(false);
  const id = useId();
  const forget = proposal.reason === "forget";
  const { call } = proposal;
  const whole = forget || proposal.reason === "page" || call !== null;
  const [diff, setDiff] = useState<Diff | null>(null);
  const [text, setText] = useRewrite(proposal.id);
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState("");

  useLayoutEffect(() => {
    let here = true;
    read.current = false;
    setDiff(null);
    if (whole) setDiff(NO_DIFF);
    else {
      store.commands.diffTexts({ old: proposal.before, new: proposal.after }).then(
        (made) => here && setDiff(made),
        (thrown: unknown) => here && setFailed(errorText(errorOf(thrown))),
      );
    }
    // Focus the heading, which no key activates; not while the owner writes.
    if (!(document.activeElement instanceof HTMLTextAreaElement && document.activeElement.value))
      heading.current?.focus();
    return () => {
      here = false;
    };
  }, [proposal.id]);

  async function answer(how: "allow" | "edit" | "refuse", lasting: Lasting = "once"): Promise<void> {
    setBusy(true);
    setFailed("");
    try {
      const more = { ...(how === "edit" && text !== null && { text }), ...(lasting !== "once" && { lasting }) };
      await store.commands.answerProposal({ conversation, proposal: proposal.id, answer: how, ...more });
      store.drafts.rewrites.delete(proposal.id);
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
    }
    setBusy(false);
  }

  function allow(card: Element | null, lasting: Lasting = "once"): void {
    read.current ||= !card || isAtEnd(card);
    if (read.current || !card) void answer("allow", lasting);
    else showNext(card);
  }

  const allowNote = t(forget ? "ui.forget.enter_note" : "ui.proposal.allow_note");
  const { icon, title, note } = words(proposal, store.app.value?.pet_name ?? "");
  return (
    <section
      class="proposal"
      aria-labelledby={id}
      onScrollCapture={(event) => {
        read.current ||= isAtEnd(event.currentTarget);
      }}
    >
      <h2 id={id} tabIndex={-1} ref={heading}>
        <Icon name={icon} />
        {revealHidden(title)}
      </h2>
      <p>{revealHidden(note)}</p>
      {text !== null ? (
        <textarea
          class="edit-proposal"
          dir="auto"
          aria-label={t("ui.proposal.edit_label", { file: proposal.file })}
          value={text}
          spellcheck={false}
          rows={Math.min(18, text.split("\n").length + 2)}
          ref={focusOnce}
          onInput={(event) => setText(event.currentTarget.value)}
        />
      ) : whole ? (
        proposal.before && (
          <WholeList text={proposal.before} label={t(LISTS[proposal.reason] ?? "ui.proposal.page_address")} />
        )
      ) : diff ? (
        <DiffView diff={diff} label={t("ui.proposal.change", { file: proposal.file })} />
      ) : (
        <p class="quiet-text">{t("ui.loading")}</p>
      )}
      {call && <CallFacts call={call} />}
      <NoteFacts category={proposal.category} noted={proposal.noted} />
      <Refusal why={failed} />
      <div class="row end">
        {text === null ? (
          <>
            <button type="button" disabled={busy} onClick={() => void answer("refuse")}>
              {t(forget ? "ui.forget.keep" : "ui.proposal.refuse")}
            </button>
            {!whole && (
              <button type="button" disabled={busy} onClick={() => setText(withoutHidden(proposal.after))}>
                {t("ui.proposal.edit")}
              </button>
            )}
            {call &&
              (call.changes ? (["always"] as const) : (["always", "conversation"] as const)).map((lasting) => (
                <button
                  key={lasting}
                  type="button"
                  disabled={busy}
                  onKeyDown={notByEnter}
                  onClick={(event) => allow(cardOf(event), lasting)}
                >
                  {t(`ui.proposal.call_${lasting}`)}
                </button>
              ))}
            {proposal.reason === "foreign" && (
              <button
                type="button"
                disabled={busy || !diff}
                data-tip={t("ui.proposal.from_now_on_note")}
                onKeyDown={notByEnter}
                onClick={(event) => allow(cardOf(event), "conversation")}
              >
                {t("ui.proposal.from_now_on")}
              </button>
            )}
            <button
              type="button"
              class={forget ? "danger" : "primary"}
              disabled={busy || !diff}
              aria-describedby={`${id}-space`}
              data-tip={allowNote}
              onKeyDown={notByEnter}
              onClick={(event) => allow(cardOf(event))}
            >
              {t(ALLOWS[proposal.reason] ?? "ui.proposal.allow")}
            </button>
            <span id={`${id}-space`} class="sr">
              {allowNote}
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

/** Of a proposal that is shown as a list: its label, and the words of the button that allows it. */
const LISTS: Partial<Record<Proposal["reason"], Key>> = {
  forget: "ui.proposal.forget_list",
  call: "ui.proposal.call_arguments",
};
const ALLOWS: Partial<Record<Proposal["reason"], Key>> = {
  forget: "ui.forget.do",
  page: "ui.proposal.page_read",
  call: "ui.proposal.call_once",
};

function CallFacts({ call }: { call: AskedCall }) {
  return (
    <>
      {call.changes && (
        <p class="call-fact">
          <Icon name="warning" />
          {t("ui.proposal.call_changes")}
        </p>
      )}
      {call.remembered.length > 0 && (
        <div class="call-fact">
          <Icon name="brain" />
          <div>
            {t("ui.proposal.call_remembered")}
            <ul>
              {call.remembered.map((line) => (
                <li key={line}>{revealHidden(line)}</li>
              ))}
            </ul>
          </div>
        </div>
      )}
    </>
  );
}

function words(proposal: Proposal, name: string): { icon: IconName; title: string; note: string } {
  const { file } = proposal;
  switch (proposal.reason) {
    case "soul":
      return { icon: "heart", title: t("ui.proposal.soul", { name }), note: t("ui.proposal.soul_note") };
    case "losing_text":
      return {
        icon: "warning",
        title: t("ui.proposal.losing", { file }),
        note: t("ui.proposal.losing_note", { file }),
      };
    case "unasked":
      return { icon: "pencil", title: t("ui.proposal.unasked"), note: t("ui.proposal.unasked_note") };
    case "foreign":
      return {
        icon: "pencil",
        title: t("ui.proposal.foreign"),
        note: t("ui.proposal.foreign_note", { sources: sourceWords(proposal.foreign) }),
      };
    case "forget":
      return { icon: "trash", title: t("ui.proposal.forget"), note: t("ui.proposal.forget_note") };
    case "page":
      return { icon: "globe", title: t("ui.proposal.page"), note: t("ui.proposal.page_note") };
    case "call": {
      const { source = "", tool = "" } = proposal.call ?? {};
      const note = t(proposal.before ? "ui.proposal.call_note" : "ui.proposal.call_none", { source });
      return { icon: "out", title: t("ui.proposal.call", { source, tool }), note };
    }
  }
}

function WholeList({ text, label }: { text: string; label: string }) {
  return (
    <section class="forget-list" {...SCROLLS} aria-label={label}>
      {revealHidden(text)}
    </section>
  );
}

function cardOf(event: { currentTarget: HTMLElement }): Element | null {
  return event.currentTarget.closest(".proposal");
}

/** What of a card scrolls, and where what is asked about ends in it: at the last changed line, or at its end. */
function askedAbout(card: Element): { box: HTMLElement; end: number } | null {
  const box = card.querySelector<HTMLElement>(".diff-lines, .forget-list");
  if (!box) return null;
  const last = [...box.querySelectorAll<HTMLElement>("tr.added, tr.removed")].at(-1);
  return { box, end: last ? last.offsetTop + last.offsetHeight : box.scrollHeight };
}

function isAtEnd(card: Element): boolean {
  const asked = askedAbout(card);
  return !asked || asked.box.scrollTop + asked.box.clientHeight >= asked.end - HALF_A_LINE;
}

function showNext(card: Element): void {
  const asked = askedAbout(card);
  if (asked) asked.box.scrollTop += Math.max(24, Math.round(asked.box.clientHeight * 0.9));
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
