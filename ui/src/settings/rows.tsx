/**
 * Rows that follow from the schema: a switch for what is on or off, a choice where it has words or usual numbers, a
 * slider for a percentage. Only their words are here.
 */
import { ALLOWED, type SettingsView } from "../bindings";
import { hasKey, type Key, number, t } from "../texts";
import { Choice, Percent, type SettingsForm, Toggle } from "./form";

interface Words {
  label: Key;
  note?: Key;
  /** of a choice: how the keys of its values begin, or the key of each */
  values?: string | Record<string, Key>;
  /** of a number that isn't a percentage: the usual ones, and how one is written */
  usual?: readonly number[];
  write?: (count: number) => string;
}

/** Tokens a day: never, a little, more. */
const HEARTBEATS = ["off", "little", "more"] as const;
const TOKENS = [0, 10_000, 30_000];

const ROWS = {
  language: { label: "ui.look.language", values: "ui.look." },
  date_order: {
    label: "settings.dates",
    values: {
      system: "ui.look.system",
      day_first: "settings.dates_day_first",
      month_first: "settings.dates_month_first",
    },
  },
  theme: { label: "ui.look.theme", values: "ui.look." },
  reduced_motion: {
    label: "ui.look.motion",
    values: { system: "ui.look.system", on: "ui.look.motion_less", off: "ui.look.motion_full" },
  },
  show_usage: { label: "ui.usage.setting" },
  quick_replies: { label: "ui.quick.setting", note: "ui.quick.setting_note" },
  pet_size: { label: "settings.look.size" },
  pet_opacity: { label: "settings.look.opacity" },
  fade_on_hover: { label: "desktop.fade", note: "desktop.fade_note" },
  pet_life: { label: "desktop.life", note: "desktop.life_note", values: "desktop.life_" },
  pet_ball: { label: "desktop.ball" },
  pet_cushion: { label: "desktop.cushion" },
  hide_fullscreen: { label: "settings.look.fullscreen" },
  do_not_disturb: { label: "settings.quiet.dnd", note: "settings.quiet.dnd_note" },
  bubbles: { label: "settings.quiet.bubbles", note: "settings.quiet.bubbles_note" },
  bubble_seconds: {
    label: "settings.quiet.seconds",
    usual: [0, 5, 10, 20],
    write: (count) => (count === 0 ? t("settings.quiet.seconds_auto") : t("settings.quiet.seconds_some", { count })),
  },
  reminder_bubbles: { label: "settings.quiet.reminders", note: "settings.quiet.reminders_note" },
  greetings: {
    label: "settings.quiet.greetings",
    note: "settings.quiet.greetings_note",
    values: "settings.quiet.greetings_",
  },
  ask_after: { label: "settings.quiet.ask", note: "settings.quiet.ask_note" },
  heartbeat_daily_tokens: {
    label: "settings.quiet.heartbeat",
    note: "settings.quiet.heartbeat_note",
    usual: TOKENS,
    write: (count) => {
      const often = HEARTBEATS[TOKENS.indexOf(count)];
      return often
        ? t(`settings.quiet.heartbeat_${often}`)
        : t("settings.quiet.heartbeat_tokens", { count: number(count) });
    },
  },
  recall: { label: "ui.memory.recall", note: "ui.memory.recall_note" },
  recall_count: { label: "ui.memory.recall_count", usual: [1, 2, 3, 5, 8] },
  notes_at_rest: { label: "ui.memory.rest", note: "ui.memory.rest_note" },
  upkeep: { label: "ui.memory.upkeep", note: "ui.memory.upkeep_note" },
  prompt_mode: { label: "ui.sees.mode", note: "ui.sees.mode_note", values: "ui.sees.mode_" },
  thinking: { label: "ui.thinking.ponder", values: "ui.thinking.ponder_" },
  ask_memory: { label: "desktop.keys.ask_memory", note: "desktop.keys.ask_note", values: "desktop.keys.ask_" },
} satisfies Partial<Record<keyof SettingsView, Words>>;

export type RowName = keyof typeof ROWS;

interface Props {
  of: readonly RowName[];
  form: SettingsForm;
  settings: SettingsView;
}

export function Rows({ of, ...props }: Props) {
  return (
    <>
      {of.map((name) => (
        <SettingRow key={name} name={name} {...props} />
      ))}
    </>
  );
}

function SettingRow({ name, form, settings }: Omit<Props, "of"> & { name: RowName }) {
  const { label, note, values = "", usual, write = String }: Words = ROWS[name];
  const value = settings[name];
  const about = { label: t(label), setting: name, form, ...(note && { note: t(note) }) };
  const change = (wanted: string | number | boolean) => form.change({ [name]: wanted });
  if (typeof value === "boolean")
    return <Toggle {...about} id={name} checked={value} onChange={(on) => void change(on)} />;
  const [least, most] = ALLOWED[name as keyof typeof ALLOWED];
  if (typeof value === "number" && !usual)
    return (
      <Percent {...about} id={name} value={value} from={least as number} to={most as number} onChange={change} />
    );
  const options = usual
    ? among(usual, value as number).map((count) => ({ value: String(count), label: write(count) }))
    : (ALLOWED[name as keyof typeof ALLOWED] as readonly string[]).map((each) => ({
        value: each,
        label: wordOf(typeof values === "string" ? values + each : (values[each] ?? each), each),
      }));
  return (
    <Choice
      {...about}
      name={name}
      value={String(value)}
      options={options}
      onChange={(wanted) => void change(usual ? Number(wanted) : wanted)}
    />
  );
}

function wordOf(key: string, value: string): string {
  return hasKey(key) ? t(key) : value;
}

/** Return the usual numbers, with the current one of settings.toml. */
function among(usual: readonly number[], now: number): number[] {
  return [...new Set([...usual, now])].sort((a, b) => a - b);
}
