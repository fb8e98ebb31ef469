/** Settings > Quiet: bubbles, reminders, greetings, and hours without disturbance. */
import { useState } from "preact/hooks";
import { TimeField, timeOfDay } from "../components/controls";
import { number, t } from "../texts";
import { Advanced, Choice, ExtraRows, Problems, Toggle, useSettings } from "./form";

const SECONDS = [0, 5, 10, 20];
/** Tokens a day: never, a little, more. */
const HEARTBEATS = [0, 10_000, 30_000];
const HELLOS = ["off", "daily", "twice"] as const;

export function Proactivity() {
  const form = useSettings();
  const { settings } = form;
  return (
    <>
      <h2>{t("settings.section.quiet")}</h2>
      <p class="note">{t("settings.quiet.note")}</p>
      <Problems form={form} />
      {settings && (
        <>
          <Toggle
            id="dnd"
            label={t("settings.quiet.dnd")}
            note={t("settings.quiet.dnd_note")}
            checked={settings.do_not_disturb}
            setting="do_not_disturb"
            form={form}
            onChange={(on) => void form.change({ do_not_disturb: on })}
          />
          <Toggle
            id="bubbles"
            label={t("settings.quiet.bubbles")}
            note={t("settings.quiet.bubbles_note")}
            checked={settings.bubbles}
            setting="bubbles"
            form={form}
            onChange={(on) => void form.change({ bubbles: on })}
          />
          {settings.bubbles && (
            <Choice
              label={t("settings.quiet.seconds")}
              name="bubble-seconds"
              value={String(settings.bubble_seconds)}
              options={[...new Set([...SECONDS, settings.bubble_seconds])].map((count) => ({
                value: String(count),
                label: count === 0 ? t("settings.quiet.seconds_auto") : t("settings.quiet.seconds_some", { count }),
              }))}
              onChange={(value) => void form.change({ bubble_seconds: Number(value) })}
            />
          )}
          <Toggle
            id="reminder-bubbles"
            label={t("settings.quiet.reminders")}
            note={t("settings.quiet.reminders_note")}
            checked={settings.reminder_bubbles}
            setting="reminder_bubbles"
            form={form}
            onChange={(on) => void form.change({ reminder_bubbles: on })}
          />
          <Choice
            label={t("settings.quiet.greetings")}
            note={t("settings.quiet.greetings_note")}
            name="greetings"
            value={settings.greetings}
            options={HELLOS.map((often) => ({ value: often, label: t(`settings.quiet.greetings_${often}`) }))}
            onChange={(value) => void form.change({ greetings: value })}
          />
          <Toggle
            id="ask-after"
            label={t("settings.quiet.ask")}
            note={t("settings.quiet.ask_note")}
            checked={settings.ask_after}
            setting="ask_after"
            form={form}
            onChange={(on) => void form.change({ ask_after: on })}
          />
          {!settings.memory_default && <p class="note">{t("settings.quiet.needs_memory")}</p>}
          <fieldset class="setting hours">
            <legend>{t("settings.quiet.hours")}</legend>
            <Hour
              id="quiet-from"
              label={t("settings.quiet.from")}
              value={settings.quiet_from}
              onChange={(value) => form.change({ quiet_from: value })}
            />
            <Hour
              id="quiet-until"
              label={t("settings.quiet.until")}
              value={settings.quiet_until}
              onChange={(value) => form.change({ quiet_until: value })}
            />
            <p class="note">{t("settings.quiet.hours_note")}</p>
          </fieldset>
          <ExtraRows of="quiet" form={form} settings={settings} />
          <Advanced>
            <Choice
              label={t("settings.quiet.heartbeat")}
              note={t("settings.quiet.heartbeat_note")}
              name="heartbeat"
              value={String(settings.heartbeat_daily_tokens)}
              options={[...new Set([...HEARTBEATS, settings.heartbeat_daily_tokens])]
                .sort((a, b) => a - b)
                .map((count) => ({ value: String(count), label: heartbeat(count) }))}
              onChange={(value) => void form.change({ heartbeat_daily_tokens: Number(value) })}
            />
          </Advanced>
        </>
      )}
    </>
  );
}

function heartbeat(tokens: number): string {
  switch (HEARTBEATS.indexOf(tokens)) {
    case 0:
      return t("settings.quiet.heartbeat_off");
    case 1:
      return t("settings.quiet.heartbeat_little");
    case 2:
      return t("settings.quiet.heartbeat_more");
    default:
      return t("settings.quiet.heartbeat_tokens", { count: number(tokens) });
  }
}

interface HourProps {
  id: string;
  label: string;
  value: string;
  onChange: (value: string) => Promise<boolean>;
}

/** An invalid hour shows an error; the field returns to the saved value. */
function Hour({ id, label, value, onChange }: HourProps) {
  const [text, setText] = useState(value);
  const [saved, setSaved] = useState(value);
  if (saved !== value) {
    setSaved(value);
    setText(value);
  }
  async function leave(typed: string): Promise<void> {
    const wanted = timeOfDay(typed) ?? typed.trim();
    setText(wanted);
    if (wanted !== value && !(await onChange(wanted))) setText(value);
  }
  return (
    <label for={id}>
      {label}
      <TimeField id={id} value={text} onInput={setText} onLeave={(typed) => void leave(typed)} />
    </label>
  );
}
