/** Settings > Privacy > Advanced: all that few owners ever need, in one place. */
import type { SettingsView } from "../bindings";
import { RebuildIndex } from "../memory/browser";
import { useStore } from "../state/context";
import { type Key, t } from "../texts";
import { OPTIONAL } from "./editor/files";
import { FileLink } from "./file_link";
import { Absent, ExtraRows, Folded, Problems, useAbilities, useSettings } from "./form";
import { ReplyRows } from "./model/replies";
import { PlaceList } from "./places";
import { Rows } from "./rows";
import { AskRows } from "./shortcuts";
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
            <ReplyRows {...rows} />
            <ExtraRows of="advanced_model" {...rows} />
          </Folded>
          <Folded late title={t("ui.section.memory")}>
            {!settings.notes_when_asked && <Rows of={["notes_at_rest"]} {...rows} />}
            <Rows of={["upkeep", "prompt_mode"]} {...rows} />
            {settings.recall && <Rows of={["recall_count"]} {...rows} />}
            <RebuildIndex />
          </Folded>
          <Folded late title={t("desktop.title")}>
            <Rows of={["quick_replies", "bubble_seconds", "heartbeat_daily_tokens", "date_order"]} {...rows} />
            {able("opacity") && <Rows of={["pet_opacity"]} {...rows} />}
            {able("shortcuts") && settings.shortcut_ask && <AskRows {...rows} />}
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

/** What this desktop doesn't have. */
function absent(able: (ability: string) => boolean) {
  const rows = ABSENT.filter(({ ability }) => !able(ability));
  return able("fullscreen") ? rows : rows.filter(({ ability }) => ability !== "all_fullscreen");
}

/** What some desktops don't have, and why. */
const ABSENT: { ability: string; name: Key; why: Key }[] = [
  { ability: "opacity", name: "settings.look.opacity", why: "desktop.opacity_absent" },
  { ability: "fullscreen", name: "settings.look.fullscreen", why: "desktop.fullscreen_absent" },
  { ability: "all_fullscreen", name: "settings.look.fullscreen", why: "desktop.fullscreen_some" },
  { ability: "tray", name: "desktop.tray", why: "desktop.tray_absent" },
  { ability: "click_through", name: "desktop.through", why: "desktop.through_absent" },
  { ability: "screenshot", name: "desktop.screenshot", why: "desktop.screenshot_absent" },
];
