/** Settings > Privacy > Shortcuts: shortcuts of this window, and global ones where the desktop allows them. */
import { useState } from "preact/hooks";
import type { SettingsView } from "../bindings";
import { Icon } from "../components/icons";
import { useLoad } from "../components/loading";
import { composing, KEYS, pressed } from "../input/keys";
import { useStore } from "../state/context";
import { errorText, type Key, spaceAfter, t } from "../texts";
import { Absent, Problems, Row, type SettingsForm, useAbilities, useSettings } from "./form";
import "./rows.css";

type Name =
  | "shortcut_memory"
  | "shortcut_chat"
  | "shortcut_pet"
  | "shortcut_say"
  | "shortcut_ask"
  | "shortcut_screenshot";
const LABELS: Record<Name, Key> = {
  shortcut_memory: "settings.keys.memory",
  shortcut_chat: "settings.keys.chat",
  shortcut_pet: "settings.keys.pet",
  shortcut_say: "desktop.keys.say",
  shortcut_ask: "desktop.keys.ask",
  shortcut_screenshot: "desktop.keys.screenshot",
};

/** Return the global shortcuts that another program has. */
export function useTakenShortcuts(): string[] {
  const store = useStore();
  const desktop = useLoad(() => store.commands.getDesktop(), [store.desktopChange.value, store.settingsChange.value]);
  return desktop.value?.taken_shortcuts ?? [];
}

export function Shortcuts() {
  const store = useStore();
  const form = useSettings();
  const able = useAbilities();
  const taken = useTakenShortcuts();
  const everywhere: Name[] = ["shortcut_chat", "shortcut_pet", "shortcut_say", "shortcut_ask"];
  if (able("screenshot")) everywhere.push("shortcut_screenshot");
  // Refusals are shown in the row.
  const above = { ...form, refused: isName(form.refused?.args["setting"]) ? null : form.refused };
  return (
    <>
      <Problems form={above} />
      {form.settings && (
        <>
          <Shortcut form={form} settings={form.settings} name="shortcut_memory" taken={[]} />
          {able("shortcuts") ? (
            <>
              <h3 data-tip={t("settings.keys.everywhere_note")}>{t("settings.keys.everywhere")}</h3>
              {everywhere.map((name) => (
                <Shortcut key={name} form={form} settings={form.settings as SettingsView} name={name} taken={taken} />
              ))}
              {form.settings.shortcut_ask && !able("selection") && <p class="note">{t("desktop.keys.ask_paste")}</p>}
            </>
          ) : (
            <Absent label={t("settings.keys.everywhere")} why={t("desktop.keys.absent")} />
          )}
          <button type="button" onClick={() => (store.navigation.keyMapOpen.value = true)}>
            <Icon name="keyboard" />
            {t("settings.keys.all")}
          </button>
        </>
      )}
    </>
  );
}

interface ShortcutProps {
  form: SettingsForm;
  settings: SettingsView;
  name: Name;
  /** shortcuts taken by another program */
  taken: string[];
}

/** A field that records a shortcut. Tab and Escape leave it. */
export function Shortcut({ form, settings, name, taken }: ShortcutProps) {
  const store = useStore();
  const [here, setHere] = useState(false);
  const [unfit, setUnfit] = useState("");
  const value = settings[name];
  const lost = value !== "" && taken.includes(value);
  const problem = unfit || refusal(form, name);

  async function choose(keys: string): Promise<void> {
    setUnfit("");
    await form.change({ [name]: keys });
  }

  function keyDown(event: KeyboardEvent): void {
    if (composing(event)) return;
    const keys = chord(event);
    const busy = keys !== null ? use(keys, event) : "";
    if (busy) setUnfit(t("desktop.keys.reserved", { keys: keys ?? "", what: busy }));
    else if (keys !== null) void choose(keys);
    else if (event.key === "Backspace" || event.key === "Delete") void choose("");
    else if (isBare(event)) setUnfit(t("desktop.keys.bare"));
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <Row id={name} label={t(LABELS[name])} setting={name} form={form}>
      <div class="inline">
        <input
          id={name}
          class="shortcut"
          readOnly
          value={value}
          aria-invalid={problem !== "" || lost}
          aria-describedby={`${name}-said`}
          placeholder={t(here ? "settings.keys.press" : "settings.keys.unset")}
          onFocus={() => setHere(true)}
          onBlur={() => {
            setHere(false);
            setUnfit("");
          }}
          onKeyDown={keyDown}
        />
        {value && (
          <button type="button" onClick={() => void choose("")}>
            {t("settings.keys.clear")}
          </button>
        )}
      </div>
      <div id={`${name}-said`} role="status">
        {problem && <p class="error-text">{problem}</p>}
        {!problem && lost && (
          <p class="error-text taken">
            {t("desktop.keys.taken")}
            {spaceAfter(t("desktop.keys.taken"))}
            <button
              type="button"
              class="link"
              onClick={() => void store.notices.attempt(() => store.commands.tryShortcuts())}
            >
              {t("desktop.keys.again")}
            </button>
          </p>
        )}
      </div>
    </Row>
  );
}

/** Return why the last change of this row was refused, or null. */
function refusal({ refused }: SettingsForm, name: Name): string {
  if (refused === null || refused.args["setting"] !== name) return "";
  const { keys, other } = refused.args;
  if (refused.code === "settings_shortcut_twice" && isName(other))
    return t("desktop.keys.twice", { keys: String(keys), other: t(LABELS[other]) });
  return errorText(refused);
}

/** Return the existing use of a shortcut in this window or in text fields, or "". */
function use(keys: string, event: KeyboardEvent): string {
  if (/^Ctrl\+[ACVXYZ]$/.test(keys)) return t("desktop.keys.editing");
  const own = KEYS.find((row) => row.keys.some((each) => pressed(each, event)));
  return own ? t(own.what) : "";
}

function isName(setting: unknown): setting is Name {
  return typeof setting === "string" && setting in LABELS;
}

type Pressed = Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey">;

/** Return the pressed shortcut as settings write it; null while incomplete. Shift alone is for capitals. Pure. */
export function chord({ key, code, ctrlKey, altKey, shiftKey, metaKey }: Pressed): string | null {
  const letter = /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1];
  const main = /^[a-z0-9]$/i.test(key) ? key.toUpperCase() : /^F([1-9]|1[0-2])$/.test(key) ? key : letter;
  if (!main || !(ctrlKey || altKey || metaKey)) return null;
  const held = [ctrlKey && "Ctrl", altKey && "Alt", shiftKey && "Shift", metaKey && "Meta"].filter(Boolean);
  return [...held, main].join("+");
}

/** Whether a key needs a modifier: a letter, digit, sign, or F1 to F12. Pure. */
export function isBare({ key, ctrlKey, altKey, metaKey }: Pressed): boolean {
  return !(ctrlKey || altKey || metaKey) && (/^F([1-9]|1[0-2])$/.test(key) || [...key].length === 1);
}
