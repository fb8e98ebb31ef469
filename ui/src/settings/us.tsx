/** Settings > About you and us: what is remembered, by sentences, by days, what grew, and what the pet reminds of. */
import { About } from "../memory/about";
import { Browser } from "../memory/browser";
import { CopiesNotice } from "../memory/copies";
import { OurDays } from "../memory/our_days";
import { Reminders } from "../memory/reminders";
import { useStore } from "../state/context";
import type { Below } from "../state/navigation";
import { type Key, t } from "../texts";
import { FileLink } from "./file_link";

const TABS: { id: Below; label: Key }[] = [
  { id: "", label: "ui.memory.about" },
  { id: "days", label: "ui.memory.browse" },
  { id: "ours", label: "ui.days.title" },
  { id: "reminders", label: "ui.memory.reminders" },
];

export function Us() {
  const store = useStore();
  const below = store.navigation.below.value;
  const due = store.memory.reminders.value?.due.length ?? 0;
  return (
    <>
      <nav class="sub-tabs" aria-label={t("ui.section.us")}>
        {TABS.map(({ id, label }) => (
          <button
            type="button"
            key={id}
            aria-current={below === id ? "page" : undefined}
            onClick={() => store.navigation.openSettings("us", id)}
          >
            {t(label)}
            {id === "reminders" && due > 0 && <span class="count">{due}</span>}
          </button>
        ))}
        <span class="space" />
        <FileLink name="USER.md" />
        <FileLink name="MEMORY.md" />
      </nav>
      <CopiesNotice of={(file) => file === "USER.md" || file === "MEMORY.md"} />
      {below === "" && <About />}
      {below === "days" && <Browser />}
      {below === "ours" && <OurDays />}
      {below === "reminders" && <Reminders />}
    </>
  );
}
