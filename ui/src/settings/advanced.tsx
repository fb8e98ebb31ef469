/** Settings > Privacy > Advanced: all that few owners ever need, in one place. */
import type { SettingsView } from "../bindings";
import { Folded } from "../components/controls";
import { RebuildIndex } from "../memory/browser";
import { useStore } from "../state/context";
import { type Args, type Key, number, t } from "../texts";
import { OPTIONAL } from "./editor/files";
import { FileLink } from "./file_link";
import { Absent, ExtraRows, Problems, useAbilities, useSettings } from "./form";
import { PlaceList } from "./places";
import { Rows } from "./rows";
import { Skills } from "./skills";

export function Advanced() {
  const store = useStore();
  const form = useSettings();
  const { settings } = form;
  const able = useAbilities();
  const rows = { form, settings: settings as SettingsView };
  return (
    <>
      <Problems form={form} />
      {settings && (
        <>
          <Folded late title={t("ui.section.model")}>
            <Rows at="advanced_model" args={{ max_tokens: lengthOf(settings.max_tokens) }} {...rows} />
            <ExtraRows of="advanced_model" {...rows} />
          </Folded>
          <Folded late title={t("ui.section.memory")}>
            <Rows at="advanced_memory" {...rows} />
            <RebuildIndex />
          </Folded>
          <Folded late title={t("desktop.title")}>
            <Rows at="advanced_desktop" {...rows} />
            <ExtraRows of="advanced_desktop" {...rows} />
            {absent(able).map(({ name, why }) => (
              <Absent key={name} label={t(name)} why={t(why)} />
            ))}
          </Folded>
          <Folded late title={t("ui.files.label")}>
            <div class="row files-row">
              {OPTIONAL.map((name) => (
                <FileLink key={name} name={name} />
              ))}
            </div>
            <Skills />
            <h3>{t("ui.privacy.where")}</h3>
            <PlaceList key={store.app.value?.pet_name} />
          </Folded>
        </>
      )}
    </>
  );
}

/** What a longest reply in tokens comes to, in its first two digits: three of four tokens are an English word. */
function lengthOf(tokens: number): Args {
  const about = (count: number) => number(Number(count.toPrecision(2)));
  return { words: about(tokens * 0.75), characters: about(tokens) };
}

/** What this desktop doesn't have. */
function absent(able: (ability: string) => boolean) {
  const rows = ABSENT.filter(({ ability }) => !able(ability));
  return able("fullscreen") ? rows : rows.filter(({ ability }) => ability !== "all_fullscreen");
}

/** What some desktops don't have, and why. */
const ABSENT: { ability: string; name: Key; why: Key }[] = [
  { ability: "opacity", name: "settings.row.pet_opacity", why: "desktop.opacity_absent" },
  { ability: "fullscreen", name: "settings.row.hide_fullscreen", why: "desktop.fullscreen_absent" },
  { ability: "all_fullscreen", name: "settings.row.hide_fullscreen", why: "desktop.fullscreen_some" },
  { ability: "tray", name: "desktop.tray", why: "desktop.tray_absent" },
  { ability: "click_through", name: "desktop.through", why: "desktop.through_absent" },
  { ability: "screenshot", name: "desktop.screenshot", why: "desktop.screenshot_absent" },
];
