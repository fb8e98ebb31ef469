/** Settings > Company: what can be heard of the pet. */
import type { SettingsView } from "../bindings";
import { t } from "../texts";
import { type SettingsForm, Toggle } from "./form";

export function Voice({ form, settings }: { form: SettingsForm; settings: SettingsView }) {
  return (
    <Toggle
      id="pet-sounds"
      label={t("settings.voice.sounds")}
      note={t("settings.voice.sounds_note")}
      checked={settings.pet_sounds}
      setting="pet_sounds"
      form={form}
      onChange={(on) => void form.change({ pet_sounds: on })}
    />
  );
}
