/** Settings > Privacy > Memory and What it sees. */
import { useReducer, useState } from "preact/hooks";
import { SCROLLS } from "../components/controls";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { number, t } from "../texts";
import { Choice, Problems, Toggle, useSettings } from "./form";
import { Rows } from "./rows";

/** What memory does in every conversation. */
export function HowItRemembers() {
  const store = useStore();
  const form = useSettings();
  const { settings } = form;
  const [, drawAgain] = useReducer((count: number, _: undefined) => count + 1, 0);

  async function pause(paused: boolean): Promise<void> {
    const done = await store.notices.attempt(() => store.commands.pauseMemory({ paused }));
    if (done === null) drawAgain(undefined); // the switch shows the real state
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
          <Choice
            label={t("ui.memory.notes")}
            note={t("ui.memory.notes_note")}
            name="notes"
            value={settings.notes_when_asked ? "asked" : "freely"}
            options={[
              { value: "freely", label: t("ui.memory.notes_freely") },
              { value: "asked", label: t("ui.memory.notes_asked") },
            ]}
            onChange={(value) => void form.change({ notes_when_asked: value === "asked" })}
          />
          <Rows at="memory" form={form} settings={settings} />
        </>
      )}
    </>
  );
}

/** Exactly what would be sent now, before the owner's message. */
export function PromptPreview() {
  const store = useStore();
  const [memory, setMemory] = useState("on");
  // For the open conversation, which may have its own model.
  const conversation = store.tabs.active.value;
  const on = [store.files.change.value, store.settingsChange.value, conversation];
  // A preview with memory on is never shown for memory off, not even while the answer loads.
  const loaded = useLoad(
    () => store.commands.previewPrompt({ memory: memory === "on", read_only: memory === "read", conversation }),
    on,
    memory,
  );
  const view = loaded.value;
  const most = Math.max(1, ...(view?.sections.map((section) => section.characters) ?? []));
  return (
    <section class="sees" aria-label={t("ui.sees.title")}>
      <Choice
        label={t("ui.sees.memory")}
        name="sees"
        value={memory}
        options={[
          { value: "on", label: t("ui.memory_switch.on") },
          { value: "read", label: t("ui.memory_switch.read") },
          { value: "off", label: t("ui.memory_switch.off") },
        ]}
        onChange={setMemory}
      />
      <Loading of={loaded} lines={6} />
      {view && (
        <>
          <p class="sees-total">
            {t("ui.sees.total", { characters: number(view.characters), tokens: number(view.tokens) })}
            <span class="quiet-text">{t("ui.sees.tools", { tools: view.tools.join(", ") || "\u2013" })}</span>
          </p>
          {view.recall_way !== "meaning" && (
            <p class="note">{t(view.recall_way === "words" ? "ui.sees.recall_words" : "ui.sees.recall_late")}</p>
          )}
          {view.sections.map((section) => (
            <details key={section.name} class="sees-section">
              <summary>
                <Icon name="chevron" />
                <span class="name">{section.name.endsWith(".md") ? section.name : sectionName(section.name)}</span>
                <span class="bar-track" aria-hidden="true">
                  <span class="bar-fill" style={{ width: `${Math.round((section.characters / most) * 100)}%` }} />
                </span>
                <span class="quiet-text">{t("ui.sees.size", { characters: number(section.characters) })}</span>
              </summary>
              {section.cut > 0 && <p class="note">{t("ui.sees.cut", { count: number(section.cut) })}</p>}
              <pre {...SCROLLS}>{section.text}</pre>
            </details>
          ))}
          {[...view.changes, ...view.beside].map((text, place) => (
            <details key={`beside-${place}`} class="sees-section">
              <summary>
                <Icon name="chevron" />
                <span class="name">{t(place < view.changes.length ? "ui.sees.changes" : "ui.sees.beside")}</span>
                <span class="quiet-text">{t("ui.sees.size", { characters: number(text.length) })}</span>
              </summary>
              <pre {...SCROLLS}>{text}</pre>
            </details>
          ))}
        </>
      )}
    </section>
  );
}

function sectionName(name: string): string {
  switch (name) {
    case "rules":
      return t("ui.sees.rules");
    case "skills":
      return t("ui.sees.skills");
    case "channel":
      return t("ui.sees.channel");
    case "names":
      return t("ui.sees.names");
    case "tools":
      return t("ui.sees.tools_section");
    default:
      return name;
  }
}
