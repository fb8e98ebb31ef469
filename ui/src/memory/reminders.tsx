/** Reminders: due and coming, done or snoozed (ten minutes to a week, or until a chosen time). */
import { useState } from "preact/hooks";
import type { ReminderView } from "../bindings";
import { Folded, TimeField, timeOfDay } from "../components/controls";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Menu } from "../components/menu";
import { Dialog } from "../components/overlays";
import { useStore } from "../state/context";
import type { Place } from "../state/memory";
import type { Store } from "../state/store";
import { errorOf, errorText, type Key, t } from "../texts";
import { dayFromToday, dayName, whenWords } from "./places";
import { canSnoozeToEvening, plainNote, reminderMoment } from "./spoken";

export function reminderKey(reminder: ReminderView): string {
  return `${reminder.file}:${reminder.line}:${reminderMoment(reminder)}`;
}

/** Return the place where a reminder is written. */
export function reminderPlace({ file, line }: Pick<ReminderView, "file" | "line">): Place {
  return { path: file, start_line: line, end_line: line, turn: null };
}

async function answer(store: Store, reminder: ReminderView, how: "done" | "snooze", until?: string): Promise<void> {
  const { file, line, text } = reminder;
  const list = await store.notices.attempt(() =>
    store.commands.answerReminder({
      file,
      line,
      text,
      shown: reminderMoment(reminder),
      answer: how,
      ...(until === undefined ? {} : { until }),
    }),
  );
  if (!list) return;
  store.memory.reminders.value = list;
  const later = how === "snooze" && list.coming.find((each) => each.file === file && each.line === line);
  if (later) store.notices.tell(t("ui.reminder.put_off", { when: whenWords(later.due, later.at) }));
}

/** The buttons Done and Later of a reminder. */
export function ReminderAnswers({ reminder, above = false }: { reminder: ReminderView; above?: boolean }) {
  const store = useStore();
  const [picking, setPicking] = useState(false);
  const later = (label: Key, until: string) => ({
    label: t(label),
    onChoose: () => void answer(store, reminder, "snooze", until),
  });
  return (
    <div class="reminder-answers">
      <button type="button" class="link" onClick={() => void answer(store, reminder, "done")}>
        {t("ui.reminder.done")}
      </button>
      <Menu
        label={t("ui.reminder.later")}
        look="link"
        above={above}
        items={[
          later("ui.reminder.ten_minutes", "in 10 minutes"),
          later("ui.reminder.hour", "in an hour"),
          ...(canSnoozeToEvening() ? [later("ui.reminder.evening", "this evening")] : []),
          later("ui.reminder.tomorrow", "tomorrow"),
          later("ui.reminder.next_week", "in a week"),
          { label: t("ui.reminder.pick"), onChoose: () => setPicking(true) },
        ]}
      >
        {t("ui.reminder.later")}
      </Menu>
      {picking && (
        <PickDay
          at={reminder.at}
          onClose={() => setPicking(false)}
          onPick={(moment) => {
            setPicking(false);
            void answer(store, reminder, "snooze", moment);
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
  const at24 = time.trim() === "" ? "" : timeOfDay(time);
  const good = /^\d{4}-\d{2}-\d{2}$/.test(day) && day >= tomorrow && at24 !== null;
  return (
    <Dialog title={t("ui.reminder.pick_title")} onClose={onClose}>
      <form
        class="pick-day"
        onSubmit={(event) => {
          event.preventDefault();
          if (good) onPick(reminderMoment({ due: day, at: at24 }));
        }}
      >
        <input
          type="date"
          aria-label={t("ui.reminder.day")}
          min={tomorrow}
          value={day}
          onInput={(event) => setDay(event.currentTarget.value)}
        />
        <TimeField label={t("ui.reminder.time")} value={time} onInput={setTime} />
        <div class="row end">
          <button type="button" onClick={onClose}>
            {t("ui.cancel")}
          </button>
          <button type="submit" class="primary" disabled={!good}>
            {t("ui.reminder.set")}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/** Return when a reminder is due, in words. */
export function dueWords(reminder: ReminderView): string {
  const { due, at, repeats } = reminder;
  const moment = reminder.overdue ? t("ui.reminder.since", { day: dayName(due) }) : whenWords(due, at);
  return repeats ? `${moment} · ${repeats}` : moment;
}

/** Settings > Memory > Reminders: what is due, and what is coming. */
export function Reminders() {
  const store = useStore();
  const list = store.memory.reminders.value;
  const loaded = useLoad(async () => {
    const list = await store.commands.listReminders();
    store.memory.reminders.value = list;
    return list;
  });
  if (!list || loaded.failed) return <Loading of={loaded} lines={4} />;
  const finished = (
    <Folded late title={t("ui.reminders.finished")}>
      <Finished />
    </Folded>
  );
  if (list.due.length + list.coming.length === 0) {
    return (
      <>
        <div class="nothing">
          <Icon name="bell" />
          <p>{t("ui.reminders.none")}</p>
          <p class="quiet-text">{t("ui.reminders.how")}</p>
        </div>
        <AddReminder />
        {finished}
      </>
    );
  }
  return (
    <>
      <AddReminder />
      <ReminderGroup title={t("ui.reminders.due")} reminders={list.due} />
      <ReminderGroup title={t("ui.reminders.coming")} reminders={list.coming} />
      {finished}
      <p class="note">{t("ui.reminders.how")}</p>
    </>
  );
}

/** A reminder by hand: what, and when in words that the core parses. */
function AddReminder() {
  const store = useStore();
  const [what, setWhat] = useState("");
  const [when, setWhen] = useState("");
  const [failed, setFailed] = useState("");

  async function add(): Promise<void> {
    try {
      store.memory.reminders.value = await store.commands.addReminder({ text: what, when });
      setWhat("");
      setWhen("");
      setFailed("");
    } catch (thrown) {
      const error = errorOf(thrown);
      setFailed(error.code === "bad_arguments" ? t("ui.reminders.unclear") : errorText(error));
    }
  }

  return (
    <form
      class="add-reminder"
      onSubmit={(event) => {
        event.preventDefault();
        if (what.trim() && when.trim()) void add();
      }}
    >
      <input
        aria-label={t("ui.reminders.what")}
        placeholder={t("ui.reminders.what")}
        maxLength={500}
        value={what}
        onInput={(event) => setWhat(event.currentTarget.value)}
      />
      <input
        aria-label={t("ui.reminders.when")}
        placeholder={t("ui.reminders.when")}
        maxLength={120}
        value={when}
        onInput={(event) => setWhen(event.currentTarget.value)}
      />
      <button type="submit" disabled={!what.trim() || !when.trim()}>
        <Icon name="plus" />
        {t("ui.reminders.add")}
      </button>
      <p class="error-text" role="status">
        {failed}
      </p>
    </form>
  );
}

/** What was done lately. */
function Finished() {
  const store = useStore();
  const changed = store.memory.reminders.value;
  const loaded = useLoad(() => store.commands.listFinishedReminders(), [changed]);
  const finished = loaded.value?.finished;
  return (
    <>
      <Loading of={loaded} lines={2} />
      {finished?.length === 0 && <p class="note">{t("ui.reminders.none_finished")}</p>}
      <ul class="finished">
        {finished?.map((each) => (
          <li key={`${each.file}:${each.line}`}>
            <button
              type="button"
              class="reminder-text"
              data-tip={t("ui.place.open")}
              onClick={() => void store.openPlace(reminderPlace(each))}
            >
              <span>{plainNote(each.text)}</span>
              <span class="quiet-text">{t("ui.reminders.finished_on", { day: dayName(each.day) })}</span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}

function ReminderGroup({ title, reminders }: { title: string; reminders: ReminderView[] }) {
  const store = useStore();
  if (reminders.length === 0) return null;
  return (
    <section aria-label={title} class="reminder-group">
      <h3>{title}</h3>
      <ul>
        {reminders.map((reminder) => (
          <li key={reminderKey(reminder)} class={reminder.overdue ? "reminder overdue" : "reminder"}>
            <button
              type="button"
              class="reminder-text"
              data-tip={t("ui.place.open")}
              onClick={() => void store.openPlace(reminderPlace(reminder))}
            >
              <span>{plainNote(reminder.text)}</span>
              <span class="quiet-text">{dueWords(reminder)}</span>
            </button>
            <ReminderAnswers reminder={reminder} />
          </li>
        ))}
      </ul>
    </section>
  );
}
