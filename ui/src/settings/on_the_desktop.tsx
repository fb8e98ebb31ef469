/** Settings > On the desktop: language and colours, when the pet speaks, how it moves, what is heard of it. */
import { useState } from "preact/hooks";
import type { ErrorInfo, SettingsView } from "../bindings";
import { TimeField, timeOfDay } from "../components/controls";
import { Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { errorOf, errorText, t } from "../texts";
import { Absent, Problems, type SettingsForm, Toggle, useSettings } from "./form";
import { Rows } from "./rows";

export function OnTheDesktop() {
  const store = useStore();
  const form = useSettings();
  const { settings } = form;
  const rows = { form, settings: settings as SettingsView };
  return (
    <>
      <Problems form={form} />
      {settings && (
        <>
          <Rows at="desktop" {...rows} />
          <Login />
          <h3>{t("settings.section.quiet")}</h3>
          <Rows at="quiet" {...rows} />
          {!settings.memory_default && <p class="note">{t("settings.quiet.needs_memory")}</p>}
          <QuietHours form={form} settings={settings} />
          <h3>{t("desktop.moves")}</h3>
          <Rows at="moves" {...rows} />
          <button type="button" onClick={() => void store.notices.attempt(() => store.commands.sendToCorner())}>
            {t("desktop.corner")}
          </button>
          <Rows at="sound" {...rows} />
        </>
      )}
    </>
  );
}

/** Start at login: the system's state, also if it was set elsewhere. */
function Login() {
  const store = useStore();
  const desktop = useLoad(() => store.commands.getDesktop(), [store.desktopChange.value]);
  const [failed, setFailed] = useState<ErrorInfo | null>(null);
  if (!desktop.value) return <Loading of={desktop} lines={1} />;
  if (!desktop.value.login_possible) return <Absent label={t("desktop.login")} why={t("desktop.login_absent")} />;

  const place = desktop.value.login_place;

  async function switchTo(on: boolean): Promise<void> {
    try {
      desktop.set(await store.commands.setLogin({ on }));
      setFailed(null);
    } catch (thrown) {
      setFailed(errorOf(thrown));
      desktop.again(); // the switch shows the real state
    }
  }

  return (
    <div>
      <Toggle
        id="start-at-login"
        label={t("desktop.login")}
        note={t(desktop.value.login ? "desktop.login_on" : "desktop.login_off", { place })}
        checked={desktop.value.login}
        onChange={(on) => void switchTo(on)}
      />
      <div role="status">
        {failed && <p class="error-text">{errorText(failed)}</p>}
        {desktop.value.login_other && <p class="note">{t("desktop.login_other", { place })}</p>}
      </div>
    </div>
  );
}

function QuietHours({ form, settings }: { form: SettingsForm; settings: SettingsView }) {
  const { quiet_from: from, quiet_until: until } = settings;
  return (
    <fieldset class="setting hours">
      <legend>{t("settings.quiet.hours")}</legend>
      <Hour
        id="quiet-from"
        label={t("settings.quiet.from")}
        value={from}
        onChange={(value) => form.change({ quiet_from: value })}
      />
      <Hour
        id="quiet-until"
        label={t("settings.quiet.until")}
        value={until}
        onChange={(value) => form.change({ quiet_until: value })}
      />
      <p class="note" role="status">
        {(from === "") !== (until === "") && t("settings.quiet.hours_half")}
      </p>
    </fieldset>
  );
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
