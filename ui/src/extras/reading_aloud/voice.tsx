/** Replies read aloud by the system's voice: the switch, and under Advanced its speed and voices. */
import type { ReadingSettings, VoiceList } from "../../bindings";
import { Loading, useLoad } from "../../components/loading";
import { Absent, Percent, Row, Toggle, useAbilities } from "../../settings/form";
import { useStore } from "../../state/context";
import { type PaneProps, settingsOf } from "../../state/extra";
import { t } from "./words";

export function Aloud({ form, settings }: PaneProps) {
  if (!useAbilities()("speech")) return null;
  return (
    <Toggle
      id="read-aloud"
      label={t("ui.aloud.always")}
      note={t("ui.aloud.always_note")}
      checked={settingsOf<ReadingSettings>(settings).read_aloud}
      setting="read_aloud"
      form={form}
      onChange={(on) => void form.change({ read_aloud: on })}
    />
  );
}

export function VoiceRows({ form, settings }: PaneProps) {
  if (!useAbilities()("speech")) return <Absent label={t("ui.aloud.always")} why={t("ui.aloud.absent")} />;
  return (
    <>
      <Percent
        id="reading-speed"
        label={t("ui.aloud.speed")}
        value={settingsOf<ReadingSettings>(settings).reading_speed}
        from={50}
        to={200}
        onChange={(value) => form.change({ reading_speed: value })}
      />
      <Voices form={form} settings={settings} />
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
