/** Keys of the owner's own choice: in this window, and everywhere where the desktop allows it. */
import { useState } from "preact/hooks";
import type { SettingsView } from "../bindings";
import { composing } from "../chat/ime";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { type Key, t } from "../texts";
import { Problems, Row, type SettingsForm, useSettings } from "./form";

type Name = "shortcut_memory" | "shortcut_chat" | "shortcut_pet";
const EVERYWHERE: [Name, Key][] = [
  ["shortcut_chat", "settings.keys.chat"],
  ["shortcut_pet", "settings.keys.pet"],
];

export function Shortcuts() {
  const store = useStore();
  const form = useSettings();
  const able = store.app.value?.abilities.includes("shortcuts") === true;
  return (
    <>
      <h2>{t("settings.section.keys")}</h2>
      <p class="note">{t("settings.keys.note")}</p>
      <Problems form={form} />
      {form.settings && (
        <>
          <h3>{t("settings.keys.here")}</h3>
          <Shortcut form={form} settings={form.settings} name="shortcut_memory" label="settings.keys.memory" />
          <button type="button" onClick={() => (store.keys.value = true)}>
            <Icon name="keyboard" />
            {t("settings.keys.all")}
          </button>
          <h3>{t("settings.keys.everywhere")}</h3>
          <p class="note">{t(able ? "settings.keys.everywhere_note" : "settings.keys.none_here")}</p>
          {able &&
            EVERYWHERE.map(([name, label]) => (
              <Shortcut key={name} form={form} settings={form.settings as SettingsView} name={name} label={label} />
            ))}
        </>
      )}
    </>
  );
}

interface ShortcutProps {
  form: SettingsForm;
  settings: SettingsView;
  name: Name;
  label: Key;
}

/** A field that takes the keys as they are pressed. Tab and Escape leave it, as everywhere. */
function Shortcut({ form, settings, name, label }: ShortcutProps) {
  const [here, setHere] = useState(false);
  const value = settings[name];

  function keyDown(event: KeyboardEvent): void {
    if (composing(event)) return;
    const keys = chord(event);
    if (keys !== null) void form.change({ [name]: keys });
    else if (event.key === "Backspace" || event.key === "Delete") void form.change({ [name]: "" });
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <Row id={name} label={t(label)} setting={name} form={form}>
      <div class="inline">
        <input
          id={name}
          class="shortcut"
          readOnly
          value={value}
          placeholder={t(here ? "settings.keys.press" : "settings.keys.unset")}
          onFocus={() => setHere(true)}
          onBlur={() => setHere(false)}
          onKeyDown={keyDown}
        />
        {value && (
          <button type="button" onClick={() => void form.change({ [name]: "" })}>
            {t("settings.keys.clear")}
          </button>
        )}
      </div>
    </Row>
  );
}

/** What is pressed, as the settings write it; null while it is no shortcut. Shift alone is for capitals. Pure. */
export function chord(event: Pick<KeyboardEvent, "key" | "code" | "ctrlKey" | "altKey" | "shiftKey" | "metaKey">) {
  const { key, code, ctrlKey, altKey, shiftKey, metaKey } = event;
  const letter = /^(?:Key|Digit)([A-Z0-9])$/.exec(code)?.[1];
  const main = /^[a-z0-9]$/i.test(key) ? key.toUpperCase() : /^F([1-9]|1[0-2])$/.test(key) ? key : letter;
  if (!main || !(ctrlKey || altKey || metaKey)) return null;
  const held = [ctrlKey && "Ctrl", altKey && "Alt", shiftKey && "Shift", metaKey && "Meta"].filter(Boolean);
  return [...held, main].join("+");
}
