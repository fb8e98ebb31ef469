/** The voices that read replies aloud, below the other rows of Advanced. */
import type { ReadingSettings, VoiceList } from "../../bindings";
import { Loading, useLoad } from "../../components/loading";
import { Absent, Row, useAbilities } from "../../settings/form";
import { useStore } from "../../state/context";
import { type PaneProps, settingsOf } from "../../state/extra";
import { t } from "./words";

const LANGUAGES = ["en", "zh", "es"] as const;

export function Voices(props: PaneProps) {
  if (!useAbilities()("speech")) return <Absent label={t("settings.row.read_aloud")} why={t("ui.aloud.absent")} />;
  return <VoiceRows {...props} />;
}

/** The system's voices; its engine is started for the list. */
function VoiceRows({ form, settings }: PaneProps) {
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
