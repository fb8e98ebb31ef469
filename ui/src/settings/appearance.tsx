/** Settings > Look: the skins, the theme, and how the pet behaves on the desktop. */
import { useState } from "preact/hooks";
import type { DesktopState, ErrorInfo, SettingsView } from "../bindings";
import { Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { errorOf, errorText, t } from "../texts";
import { Advanced, Choice, Percent, Problems, type SettingsForm, Toggle, useSettings } from "./form";
import { Skins } from "./skins";
import "./rows.css";

/** The row of an unsupported setting: why, in place of its control. */
export function Absent({ label, why }: { label: string; why: string }) {
  return (
    <div class="setting absent">
      <span class="absent-name">{label}</span>
      <p class="note">{why}</p>
    </div>
  );
}

function OnTheDesktop({ form, settings }: { form: SettingsForm; settings: SettingsView }) {
  const store = useStore();
  const able = (ability: string) => store.app.value?.abilities.includes(ability) === true;
  return (
    <section class="on-desktop" aria-label={t("desktop.title")}>
      <h3>{t("desktop.title")}</h3>
      {able("opacity") ? (
        <>
          <Fade form={form} settings={settings} />
          <Advanced>
            <Percent
              id="pet-opacity"
              label={t("settings.look.opacity")}
              value={settings.pet_opacity}
              from={30}
              to={100}
              onChange={(value) => form.change({ pet_opacity: value })}
            />
          </Advanced>
        </>
      ) : (
        <>
          <Absent label={t("settings.look.opacity")} why={t("desktop.opacity_absent")} />
          <Absent label={t("desktop.fade")} why={t("desktop.fade_absent")} />
        </>
      )}
      <Choice
        label={t("desktop.life")}
        name="pet-life"
        value={settings.pet_life}
        options={[
          { value: "calm", label: t("desktop.life_calm") },
          { value: "lively", label: t("desktop.life_lively") },
          { value: "still", label: t("desktop.life_still") },
        ]}
        onChange={(value) => void form.change({ pet_life: value })}
      />
      <p class="note">{t("desktop.life_note")}</p>
      {able("fullscreen") ? (
        <Toggle
          id="hide-fullscreen"
          label={t("settings.look.fullscreen")}
          note={t(able("all_fullscreen") ? "settings.look.fullscreen_note" : "desktop.fullscreen_some")}
          checked={settings.hide_fullscreen}
          setting="hide_fullscreen"
          form={form}
          onChange={(on) => void form.change({ hide_fullscreen: on })}
        />
      ) : (
        <Absent label={t("settings.look.fullscreen")} why={t("desktop.fullscreen_absent")} />
      )}
      {!able("tray") && <Absent label={t("desktop.tray")} why={t("desktop.tray_absent")} />}
      {!able("click_through") && <Absent label={t("desktop.through")} why={t("desktop.through_absent")} />}
      {!able("screenshot") && <Absent label={t("desktop.screenshot")} why={t("desktop.screenshot_absent")} />}
    </section>
  );
}

function Fade({ form, settings }: { form: SettingsForm; settings: SettingsView }) {
  return (
    <Toggle
      id="fade-on-hover"
      label={t("desktop.fade")}
      note={t("desktop.fade_note")}
      checked={settings.fade_on_hover}
      setting="fade_on_hover"
      form={form}
      onChange={(on) => void form.change({ fade_on_hover: on })}
    />
  );
}

/** Start at login: the system's state, also if it was set elsewhere. */
export function Login() {
  const store = useStore();
  const desktop = useLoad(() => store.commands.getDesktop(), [store.desktopChange.value]);
  const [failed, setFailed] = useState<ErrorInfo | null>(null);
  if (!desktop.value) return <Loading of={desktop} lines={1} />;
  if (!desktop.value.login_possible) return <Absent label={t("desktop.login")} why={t("desktop.login_absent")} />;

  async function switchTo(on: boolean): Promise<void> {
    try {
      desktop.set(await store.commands.setLogin({ on }));
      setFailed(null);
    } catch (thrown) {
      setFailed(errorOf(thrown));
      desktop.again(); // the switch shows the real state
    }
  }

  return (
    <div>
      <Toggle
        id="start-at-login"
        label={t("desktop.login")}
        note={words(desktop.value)}
        checked={desktop.value.login}
        onChange={(on) => void switchTo(on)}
      />
      <div role="status">{failed && <p class="error-text">{errorText(failed)}</p>}</div>
    </div>
  );
}

function words({ login, login_other, login_place }: DesktopState): string {
  if (!login) return t("desktop.login_off");
  return t(login_other ? "desktop.login_other" : "desktop.login_on", { place: login_place });
}

export function Appearance() {
  const form = useSettings();
  const { settings } = form;
  return (
    <>
      <h2>{t("ui.section.look")}</h2>
      <Problems form={form} />
      {settings && (
        <>
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
          <Toggle
            id="show-usage"
            label={t("ui.usage.setting")}
            checked={settings.show_usage}
            setting="show_usage"
            form={form}
            onChange={(on) => void form.change({ show_usage: on })}
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
