/**
 * Settings > Overview, the first page: who the pet is, what thinks for it, what it remembers, how it looks and what it
 * does by itself, each in a sentence that leads to its section; below, what concerns the program as a whole.
 */
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { CurrentPet } from "../avatar/pet_avatar";
import type { AppState, SettingsView } from "../bindings";
import { Icon, type IconName } from "../components/icons";
import { useLoad } from "../components/loading";
import { plain } from "../markdown/plain";
import { dayCount } from "../memory/browser";
import { dayOf, placeName } from "../memory/places";
import { useStore } from "../state/context";
import type { Section } from "../state/store";
import { inARow, LANGUAGES, number, t } from "../texts";
import { Login } from "./appearance";
import { Choice, Problems, useSettings } from "./form";
import "./overview.css";

export function Overview() {
  const store = useStore();
  const app = store.app.value;
  const form = useSettings();
  const { settings } = form;
  if (!app) return null;
  return (
    <>
      <h2>{t("ui.section.overview")}</h2>
      <Problems form={form} />
      <ul class="leads">
        <Lead to="soul" title={app.pet_name} words={<WhoItIs />} picture={<CurrentPet size={52} />} />
        <Lead to="thinking" title={t("ui.overview.thinks")} words={thinks(app)} />
        <Lead to="memory" title={t("ui.overview.remembers")} words={<Remembered />} />
        <Lead to="look" title={t("ui.overview.looks")} words={settings ? looks(settings) : ""} />
        <Lead to="quiet" title={t("ui.overview.does")} words={settings ? does(settings) : ""} />
      </ul>
      <Life />
      {settings && (
        <>
          <Choice
            label={t("ui.look.language")}
            name="language"
            value={settings.language}
            options={[
              { value: "system", label: t("ui.look.system") },
              ...LANGUAGES.map((each) => ({ value: each, label: t(`ui.look.${each}`) })),
            ]}
            onChange={(value) => void form.change({ language: value })}
          />
          <Choice
            label={t("settings.dates")}
            name="date-order"
            value={settings.date_order}
            options={[
              { value: "system", label: t("ui.look.system") },
              { value: "day_first", label: t("settings.dates_day_first") },
              { value: "month_first", label: t("settings.dates_month_first") },
            ]}
            onChange={(value) => void form.change({ date_order: value })}
          />
        </>
      )}
      <Login />
    </>
  );
}

const ICONS: Partial<Record<Section, IconName>> = {
  thinking: "bulb",
  memory: "brain",
  look: "palette",
  quiet: "bell",
};

interface LeadProps {
  to: Section;
  title: string;
  words: ComponentChildren;
  picture?: ComponentChildren;
}

function Lead({ to, title, words, picture }: LeadProps) {
  const store = useStore();
  const icon = ICONS[to];
  function open(): void {
    // Not the tab of an earlier visit: this sentence is about what the pet knows.
    if (to === "memory") store.memory.tab.value = "about";
    store.navigation.openSettings(to);
  }
  return (
    <li>
      <button type="button" class="lead" onClick={open}>
        <span class="lead-picture">{picture ?? (icon && <Icon name={icon} />)}</span>
        <span class="lead-text">
          <b dir="auto">{title}</b>
          <span class="quiet-text">{words}</span>
        </span>
        <Icon name="chevron" />
      </button>
    </li>
  );
}

/** What of the life together shows in the pet today, and why. */
function Life() {
  const store = useStore();
  const paused = store.paused.value;
  const version = store.files.versionsOf((file) => file !== "SOUL.md");
  const due = store.memory.reminders.value?.due.length;
  const life = useLoad(() => store.commands.listLife(), [version, paused, due, store.memory.forgotten.value]);
  if (!life.value) return null;
  const { remembers, reasons } = life.value;
  return (
    <section class="life">
      <b>{t("ui.overview.life")}</b>
      <ul>
        {reasons.map(({ text, file, line }) => (
          <li key={text} dir="auto">
            {text}
            {file && <span class="quiet-text" data-tip={`${file}:${line}`}>{` ${placeName(file)}`}</span>}
          </li>
        ))}
      </ul>
      {!remembers && <p class="quiet-text">{t("ui.overview.life_off")}</p>}
      {remembers && reasons.length === 0 && <p class="quiet-text">{t("ui.overview.life_none")}</p>}
    </section>
  );
}

/** The first sentence of the soul. */
function WhoItIs() {
  const store = useStore();
  const version = store.files.versionsOf((file) => file === "SOUL.md");
  const soul = useLoad(() => store.commands.readFile({ file: "SOUL.md" }), [version]);
  return <>{soul.value ? firstSentence(soul.value.text) || t("ui.overview.no_soul") : ""}</>;
}

const LONGEST_SENTENCE = 140;

/** Return the first sentence of a soul that is no heading, at most 140 characters. */
export function firstSentence(soul: string): string {
  const line = soul.split("\n").find((each) => /\p{L}/u.test(each) && !/^\s*(#|<!--|---)/.test(each)) ?? "";
  const words = plain(line).trim();
  const sentence = /^.*?[.!?\u3002\uff01\uff1f](?=\s|$|\p{L})/u.exec(words)?.[0] ?? words;
  const letters = [...sentence];
  return letters.length <= LONGEST_SENTENCE ? sentence : `${letters.slice(0, LONGEST_SENTENCE - 1).join("")}\u2026`;
}

function thinks({ demo, local_model, model, host, unchosen }: AppState): string {
  if (demo) return t("ui.overview.thinks_demo");
  if (local_model) return t("ui.overview.thinks_here", { model: local_model });
  if (unchosen || !model) return t("ui.overview.thinks_nothing");
  return t("ui.overview.thinks_at", { model, host });
}

function Remembered() {
  const store = useStore();
  const app = store.app.value;
  const version = store.files.versionsOf((file) => dayOf(file) !== null);
  const logs = useLoad(() => store.commands.listLogs(), [version, store.memory.forgotten.value]);
  useEffect(() => void store.memory.loadReminders(), []);
  const due = store.memory.reminders.value?.due.length ?? 0;
  const counted = logs.value && logs.value.days.length > 0 ? dayCount(logs.value.days) : t("ui.overview.no_days");
  const position = store.paused.value
    ? t("ui.overview.memory_paused")
    : t(`ui.overview.memory_${app?.memory_default ? "on" : app?.memory_read_only ? "read" : "off"}`);
  const waiting = due > 0 ? t("ui.overview.due", { count: number(due) }) : "";
  return <>{inARow(`${counted}${t("ui.overview.stop")}`, position, waiting)}</>;
}

function looks({ theme, pet_size }: SettingsView): string {
  return t("ui.overview.looks_so", {
    theme: t(`ui.look.${theme}`),
    size: t("settings.look.percent", { count: pet_size }),
  });
}

function does({ do_not_disturb, bubbles, quiet_from, quiet_until }: SettingsView): string {
  if (do_not_disturb) return t("ui.overview.does_nothing");
  if (!bubbles) return t("ui.overview.does_no_bubbles");
  if (quiet_from === quiet_until) return t("ui.overview.does_bubbles");
  return t("ui.overview.does_bubbles_but", { from: quiet_from, until: quiet_until });
}
