/** Parts of the settings' sections: loading and changing settings, and rows with label, control and note. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ErrorInfo, ExtraSetting, SettingsView } from "../bindings";
import { Icon } from "../components/icons";
import { type Loaded, Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import type { PaneProps } from "../state/extra";
import type { Section } from "../state/navigation";
import { errorOf, errorText, t } from "../texts";

type Name = keyof SettingsView | ExtraSetting;
export type Changes = Partial<Record<Name, string | number | boolean>>;

export interface SettingsForm {
  settings: SettingsView | null;
  loaded: Loaded<SettingsView>;
  /** why the last change was refused */
  refused: ErrorInfo | null;
  change(changes: Changes): Promise<boolean>;
}

export function useSettings(): SettingsForm {
  const store = useStore();
  const loaded = useLoad(() => store.commands.getSettings(), [store.settingsChange.value]);
  const [refused, setRefused] = useState<ErrorInfo | null>(null);

  function change(changes: Changes): Promise<boolean> {
    const saved = save(changes);
    store.settingsSaved = saved;
    return saved;
  }

  async function save(changes: Changes): Promise<boolean> {
    try {
      loaded.set(
        await store.commands.changeSettings({ changes: changes as Record<string, string | number | boolean> }),
      );
      setRefused(null);
      await store.loadApp();
      return true;
    } catch (thrown) {
      setRefused(errorOf(thrown));
      return false;
    }
  }

  return { settings: loaded.value, loaded, refused, change };
}

/** The rows of the extras in a section of the settings. */
export function ExtraRows({ of, ...props }: PaneProps & { of: Section }) {
  return (
    <>
      {useStore().extras.map(({ rows }, at) => {
        const Rows = rows?.[of];
        return Rows && <Rows key={at} {...props} />;
      })}
    </>
  );
}

interface RowProps {
  label: string;
  note?: string | undefined;
  id: string;
  /** the setting's name, to show when it is overridden */
  setting?: Name;
  form?: SettingsForm;
  children: ComponentChildren;
}

export function Row({ label, note, id, setting, form, children }: RowProps) {
  const overridden = setting !== undefined && form?.settings?.overridden.includes(setting) === true;
  return (
    <div class="setting">
      <label for={id}>{label}</label>
      <div class="control">{children}</div>
      {note && <p class="note">{note}</p>}
      {overridden && <p class="note overridden">{t("ui.settings.overridden")}</p>}
    </div>
  );
}

interface ToggleProps {
  label: string;
  note?: string;
  id: string;
  checked: boolean;
  setting?: Name;
  form?: SettingsForm;
  onChange: (checked: boolean) => void;
}

export function Toggle({ label, note, id, checked, setting, form, onChange }: ToggleProps) {
  const overridden = setting !== undefined && form?.settings?.overridden.includes(setting) === true;
  return (
    <div class="setting toggle">
      <label for={id}>
        {label}
        {note && <span class="note">{note}</span>}
        {overridden && <span class="note overridden">{t("ui.settings.overridden")}</span>}
      </label>
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}

interface ChoiceProps {
  label: string;
  note?: string;
  value: string;
  options: { value: string; label: string }[];
  onChange: (value: string) => void;
  name: string;
}

/** A few choices side by side. */
export function Choice({ label, note, value, options, onChange, name }: ChoiceProps) {
  return (
    <fieldset class="setting choice">
      <legend>{label}</legend>
      <div class="segments">
        {options.map((option) => (
          <label key={option.value} class={option.value === value ? "chosen" : undefined}>
            <input
              type="radio"
              class="sr"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => onChange(option.value)}
            />
            {option.label}
          </label>
        ))}
      </div>
      {note && <p class="note">{note}</p>}
    </fieldset>
  );
}

/** What few owners need, folded away. */
export function Advanced({ children }: { children: ComponentChildren }) {
  return (
    <details class="advanced">
      <summary>
        <Icon name="chevron" />
        {t("ui.settings.advanced")}
      </summary>
      <div>{children}</div>
    </details>
  );
}

interface ProblemsProps {
  form: SettingsForm;
  /** the setting whose refusal is shown at its field */
  except?: Name;
}

/** Problems of the settings as a whole; a waiting line until they are loaded. */
export function Problems({ form, except }: ProblemsProps) {
  const { refused } = form;
  const shown = refused && refused.args["setting"] !== except ? [refused] : [];
  const problems = [...shown, ...(form.settings?.problems ?? [])];
  if (problems.length === 0) return <Loading of={form.loaded} lines={5} />;
  return (
    <div class="fault" role="alert">
      <Icon name="warning" />
      <div>
        {problems.map((problem) => (
          <p key={problem.code}>{errorText(problem)}</p>
        ))}
      </div>
    </div>
  );
}

interface Props {
  id: string;
  label: string;
  value: number;
  from: number;
  to: number;
  onChange: (value: number) => Promise<unknown>;
}

export function Percent({ id, label, value, from, to, onChange }: Props) {
  const [moved, setMoved] = useState<number | null>(null);
  const requests = useRef(0);
  const count = moved ?? value;

  /**
   * A percentage by a slider: saved on release. The position stays until the last change is answered, so that the
   * next key step goes on from there.
   */
  async function put(wanted: number): Promise<void> {
    const mine = ++requests.current;
    setMoved(wanted);
    await onChange(wanted);
    if (mine === requests.current) setMoved(null);
  }

  return (
    <Row id={id} label={label}>
      <div class="inline percent">
        <input
          id={id}
          type="range"
          min={from}
          max={to}
          step={5}
          value={count}
          style={`--at: ${((count - from) / (to - from)) * 100}%`}
          aria-valuetext={t("settings.look.percent", { count })}
          onInput={(event) => setMoved(event.currentTarget.valueAsNumber)}
          onChange={(event) => void put(event.currentTarget.valueAsNumber)}
        />
        <output for={id}>{t("settings.look.percent", { count })}</output>
      </div>
    </Row>
  );
}
