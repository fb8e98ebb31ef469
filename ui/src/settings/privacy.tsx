/** Where everything is, and who gets what. */
import { useState } from "preact/hooks";
import { CopyButton } from "../parts/copy";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { t } from "../texts";
import { Erase } from "./erase";

export function Privacy() {
  const store = useStore();
  const app = store.app.value;
  const [busy, setBusy] = useState(false);
  if (!app) return null;

  async function packed(): Promise<void> {
    setBusy(true);
    const done = await store.attempt(() => store.commands.exportPet());
    setBusy(false);
    if (done) store.notify(t("settings.privacy.exported", { path: done.path }));
  }

  return (
    <>
      <h2>{t("ui.section.privacy")}</h2>
      <ul class="promises">
        <li>
          <Icon name="file" />
          <p>{t("ui.privacy.files")}</p>
        </li>
        <li>
          <Icon name="brain" />
          <p>{t("ui.privacy.host", { host: app.host })}</p>
        </li>
        <li>
          <Icon name="shield" />
          <p>{t("ui.privacy.telemetry")}</p>
        </li>
      </ul>
      <h3>{t("ui.privacy.where")}</h3>
      <div class="path-row">
        <code>{app.home}</code>
        <CopyButton text={app.home} label={t("ui.privacy.copy_path")} />
      </div>
      <button type="button" onClick={() => void store.attempt(() => store.commands.openFolder({}))}>
        <Icon name="folder" />
        {t("ui.privacy.open_folder")}
      </button>
      <h3>{t("settings.privacy.export")}</h3>
      <p class="note">{t("settings.privacy.export_note")}</p>
      <button type="button" disabled={busy} onClick={() => void packed()}>
        <Icon name="forward" />
        {t("settings.privacy.export_do", { name: app.pet_name })}
      </button>
      <Erase />
      <p class="note">{t("ui.privacy.about", { version: app.version, backend: app.backend })}</p>
    </>
  );
}
