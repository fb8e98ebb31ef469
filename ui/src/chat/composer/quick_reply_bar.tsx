/**
 * Quick replies under the last reply. A click sends one, or adds it to a message being written. Hidden while the
 * owner types.
 */
import { useMemo, useRef, useState } from "preact/hooks";
import type { Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import { t, wordedIn } from "../../texts";
import { type Quick, quickReplies } from "./quick_replies";
import "./quick_reply_bar.css";

export function QuickRow({ conversation, turn }: { conversation: string; turn: Turn }) {
  const store = useStore();
  const reply = turn.rounds.at(-1)?.text ?? "";
  const made = useMemo(() => quickReplies(reply), [reply]);
  const draft = store.drafts.of(conversation).value;
  const begun = useRef(draft); // the draft when they appeared
  const [chosen, setChosen] = useState(false);
  const busy = store.conversations.of(conversation).value?.compacting === true;
  if (store.app.value?.quick_replies === false || turn.end !== "done" || turn.claim?.kind === "asked_off")
    return null;
  if (made.replies.length === 0 || chosen || busy) return null;
  const typing = draft !== begun.current;

  async function choose(words: string): Promise<void> {
    store.navigation.focusComposer();
    if (draft.trim() !== "" || store.attachments.pending(conversation).value.length > 0) {
      store.drafts.set(conversation, draft.trim() === "" ? words : `${draft.trimEnd()} ${words}`);
      return;
    }
    setChosen(true);
    store.drafts.setScroll(conversation, 0);
    const sent = await store.notices.attempt(() => store.commands.sendMessage({ conversation, text: words }));
    if (!sent) setChosen(false);
  }

  const words = (each: Quick) => ("text" in each ? each.text : wordedIn(made.language, each.key));
  return (
    <fieldset class={typing ? "quick-replies away" : "quick-replies"} inert={typing} lang={made.language}>
      <legend class="sr">{t("ui.quick.label")}</legend>
      {made.replies.map(words).map((each) => (
        <button type="button" class="chip" dir="auto" key={each} onClick={() => void choose(each)}>
          {each}
        </button>
      ))}
    </fieldset>
  );
}
