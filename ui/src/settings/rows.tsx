/**
 * The rows of a place of the settings, drawn from what `pet/settings/schema.py` says of each setting. Their texts:
 * `settings.row.NAME`, with `_note`, `_unit`, and `_VALUE` of each value where there are some.
 */
import { ROWS, type SettingRow } from "../bindings";
import type { PaneProps } from "../state/extra";
import { type Args, hasKey, number, t } from "../texts";
import { Choice, NumberField, Percent, Row, type SettingsForm, Toggle, useAbilities } from "./form";

type Value = string | number | boolean;

interface Props extends PaneProps {
  at: keyof typeof ROWS;
  /** the arguments of notes, by their setting */
  args?: Partial<Record<SettingRow["name"], Args>>;
}

export function Rows({ at, form, settings, args = {} }: Props) {
  const able = useAbilities();
  const values: Record<string, unknown> = { ...settings, ...settings.extras };
  const rows: readonly SettingRow[] = ROWS[at];
  return (
    <>
      {rows.map((row) => {
        const { name, needs, when } = row;
        const value = values[name] as Value | undefined;
        if (value === undefined || (needs && !able(needs))) return null;
        if (when && Boolean(values[when[0]]) !== when[1]) return null;
        return <OneRow key={name} row={row} value={value} form={form} args={args[name]} />;
      })}
    </>
  );
}

interface OneProps {
  row: SettingRow;
  value: Value;
  form: SettingsForm;
  args: Args | undefined;
}

function OneRow({ row: { name, kind, of = [], range = [0, 0, 1] }, value, form, args }: OneProps) {
  const about = { id: name, label: textOf(name) ?? name, note: textOf(`${name}_note`, args), setting: name, form };
  const change = (wanted: Value) => form.change({ [name]: wanted });
  switch (kind) {
    case "switch":
      return <Toggle {...about} checked={value === true} onChange={(on) => void change(on)} />;
    case "percent":
      return <Percent {...about} value={Number(value)} range={range} onChange={change} />;
    case "number":
      return (
        <NumberField {...about} value={Number(value)} range={range} unit={textOf(`${name}_unit`)} onChange={change} />
      );
    case "text":
      return (
        <Row {...about}>
          <textarea
            id={name}
            rows={3}
            dir="auto"
            value={String(value)}
            onChange={(event) => void change(event.currentTarget.value)}
          />
        </Row>
      );
    default: {
      const options = withValue(of, value).map((each) => ({ value: String(each), label: wordOf(name, each) }));
      const choose = (wanted: string) => void change(typeof value === "number" ? Number(wanted) : wanted);
      return kind === "choice" ? (
        <Choice {...about} name={name} value={String(value)} options={options} onChange={choose} />
      ) : (
        <Row {...about}>
          <select id={name} value={String(value)} onChange={(event) => choose(event.currentTarget.value)}>
            {options.map((each) => (
              <option key={each.value} value={each.value}>
                {each.label}
              </option>
            ))}
          </select>
        </Row>
      );
    }
  }
}

function textOf(name: string, args?: Args): string | undefined {
  const key = `settings.row.${name}`;
  return hasKey(key) ? t(key, args) : undefined;
}

/** Return the word of a value: the setting's own, else one that several settings share. */
function wordOf(name: string, value: string | number): string {
  const shared = `ui.look.${value}`;
  const word =
    textOf(`${name}_${value || (value === 0 ? 0 : "default")}`) ?? (hasKey(shared) ? t(shared) : undefined);
  if (word !== undefined) return word;
  return typeof value === "number" ? (textOf(`${name}_some`, { count: number(value) }) ?? number(value)) : value;
}

/** Return the usual numbers, with the current one of settings.toml. */
function withValue(of: readonly (string | number)[], now: Value): readonly (string | number)[] {
  if (typeof now !== "number" || of.includes(now)) return of;
  return [...of, now].sort((one, other) => Number(one) - Number(other));
}
