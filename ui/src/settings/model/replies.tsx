/** Rows of how the model replies: its effort, thinking, and the longest reply. */
import { useState } from "preact/hooks";
import { ALLOWED } from "../../bindings";
import type { PaneProps } from "../../state/extra";
import { hasKey, number, t } from "../../texts";
import { Row, type SettingsForm } from "../form";
import { Rows } from "../rows";

export function ReplyRows({ form, settings }: PaneProps) {
  return (
    <>
      <Row
        id="effort"
        label={t("ui.thinking.effort")}
        note={t("ui.thinking.effort_note")}
        setting="effort"
        form={form}
      >
        <select
          id="effort"
          value={settings.effort}
          onChange={(event) => void form.change({ effort: event.currentTarget.value })}
        >
          {ALLOWED.effort.map((effort) => (
            <option key={effort} value={effort}>
              {effortName(effort)}
            </option>
          ))}
        </select>
      </Row>
      <Rows of={["thinking", "show_usage"]} form={form} settings={settings} />
      <Longest form={form} />
    </>
  );
}

/** English words per token. */
const WORDS = 0.75;

/** Write a count with its first two digits. */
function about(count: number): string {
  return number(Number(count.toPrecision(2)));
}

/** The longest reply in tokens. An invalid number shows an error; the field returns to the saved value. */
function Longest({ form }: { form: SettingsForm }) {
  const value = form.settings?.max_tokens ?? 0;
  const [tries, setTries] = useState(0);
  return (
    <Row
      id="max-tokens"
      label={t("ui.thinking.longest")}
      note={t("ui.thinking.longest_note", { words: about(value * WORDS), characters: about(value) })}
      setting="max_tokens"
      form={form}
    >
      <input
        id="max-tokens"
        class="short"
        type="number"
        inputMode="numeric"
        min={1}
        max={1_000_000}
        key={`${value} ${tries}`}
        defaultValue={String(value)}
        onChange={(event) => {
          const wanted = event.currentTarget.valueAsNumber;
          if (wanted === value) return;
          // Empty means the default; the core validates everything else.
          if (Number.isNaN(wanted)) setTries(tries + 1);
          else void form.change({ max_tokens: wanted }).then((done) => !done && setTries(tries + 1));
        }}
      />
    </Row>
  );
}

function effortName(effort: string): string {
  const key = `ui.effort.${effort}`;
  return hasKey(key) ? t(key) : effort || t("ui.thinking.effort_default");
}
