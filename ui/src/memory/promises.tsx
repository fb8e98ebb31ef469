/** A promise, a todo with a date: done, or later (in an hour, this evening, tomorrow, a moment of the owner's choice). */
import { useState } from "preact/hooks";
import type { PromiseView } from "../bindings";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Menu } from "../components/menu";
import { Dialog } from "../components/overlays";
import { useStore } from "../state/context";
import type { Place } from "../state/memory";
import type { Store } from "../state/store";
import { type Key, t } from "../texts";
import { dayFromToday, dayName } from "./places";
import { eveningAhead, momentOf, spokenWords } from "./spoken";

export function promiseKey(promise: PromiseView): string {
  return `${promise.file}:${promise.line}:${momentOf(promise)}`;
}

/** Where it is written. */
export function promisePlace({ file, line }: PromiseView): Place {
  return { path: file, start_line: line, end_line: line, turn: null };
}

async function answer(store: Store, promise: PromiseView, how: "done" | "snooze", until?: string): Promise<void> {
  const { file, line, text } = promise;
  const list = await store.attempt(() =>
    store.commands.answerPromise({
      file,
      line,
      text,
      shown: momentOf(promise),
      answer: how,
      ...(until === undefined ? {} : { until }),
    }),
  );
  if (list) store.memory.promises.value = list;
}

/** Done and Later, as they stand beside a promise wherever it is shown. */
export function PromiseAnswers({ promise, above = false }: { promise: PromiseView; above?: boolean }) {
  const store = useStore();
  const [picking, setPicking] = useState(false);
  const later = (label: Key, until: string) => ({
    label: t(label),
    onChoose: () => void answer(store, promise, "snooze", until),
  });
  return (
    <div class="promise-answers">
      <button type="button" class="link" onClick={() => void answer(store, promise, "done")}>
        {t("ui.promise.done")}
      </button>
      <Menu
        label={t("ui.promise.later")}
        look="link"
        above={above}
        items={[
          later("ui.promise.hour", "in an hour"),
          ...(eveningAhead() ? [later("ui.promise.evening", "this evening")] : []),
          later("ui.promise.tomorrow", "tomorrow"),
          later("ui.promise.next_week", "in a week"),
          { label: t("ui.promise.pick"), onChoose: () => setPicking(true) },
        ]}
      >
        {t("ui.promise.later")}
      </Menu>
      {picking && (
        <PickDay
          at={promise.at}
          onClose={() => setPicking(false)}
          onPick={(moment) => {
            setPicking(false);
            void answer(store, promise, "snooze", moment);
          }}
        />
      )}
    </div>
  );
}

interface PickProps {
  at: string;
  onPick: (moment: string) => void;
  onClose: () => void;
}

function PickDay({ at, onPick, onClose }: PickProps) {
  const tomorrow = dayFromToday(1);
  const [day, setDay] = useState(tomorrow);
  const [time, setTime] = useState(at);
  const good = /^\d{4}-\d{2}-\d{2}$/.test(day) && day >= tomorrow;
  return (
    <Dialog title={t("ui.promise.pick_title")} onClose={onClose}>
      <form
        class="pick-day"
        onSubmit={(event) => {
          event.preventDefault();
          if (good) onPick(momentOf({ due: day, at: time }));
        }}
      >
        <input
          type="date"
          aria-label={t("ui.promise.day")}
          min={tomorrow}
          value={day}
          onInput={(event) => setDay(event.currentTarget.value)}
        />
        <input
          type="time"
          aria-label={t("ui.promise.time")}
          value={time}
          onInput={(event) => setTime(event.currentTarget.value)}
        />
        <div class="row end">
          <button type="button" onClick={onClose}>
            {t("ui.cancel")}
          </button>
          <button type="submit" class="primary" disabled={!good}>
            {t("ui.promise.set")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** When it is due, in words. */
export function dueWords(promise: PromiseView): string {
  const { due, at, repeats } = promise;
  const day = due === dayFromToday(0) ? t("ui.promise.today") : dayName(due);
  const moment = promise.overdue
    ? t("ui.promise.since", { day })
    : at
      ? t("ui.when.at", { when: day, time: at })
      : day;
  return repeats ? `${moment} · ${repeats}` : moment;
}

/** Settings > Memory > Promises: what is due, and what is coming. */
export function Promises() {
  const store = useStore();
  const list = store.memory.promises.value;
  const loaded = useLoad(async () => {
    const found = await store.commands.listPromises();
    store.memory.promises.value = found;
    return found;
  });
  if (!list || loaded.failed) return <Loading of={loaded} lines={4} />;
  if (list.due.length + list.coming.length === 0) {
    return (
      <div class="nothing">
        <Icon name="bell" />
        <p>{t("ui.promises.none")}</p>
        <p class="quiet-text">{t("ui.promises.how")}</p>
      </div>
    );
  }
  return (
    <>
      <PromiseGroup title={t("ui.promises.due")} promises={list.due} />
      <PromiseGroup title={t("ui.promises.coming")} promises={list.coming} />
      <p class="note">{t("ui.promises.how")}</p>
    </>
  );
}

function PromiseGroup({ title, promises }: { title: string; promises: PromiseView[] }) {
  const store = useStore();
  if (promises.length === 0) return null;
  return (
    <section aria-label={title} class="promise-group">
      <h3>{title}</h3>
      <ul>
        {promises.map((promise) => (
          <li key={promiseKey(promise)} class={promise.overdue ? "promise overdue" : "promise"}>
            <button
              type="button"
              class="promise-text"
              data-tip={t("ui.place.open")}
              onClick={() => void store.openPlace(promisePlace(promise))}
            >
              <span>{spokenWords(promise.text)}</span>
              <span class="quiet-text">{dueWords(promise)}</span>
            </button>
            <PromiseAnswers promise={promise} />
          </li>
        ))}
      </ul>
    </section>
  );
}
