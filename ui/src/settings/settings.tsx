/**
 * The settings view: five pages, one at a time, and what is opened from them: the pages below, and the editor of the
 * pet's files. Each setting is saved as it is changed.
 */

import { BackButton, Up } from "../components/controls";
import { Icon } from "../components/icons";
import { useStore } from "../state/context";
import type { Section } from "../state/navigation";
import { t } from "../texts";
import { Files } from "./editor/files";
import { ModelPane } from "./model/model_pane";
import { OnTheDesktop } from "./on_the_desktop";
import { BELOW, type PageOf, Privacy } from "./privacy";
import { Us } from "./us";
import { WhoIAm } from "./who_i_am";
import "./rows.css";

const SECTIONS: Record<Section, PageOf> = {
  me: { icon: "paw", label: "ui.section.me", View: WhoIAm },
  us: { icon: "heart", label: "ui.section.us", View: Us },
  model: { icon: "bulb", label: "ui.section.model", View: ModelPane },
  desktop: { icon: "computer", label: "desktop.title", View: OnTheDesktop },
  privacy: { icon: "shield", label: "ui.section.privacy", View: Privacy },
};

export function Settings() {
  const { navigation } = useStore();
  const section = navigation.section.value;
  return (
    <main class="settings">
      <nav aria-label={t("ui.view.settings")}>
        <div class="view-head">
          <BackButton />
          <h1 class="sr-narrow">{t("ui.view.settings")}</h1>
        </div>
        {Object.entries(SECTIONS).map(([id, { icon, label }]) => (
          <button
            type="button"
            key={id}
            aria-current={section === id ? "page" : undefined}
            onClick={() => navigation.openSettings(id as Section)}
          >
            <Icon name={icon} />
            <span class="word sr-narrow">{t(label)}</span>
          </button>
        ))}
      </nav>
      {navigation.file.value ? <Files /> : <Page key={`${section} ${navigation.below.value}`} />}
    </main>
  );
}

function Page() {
  const { navigation, extras } = useStore();
  const below = navigation.below.value;
  const { View, label } = SECTIONS[navigation.section.value];
  const inner = BELOW.find(({ id }) => id === below);
  const own = extras.find(({ page }) => page?.id === below)?.page;
  const title = own?.label() ?? (inner && t(inner.label));
  if (title === undefined) {
    return (
      <div class="section">
        <h2 class="sr-narrow">{t(label)}</h2>
        <View />
      </div>
    );
  }
  const Inner = own?.View ?? inner?.View;
  return (
    <div class="section">
      <Up label={t(label)} title={title} onUp={() => navigation.openSettings(navigation.section.value)} />
      {Inner && <Inner />}
    </div>
  );
}
