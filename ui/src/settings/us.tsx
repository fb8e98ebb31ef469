/** Settings > About you and us: what is remembered, by sentences, by days, and what the pet reminds of. */
import { About } from "../memory/about";
import { Browser } from "../memory/browser";
import { CopiesNotice } from "../memory/copies";
import { Reminders } from "../memory/reminders";
import { useStore } from "../state/context";
import type { Below } from "../state/navigation";
import { t } from "../texts";
import { FileLink } from "./file_link";

export function Us() {
  const store = useStore();
  const below = store.navigation.below.value;
  const extras = store.extras.flatMap(({ us }) => us ?? []);
  const tabs: { id: Below; label: string }[] = [
    { id: "", label: t("ui.memory.about") },
    { id: "days", label: t("ui.memory.browse") },
    ...extras.map(({ id, label }) => ({ id, label: label() })),
    { id: "reminders", label: t("ui.memory.reminders") },
  ];
  const due = store.memory.reminders.value?.due.length ?? 0;
  return (
    <>
      <nav class="sub-tabs" aria-label={t("ui.section.us")}>
        {tabs.map(({ id, label }) => (
          <button
            type="button"
            key={id}
            aria-current={below === id ? "page" : undefined}
            onClick={() => store.navigation.openSettings("us", id)}
          >
            {label}
            {id === "reminders" && due > 0 && <span class="count">{due}</span>}
          </button>
        ))}
        <span class="sub-files">
          <FileLink name="USER.md" />
          <FileLink name="MEMORY.md" />
        </span>
      </nav>
      <CopiesNotice of={(file) => file === "USER.md" || file === "MEMORY.md"} />
      {below === "" && <About />}
      {below === "days" && <Browser />}
      {extras.map(({ id, View }) => below === id && <View key={id} />)}
      {below === "reminders" && <Reminders />}
    </>
  );
}
