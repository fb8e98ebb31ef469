/**
 * Settings > Privacy and more: to whom words go, the pages that few open, and the pet's data as a whole: its folder,
 * one file of it, and erasing everything.
 */
import type { ComponentType } from "preact";
import { useState } from "preact/hooks";
import type { AppState, ErrorInfo } from "../bindings";
import { Icon, type IconName } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Dialog } from "../components/overlays";
import { useStore } from "../state/context";
import type { Below } from "../state/navigation";
import { errorOf, errorText, type Key, t } from "../texts";
import { Advanced } from "./advanced";
import { HowItRemembers, PromptPreview } from "./memory";
import { Shortcuts } from "./shortcuts";
import "./rows.css";

export interface PageOf {
  icon: IconName;
  label: Key;
  View: ComponentType;
}

/** The pages that are listed here, besides those of the extras. */
export const BELOW: readonly (PageOf & { id: Below })[] = [
  { id: "memory", icon: "brain", label: "ui.memory.settings", View: HowItRemembers },
  { id: "sees", icon: "search", label: "ui.memory.sees", View: PromptPreview },
  { id: "keys", icon: "keyboard", label: "settings.section.keys", View: Shortcuts },
  { id: "advanced", icon: "gear", label: "ui.settings.advanced", View: Advanced },
];

function Erase() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <button type="button" data-tip={t("settings.privacy.erase_note")} onClick={() => setOpen(true)}>
        <Icon name="trash" />
        {t("settings.privacy.erase_do")}
      </button>
      {open && <Question onClose={() => setOpen(false)} />}
    </>
  );
}

function Question({ onClose }: { onClose: () => void }) {
  const store = useStore();
  const loaded = useLoad(() => store.commands.listFolders());
  const [typed, setTyped] = useState("");
  const [failed, setFailed] = useState<ErrorInfo | null>(null);
  const word = t("settings.privacy.erase_word");
  const meant = loaded.value !== null && typed.trim().toLowerCase() === word.toLowerCase();

  async function erase(): Promise<void> {
    try {
      await store.commands.eraseEverything({ confirm: typed });
    } catch (thrown) {
      setFailed(errorOf(thrown));
    }
  }

  return (
    <Dialog title={t("settings.privacy.erase_title")} onClose={onClose}>
      <p>{t("settings.privacy.erase_text")}</p>
      <Loading of={loaded} lines={3} />
      <ul class="erase-paths">
        {loaded.value?.folders.map((folder) => (
          <li key={folder}>{folder}</li>
        ))}
      </ul>
      <label for="erase-word" class="erase-word">
        {t("settings.privacy.erase_type", { word })}
        <input
          id="erase-word"
          autocomplete="off"
          spellcheck={false}
          value={typed}
          onInput={(event) => setTyped(event.currentTarget.value)}
        />
      </label>
      <div role="status">{failed && <p class="error-text">{errorText(failed)}</p>}</div>
      <div class="row end">
        <button type="button" onClick={onClose}>
          {t("ui.cancel")}
        </button>
        <button type="button" class="danger" disabled={!meant} onClick={() => void erase()}>
          {t("settings.privacy.erase")}
        </button>
      </div>
    </Dialog>
  );
}

export function Privacy() {
  const store = useStore();
  const app = store.app.value;
  const [busy, setBusy] = useState(false);
  if (!app) return null;

  async function packFile(): Promise<void> {
    setBusy(true);
    const done = await store.notices.attempt(() => store.commands.exportPet());
    setBusy(false);
    if (done) store.notices.tell(t("settings.privacy.exported", { path: done.path }), "downloads");
  }

  return (
    <>
      <div class="assurance">
        <Icon name="shield" />
        <div>
          {goes(app).map((each) => (
            <p key={each}>{each}</p>
          ))}
        </div>
      </div>
      <ul class="leads">
        {store.extras.map(
          ({ page }) => page && <Lead key={page.id} to={page.id} icon={page.icon} label={page.label()} />,
        )}
        {BELOW.map(({ id, icon, label }) => (
          <Lead key={id} to={id} icon={icon} label={t(label)} />
        ))}
      </ul>
      <div class="row acts">
        <button type="button" onClick={() => void store.notices.attempt(() => store.commands.openFolder({}))}>
          <Icon name="folder" />
          {t("ui.privacy.open_folder")}
        </button>
        <button
          type="button"
          disabled={busy}
          data-tip={t("settings.privacy.export_note")}
          onClick={() => void packFile()}
        >
          <Icon name="forward" />
          {t("settings.privacy.export_do", { name: app.pet_name })}
        </button>
        <Erase />
      </div>
      <p class="note">{t("ui.privacy.about", { version: app.version, backend: app.backend })}</p>
    </>
  );
}

function Lead({ to, icon, label }: { to: Below; icon: IconName; label: string }) {
  const { navigation } = useStore();
  return (
    <li>
      <button type="button" class="lead" onClick={() => navigation.openSettings("privacy", to)}>
        <Icon name={icon} />
        <span>{label}</span>
        <Icon name="chevron" />
      </button>
    </li>
  );
}

/** Return what leaves this computer, and to whom; last that nothing else does. */
function goes({ host, key_needed }: AppState): string[] {
  const words = !key_needed
    ? [t("ui.privacy.host_here")]
    : [t("ui.privacy.host", { host }), t("ui.host.goes", { host }), t("desktop.goes.when")];
  return [...words, t("ui.privacy.telemetry")];
}
