/** Where everything is, and who gets what. */
import { CopyButton } from "../parts/copy";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { t } from "../texts";

export function Privacy() {
  const store = useStore();
  const app = store.app.value;
  if (!app) return null;
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
      <button type="button" onClick={() => void store.attempt(() => store.commands.openFolder())}>
        <Icon name="folder" />
        {t("ui.privacy.open_folder")}
      </button>
      <p class="note">{t("ui.privacy.about", { version: app.version, backend: app.backend })}</p>
    </>
  );
}
