/** Parts of the settings' sections: loading and changing settings, and rows with label, control and note. */
import type { ComponentChildren } from "preact";
import { useRef, useState } from "preact/hooks";
import type { ErrorInfo, ExtraSetting, SettingsView } from "../bindings";
import { Icon } from "../components/icons";
import { type Loaded, Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import type { PaneProps, RowsOf } from "../state/extra";
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

/** Return whether the desktop can do something. */
export function useAbilities(): (ability: string) => boolean {
  const abilities = useStore().app.value?.abilities ?? [];
  return (ability) => abilities.includes(ability);
}

/** The rows of the extras in a place of the settings. */
export function ExtraRows({ of, ...props }: PaneProps & { of: RowsOf }) {
  return (
    <>
      {useStore().extras.map(({ rows }, at) => {
        const Rows = rows?.[of];
        return Rows && <Rows key={at} {...props} />;
      })}
    </>
  );
}

interface About {
  label: string;
  note?: string | undefined;
  /** the setting's name, to show when it is overridden */
  setting?: Name;
  form?: SettingsForm;
}

function isOverridden({ setting, form }: About): boolean {
  return setting !== undefined && form?.settings?.overridden.includes(setting) === true;
}

interface RowProps extends About {
  id: string;
  children: ComponentChildren;
}

export function Row({ id, children, ...about }: RowProps) {
  return (
    <div class="setting">
      <label for={id}>{about.label}</label>
      <div class="control">{children}</div>
      {about.note && <p class="note">{about.note}</p>}
      {isOverridden(about) && <p class="note overridden">{t("ui.settings.overridden")}</p>}
    </div>
  );
}

/** What is said of a row once it is touched; before, its tooltip says it. */
function useTouched(note: string | undefined, overridden: boolean) {
  const [touched, setTouched] = useState(false);
  const words = (
    <>
      {touched && note && (
        <span class="note" role="status">
          {note}
        </span>
      )}
      {overridden && <span class="note overridden">{t("ui.settings.overridden")}</span>}
    </>
  );
  return { touch: () => setTouched(true), words, tip: touched ? undefined : note };
}

interface ToggleProps extends About {
  id: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function Toggle({ id, checked, onChange, ...about }: ToggleProps) {
  const { touch, words, tip } = useTouched(about.note, isOverridden(about));
  return (
    <div class="setting toggle">
      <label for={id} data-tip={tip}>
        {about.label}
        {words}
      </label>
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={checked}
        aria-checked={checked}
        aria-description={tip}
        onChange={(event) => {
          touch();
          onChange(event.currentTarget.checked);
        }}
      />
    </div>
  );
}

interface ChoiceProps extends About {
  value: string;
  options: { value: string; label: string }[];
  onChange: (value: string) => void;
  name: string;
}

/** A few choices side by side. */
export function Choice({ value, options, onChange, name, ...about }: ChoiceProps) {
  const { touch, words, tip } = useTouched(about.note, isOverridden(about));
  return (
    <fieldset class="setting choice">
      <legend data-tip={tip}>{about.label}</legend>
      <div class="segments">
        {options.map((option) => (
          <label key={option.value} class={option.value === value ? "chosen" : undefined}>
            <input
              type="radio"
              class="sr"
              name={name}
              value={option.value}
              checked={option.value === value}
              onChange={() => {
                touch();
                onChange(option.value);
              }}
            />
            {option.label}
          </label>
        ))}
      </div>
      {words}
    </fieldset>
  );
}

/** The row of an unsupported setting: why, in place of its control. */
export function Absent({ label, why }: { label: string; why: string }) {
  return (
    <div class="setting absent">
      <span class="absent-name">{label}</span>
      <p class="note">{why}</p>
    </div>
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

interface NumberProps extends About {
  id: string;
  value: number;
  /** the least, the greatest, the step */
  range: readonly [number, number, number];
  onChange: (value: number) => Promise<boolean>;
}

export function Percent({ id, value, range: [from, to, step], onChange, ...about }: NumberProps) {
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
    <Row id={id} {...about}>
      <div class="inline percent">
        <input
          id={id}
          type="range"
          min={from}
          max={to}
          step={step}
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

/** A number. A refused one shows an error, and the field returns to the saved value; an empty field means 0. */
export function NumberField({
  id,
  value,
  range,
  unit,
  onChange,
  ...about
}: NumberProps & { unit: string | undefined }) {
  const [tries, setTries] = useState(0);
  const [least, most, step] = range;

  async function put(typed: number): Promise<void> {
    if (typed === value) return;
    const wanted = Number.isNaN(typed) ? (least === 0 ? 0 : value) : typed;
    if (wanted === value || !(await onChange(wanted))) setTries((count) => count + 1);
  }

  return (
    <Row id={id} {...about}>
      <input
        id={id}
        class="short"
        type="number"
        min={least}
        max={most}
        step={step}
        key={`${value} ${tries}`}
        defaultValue={String(value)}
        onChange={(event) => void put(event.currentTarget.valueAsNumber)}
      />
      {unit && ` ${unit}`}
    </Row>
  );
}
