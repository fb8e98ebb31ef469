/** Which of several replies is shown: ‹ 1/2 ›. The others are kept with all that followed them. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { Icon } from "../../components/icons";
import type { Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import { number, t } from "../../texts";

/** The reply that was asked for, and by which button: the focus goes on to the same button beside it. */
let asked: { turn: string; by: 1 | -1 } | null = null;

export function Variants({ conversation, turn }: { conversation: string; turn: Turn }) {
  const store = useStore();
  const frame = useRef<HTMLFieldSetElement>(null);
  const at = turn.variants.indexOf(turn.turn);
  const count = turn.variants.length;

  useLayoutEffect(() => {
    if (asked?.turn !== turn.turn) return;
    const [back, on] = frame.current?.querySelectorAll("button") ?? [];
    const same = asked.by < 0 ? back : on;
    asked = null;
    (same?.disabled ? (same === on ? back : on) : same)?.focus({ preventScroll: true });
  }, []);

  async function go(by: 1 | -1): Promise<void> {
    const wanted = turn.variants[at + by];
    if (wanted === undefined) return;
    asked = { turn: wanted, by };
    const done = await store.attempt(() => store.commands.chooseVariant({ conversation, turn: wanted }));
    if (done === null) asked = null;
  }

  if (count < 2) return null;
  return (
    <fieldset class="variants" ref={frame} aria-label={t("ui.turn.variants")}>
      <button
        type="button"
        class="quiet"
        disabled={at <= 0}
        aria-label={t("ui.turn.variant_before")}
        data-tip=""
        onClick={() => void go(-1)}
      >
        <Icon name="back" />
      </button>
      <span role="status">{t("ui.turn.variant_at", { at: number(at + 1), count: number(count) })}</span>
      <button
        type="button"
        class="quiet"
        disabled={at >= count - 1}
        aria-label={t("ui.turn.variant_next")}
        data-tip=""
        onClick={() => void go(1)}
      >
        <Icon name="chevron" />
      </button>
    </fieldset>
  );
}
