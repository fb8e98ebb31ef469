/** The settings view: an overview and eight sections, one at a time, each saved as it is changed. */

import { BackButton } from "../components/controls";
import { Icon, type IconName } from "../components/icons";
import { useStore } from "../state/context";
import type { Section } from "../state/store";
import { type Key, t } from "../texts";
import { Appearance } from "./appearance";
import { Files } from "./editor/files";
import { Memory } from "./memory";
import { ModelPane } from "./model/model_pane";
import { Overview } from "./overview";
import { Pets } from "./pets";
import { Privacy } from "./privacy";
import { Proactivity } from "./proactivity";
import { Shortcuts } from "./shortcuts";
import "./rows.css";

const SECTIONS: { id: Section; icon: IconName; label: Key }[] = [
  { id: "overview", icon: "paw", label: "ui.section.overview" },
  { id: "soul", icon: "heart", label: "ui.section.soul" },
  { id: "thinking", icon: "bulb", label: "ui.section.thinking" },
  { id: "memory", icon: "brain", label: "ui.section.memory" },
  { id: "pets", icon: "twins", label: "ui.section.pets" },
  { id: "look", icon: "palette", label: "ui.section.look" },
  { id: "keys", icon: "keyboard", label: "settings.section.keys" },
  { id: "quiet", icon: "bell", label: "settings.section.quiet" },
  { id: "privacy", icon: "shield", label: "ui.section.privacy" },
];

export function Settings() {
  const store = useStore();
  const open = store.navigation.section.value;
  return (
    <main class="settings">
      <nav aria-label={t("ui.view.settings")}>
        <div class="view-head">
          <BackButton />
          <h1 class="sr-narrow">{t("ui.view.settings")}</h1>
        </div>
        {SECTIONS.map(({ id, icon, label }) => (
          <button
            type="button"
            key={id}
            data-tip={t(label)}
            aria-current={open === id ? "page" : undefined}
            onClick={() => {
              store.navigation.section.value = id;
            }}
          >
            <Icon name={icon} />
            <span class="word sr-narrow">{t(label)}</span>
          </button>
        ))}
      </nav>
      <div class="section" key={open}>
        {open === "overview" && <Overview />}
        {open === "soul" && <Files />}
        {open === "thinking" && <ModelPane />}
        {open === "memory" && <Memory />}
        {open === "pets" && <Pets />}
        {open === "look" && <Appearance />}
        {open === "keys" && <Shortcuts />}
        {open === "quiet" && <Proactivity />}
        {open === "privacy" && <Privacy />}
      </div>
    </main>
  );
}
