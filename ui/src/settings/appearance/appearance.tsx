/** How the pages and the pet look, and which language they speak. */
import { LANGUAGES, t } from "../../texts";
import { OnTheDesktop } from "../desktop/desktop";
import { Choice, Problems, Toggle, useSettings } from "../form";
import { Percent } from "../percent";
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
              ...LANGUAGES.map((each) => ({ value: each, label: t(`ui.look.${each}`) })),
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
          <Toggle
            id="quick-replies"
            label={t("ui.quick.setting")}
            note={t("ui.quick.setting_note")}
            checked={settings.quick_replies}
            setting="quick_replies"
            form={form}
            onChange={(on) => void form.change({ quick_replies: on })}
          />
          <Percent
            id="pet-size"
            label={t("settings.look.size")}
            value={settings.pet_size}
            from={50}
            to={200}
            onChange={(value) => form.change({ pet_size: value })}
          />
          <OnTheDesktop form={form} settings={settings} />
        </>
      )}
      <Skins />
    </>
  );
}
