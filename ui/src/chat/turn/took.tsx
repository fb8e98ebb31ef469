/** What a reply took: its time, its tokens and its cost. */
import { useEffect, useState } from "preact/hooks";
import type { SpentView } from "../../bindings";
import type { Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import { dayAndTime, number, t } from "../../texts";
import { isFree, money } from "./money";

/** When it was; on request also what it took, in tokens and by the owner's prices. */
export function Took({ conversation, turn }: { conversation: string; turn: Turn }) {
  const [open, setOpen] = useState(false);
  const time = dayAndTime(turn.at);
  if (turn.usage.input_tokens === null && turn.usage.output_tokens === null) return <span class="when">{time}</span>;
  return (
    <>
      <button
        type="button"
        class="quiet when"
        aria-expanded={open}
        data-tip={open ? undefined : t("ui.turn.cost")}
        onClick={() => setOpen(!open)}
      >
        {time}
      </button>
      {open && <Spent conversation={conversation} turn={turn} />}
    </>
  );
}

function Spent({ conversation, turn }: { conversation: string; turn: Turn }) {
  const store = useStore();
  const [spent, setSpent] = useState<SpentView | null>(null);
  const priced = store.settingsChange.value;
  useEffect(() => {
    let here = true;
    void store
      .attempt(() => store.commands.getSpent({ conversation, turn: turn.turn }))
      .then((view) => here && setSpent(view));
    return () => {
      here = false;
    };
  }, [turn.usage, priced]);
  const { input_tokens: input, output_tokens: output, cache_read_tokens: cached } = turn.usage;
  // What came from the cache and what was put there are counted beside the rest.
  const whole = (input ?? 0) + (cached ?? 0) + (turn.usage.cache_write_tokens ?? 0);
  const told = [t("ui.turn.tokens", { input: number(whole), output: number(output ?? 0) })];
  if (cached) told.push(t("ui.turn.cached", { count: number(cached) }));
  if (spent && spent.uncounted > 0) told.push(t("ui.turn.uncounted"));
  const free = spent !== null && isFree(spent);
  if (free) told.push(t("ui.usage.local"));
  else if (spent)
    told.push(spent.cost === null ? t("ui.turn.no_price") : t("ui.turn.spent", { cost: money(spent.cost) }));
  return (
    <span class="spent-line when" role="status">
      {told.join(" · ")}
      {spent?.cost === null && !free && (
        <button type="button" class="link" onClick={() => (store.counting.value = true)}>
          {t("ui.turn.set_price")}
        </button>
      )}
    </span>
  );
}
