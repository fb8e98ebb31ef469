/** How the pages look and which language they speak. */
import { language, t } from "../texts";
import { Choice, Problems, Row, useSettings } from "./form";
import { Skins } from "./skins";

export function Look() {
  const form = useSettings();
  const { settings } = form;
  return (
    <>
      <h2>{t("ui.section.look")}</h2>
      <Problems form={form} />
      {settings && (
        <>
          <Choice
            label={t("ui.look.language")}
            name="language"
            value={settings.language}
            options={[
              { value: "system", label: t("ui.look.system") },
              { value: "zh", label: t("ui.look.zh") },
              { value: "en", label: t("ui.look.en") },
            ]}
            onChange={(value) => void form.change({ language: value })}
          />
          <Choice
            label={t("ui.look.theme")}
            name="theme"
            value={settings.theme}
            options={[
              { value: "system", label: t("ui.look.system") },
              { value: "light", label: t("ui.look.light") },
              { value: "dark", label: t("ui.look.dark") },
            ]}
            onChange={(value) => void form.change({ theme: value })}
          />
          <Choice
            label={t("ui.look.motion")}
            name="motion"
            value={settings.reduced_motion}
            options={[
              { value: "system", label: t("ui.look.system") },
              { value: "on", label: t("ui.look.motion_less") },
              { value: "off", label: t("ui.look.motion_full") },
            ]}
            onChange={(value) => void form.change({ reduced_motion: value })}
          />
          <Row
            id="shortcut"
            label={t("ui.look.shortcut")}
            note={t("ui.look.shortcut_note")}
            setting="shortcut_memory"
            form={form}
          >
            <input
              id="shortcut"
              key={settings.shortcut_memory + language.value}
              defaultValue={settings.shortcut_memory}
              spellcheck={false}
              onChange={(event) => void form.change({ shortcut_memory: event.currentTarget.value.trim() })}
            />
          </Row>
        </>
      )}
      <Skins />
    </>
  );
}
