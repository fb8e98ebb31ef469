/** "What my pet sees": the prompt as it would be sent now, by section, with sizes. */
import { useState } from "preact/hooks";
import { Icon } from "../../components/icons";
import { Loading, useLoad } from "../../components/loading";
import { useStore } from "../../state/context";
import { number, t } from "../../texts";
import { Choice, useSettings } from "../form";

export function WhatItSees() {
  const store = useStore();
  const form = useSettings();
  const [memory, setMemory] = useState("on");
  // As the conversation has it that is open: it may have a model of its own.
  const conversation = store.active.value;
  const on = [store.fileChange.value, store.settingsChange.value, conversation];
  // What was sent with memory on is none of what is shown with it off, not even while the answer is awaited.
  const loaded = useLoad(
    () => store.commands.previewPrompt({ memory: memory === "on", read_only: memory === "read", conversation }),
    on,
    memory,
  );
  const view = loaded.value;
  const most = Math.max(1, ...(view?.sections.map((section) => section.characters) ?? []));
  return (
    <section class="sees" aria-label={t("ui.sees.title")}>
      <p class="note">{t("ui.sees.note")}</p>
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
      {form.settings && (
        <Choice
          label={t("ui.sees.mode")}
          name="prompt-mode"
          value={form.settings.prompt_mode}
          options={[
            { value: "full", label: t("ui.sees.mode_full") },
            { value: "minimal", label: t("ui.sees.mode_minimal") },
            { value: "none", label: t("ui.sees.mode_none") },
          ]}
          note={form.settings.prompt_mode === "full" ? "" : t("ui.sees.mode_note")}
          onChange={(mode) => void form.change({ prompt_mode: mode })}
        />
      )}
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
              {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must be scrollable by keyboard */}
              <pre tabIndex={0}>{section.text}</pre>
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
