/** How remembering works, in plain words: the pause, recall, upkeep, summaries. The finer screws are in settings.toml. */
import { useReducer } from "preact/hooks";
import { useStore } from "../../state/context";
import { t } from "../../texts";
import { Choice, Problems, Toggle, useSettings } from "../form";

const COUNTS = [1, 2, 3, 5, 8];
const SHARES = [0.6, 0.8, 0.95];

export function MemorySettings() {
  const store = useStore();
  const form = useSettings();
  const { settings } = form;
  const [, drawAgain] = useReducer((count: number, _: undefined) => count + 1, 0);

  async function pause(paused: boolean): Promise<void> {
    const done = await store.attempt(() => store.commands.pauseBrain({ paused }));
    if (done === null) drawAgain(undefined); // the switch shows what is
  }

  return (
    <>
      <Problems form={form} />
      <Toggle
        id="memory-pause"
        label={t("ui.memory.pause")}
        note={t("ui.memory.pause_note")}
        checked={store.paused.value}
        onChange={(on) => void pause(on)}
      />
      {settings && (
        <>
          <Choice
            label={t("ui.memory.default")}
            note={t("ui.memory.default_note")}
            name="memory-default"
            value={settings.memory_default ? "on" : settings.memory_read_only ? "read" : "off"}
            options={[
              { value: "on", label: t("ui.memory.default_on") },
              { value: "read", label: t("ui.memory.default_read") },
              { value: "off", label: t("ui.memory.default_off") },
            ]}
            onChange={(value) =>
              void form.change({ memory_default: value === "on", memory_read_only: value === "read" })
            }
          />
          <Toggle
            id="recall"
            label={t("ui.memory.recall")}
            note={t("ui.memory.recall_note")}
            checked={settings.recall}
            setting="recall"
            form={form}
            onChange={(on) => void form.change({ recall: on })}
          />
          {settings.recall && (
            <Choice
              label={t("ui.memory.recall_count")}
              name="recall-count"
              value={String(settings.recall_count)}
              options={among(COUNTS, settings.recall_count).map((count) => ({
                value: String(count),
                label: String(count),
              }))}
              onChange={(value) => void form.change({ recall_count: Number(value) })}
            />
          )}
          <Toggle
            id="upkeep"
            label={t("ui.memory.upkeep")}
            note={t("ui.memory.upkeep_note")}
            checked={settings.upkeep}
            setting="upkeep"
            form={form}
            onChange={(on) => void form.change({ upkeep: on })}
          />
          <Choice
            label={t("ui.memory.compact")}
            name="compact-share"
            value={String(settings.compact_share)}
            options={among(SHARES, settings.compact_share).map((share) => ({
              value: String(share),
              label: t("ui.memory.compact_at", { share: Math.round(share * 100) }),
            }))}
            onChange={(value) => void form.change({ compact_share: Number(value) })}
          />
          <p class="note">{t("ui.memory.compact_note")}</p>
          <p class="note">{t("ui.memory.finer")}</p>
        </>
      )}
    </>
  );
}

/** The usual choices, and whatever was written into settings.toml. */
function among(usual: number[], now: number): number[] {
  return [...new Set([...usual, now])].sort((a, b) => a - b);
}
