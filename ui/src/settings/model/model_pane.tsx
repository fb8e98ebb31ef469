/** Settings > Model: connections, local models, effort and the length of replies. */
import { useState } from "preact/hooks";
import { Icon } from "../../components/icons";
import { hasKey, number, t } from "../../texts";
import { Advanced, Choice, ExtraRows, Problems, Row, type SettingsForm, useSettings } from "../form";
import { Connections } from "./connections";
import { LocalModels } from "./local_models";

const EFFORTS = ["", "low", "medium", "high", "xhigh", "max"];

export function ModelPane() {
  const form = useSettings();
  const { settings } = form;
  return (
    <>
      <h2>{t("ui.section.thinking")}</h2>
      <p class="note">{t("ui.thinking.note")}</p>
      <Problems form={form} />
      {settings && (
        <>
          {settings.demo && (
            <p class="demo-note" role="status">
              <Icon name="spark" />
              {t("thinking.demo_on")}
            </p>
          )}
          <h3>{t("connections.title")}</h3>
          <p class="note">{t("connections.note")}</p>
          {settings.overridden.includes("base_url") && <p class="note overridden">{t("ui.settings.overridden")}</p>}
          <Connections onDemo={() => form.change({ demo: true, local_model: "" })} />
          <h3>{t("local_models.title")}</h3>
          <LocalModels />
          <ExtraRows of="thinking" form={form} settings={settings} />
          <Advanced>
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
                {EFFORTS.map((effort) => (
                  <option key={effort} value={effort}>
                    {effortName(effort)}
                  </option>
                ))}
              </select>
            </Row>
            <Choice
              label={t("ui.thinking.ponder")}
              name="thinking"
              value={settings.thinking}
              options={[
                { value: "default", label: t("ui.thinking.ponder_default") },
                { value: "off", label: t("ui.thinking.ponder_off") },
              ]}
              onChange={(value) => void form.change({ thinking: value })}
            />
            <Longest form={form} />
          </Advanced>
        </>
      )}
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
