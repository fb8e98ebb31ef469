/** Settings > Memory: all that is remembered, what was promised, how remembering works, and what the model is sent. */
import { Browser } from "../../memory/browser";
import { Promises } from "../../memory/promises";
import { useStore } from "../../state/context";
import type { MemoryTab } from "../../state/memory";
import { type Key, t } from "../../texts";
import { Moving } from "../moving/moving";
import { MemorySettings } from "./memory_options";
import { WhatItSees } from "./prompt_preview";

const TABS: { id: MemoryTab; label: Key }[] = [
  { id: "browse", label: "ui.memory.browse" },
  { id: "promises", label: "ui.memory.promises" },
  { id: "settings", label: "ui.memory.settings" },
  { id: "sees", label: "ui.memory.sees" },
  { id: "moving", label: "moving.tab" },
];

export function Memory() {
  const store = useStore();
  const open = store.memory.tab;
  const due = store.memory.promises.value?.due.length ?? 0;
  return (
    <>
      <h2>{t("ui.section.memory")}</h2>
      <nav class="sub-tabs" aria-label={t("ui.section.memory")}>
        {TABS.map(({ id, label }) => (
          <button
            type="button"
            key={id}
            aria-current={open.value === id ? "page" : undefined}
            onClick={() => {
              open.value = id;
            }}
          >
            {t(label)}
            {id === "promises" && due > 0 && <span class="count">{due}</span>}
          </button>
        ))}
      </nav>
      {open.value === "browse" && <Browser />}
      {open.value === "promises" && <Promises />}
      {open.value === "settings" && <MemorySettings />}
      {open.value === "sees" && <WhatItSees />}
      {open.value === "moving" && <Moving />}
    </>
  );
}
