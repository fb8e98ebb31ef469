/** How the pages and the pet look, and which language they speak. */
import { useState } from "preact/hooks";
import { useStore } from "../state/context";
import { t } from "../texts";
import { Choice, Problems, Row, Toggle, useSettings } from "./form";
import { Skins } from "./skins";

export function Look() {
  const store = useStore();
  const form = useSettings();
  const { settings } = form;
  const able = (ability: string) => store.app.value?.abilities.includes(ability) === true;
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
          <Percent
            id="pet-size"
            label={t("settings.look.size")}
            value={settings.pet_size}
            from={50}
            to={200}
            onChange={(value) => void form.change({ pet_size: value })}
          />
          {able("opacity") && (
            <Percent
              id="pet-opacity"
              label={t("settings.look.opacity")}
              value={settings.pet_opacity}
              from={30}
              to={100}
              onChange={(value) => void form.change({ pet_opacity: value })}
            />
          )}
          {able("fullscreen") && (
            <Toggle
              id="hide-fullscreen"
              label={t("settings.look.fullscreen")}
              note={t("settings.look.fullscreen_note")}
              checked={settings.hide_fullscreen}
              setting="hide_fullscreen"
              form={form}
              onChange={(on) => void form.change({ hide_fullscreen: on })}
            />
          )}
        </>
      )}
      <Skins />
    </>
  );
}

interface PercentProps {
  id: string;
  label: string;
  value: number;
  from: number;
  to: number;
  onChange: (value: number) => void;
}

/** Set when it is let go of; until then only the number moves. */
function Percent({ id, label, value, from, to, onChange }: PercentProps) {
  const [moved, setMoved] = useState<number | null>(null);
  const count = moved ?? value;
  return (
    <Row id={id} label={label}>
      <div class="inline percent">
        <input
          id={id}
          type="range"
          min={from}
          max={to}
          step={5}
          value={count}
          aria-valuetext={t("settings.look.percent", { count })}
          onInput={(event) => setMoved(event.currentTarget.valueAsNumber)}
          onChange={(event) => {
            setMoved(null);
            onChange(event.currentTarget.valueAsNumber);
          }}
        />
        <output for={id}>{t("settings.look.percent", { count })}</output>
      </div>
    </Row>
  );
}
