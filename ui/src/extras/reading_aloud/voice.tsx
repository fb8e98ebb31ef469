/** Settings > Company: what can be heard of the pet: replies read aloud by the system's voice. */
import { useState } from "preact/hooks";
import type { ReadingSettings, VoiceList } from "../../bindings";
import { Icon } from "../../components/icons";
import { Loading, useLoad } from "../../components/loading";
import { Absent } from "../../settings/appearance";
import { Percent, Row, Toggle } from "../../settings/form";
import { useStore } from "../../state/context";
import { type PaneProps, settingsOf } from "../../state/extra";
import { t } from "./words";

export function Voice({ form, settings }: PaneProps) {
  const able = useStore().app.value?.abilities.includes("speech") === true;
  return (
    <>
      {able ? (
        <Aloud form={form} settings={settings} />
      ) : (
        <Absent label={t("ui.aloud.always")} why={t("ui.aloud.absent")} />
      )}
    </>
  );
}

function Aloud({ form, settings }: PaneProps) {
  const own = settingsOf<ReadingSettings>(settings);
  const [open, setOpen] = useState(false);
  return (
    <>
      <Toggle
        id="read-aloud"
        label={t("ui.aloud.always")}
        note={t("ui.aloud.always_note")}
        checked={own.read_aloud}
        setting="read_aloud"
        form={form}
        onChange={(on) => {
          if (on) setOpen(true);
          void form.change({ read_aloud: on });
        }}
      />
      <details class="advanced" open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          <Icon name="chevron" />
          {t("ui.aloud.voices")}
        </summary>
        <div>
          <Percent
            id="reading-speed"
            label={t("ui.aloud.speed")}
            value={own.reading_speed}
            from={50}
            to={200}
            onChange={(value) => form.change({ reading_speed: value })}
          />
          {open && <Voices form={form} settings={settings} />}
        </div>
      </details>
    </>
  );
}

const LANGUAGES = ["en", "zh", "es"] as const;

/** The system's voices; its engine is started for the list. */
function Voices({ form, settings }: PaneProps) {
  const own = settingsOf<ReadingSettings>(settings);
  const store = useStore();
  const voices = useLoad<VoiceList>(() => store.commands.listVoices(), []);
  if (!voices.value) return <Loading of={voices} lines={2} />;
  const all = voices.value.voices;
  if (all.length === 0) return <p class="note">{t("ui.aloud.none")}</p>;
  return (
    <>
      {LANGUAGES.map((language) => {
        const names = all.filter((each) => each.language === language).map((each) => each.name);
        const spoken = t(`aloud.language_${language}`);
        if (names.length === 0)
          return (
            <p class="note" key={language}>
              {t("ui.aloud.none_of", { language: spoken })}
            </p>
          );
        const setting = `reading_voice_${language}` as const;
        return (
          <Row
            id={setting}
            key={language}
            label={t("ui.aloud.voice_of", { language: spoken })}
            setting={setting}
            form={form}
          >
            <select
              id={setting}
              value={names.includes(own[setting]) ? own[setting] : ""}
              onChange={(event) => void form.change({ [setting]: event.currentTarget.value })}
            >
              <option value="">{t("ui.aloud.first")}</option>
              {names.map((name) => (
                <option key={name} value={name}>
                  {name}
                </option>
              ))}
            </select>
          </Row>
        );
      })}
    </>
  );
}
