/** Settings > Model: connections, and the models on this computer. */
import { Icon } from "../../components/icons";
import { t } from "../../texts";
import { Problems, useSettings } from "../form";
import { Connections } from "./connections";
import { LocalModels } from "./local_models";

export function ModelPane() {
  const form = useSettings();
  const { settings } = form;
  return (
    <>
      <Problems form={form} />
      {settings && (
        <>
          {settings.demo && (
            <p class="demo-note" role="status">
              <Icon name="spark" />
              {t("thinking.demo_on")}
            </p>
          )}
          {settings.overridden.includes("base_url") && <p class="note overridden">{t("ui.settings.overridden")}</p>}
          <Connections onDemo={() => form.change({ demo: true, local_model: "" })} />
          <h3>{t("local_models.title")}</h3>
          <LocalModels />
        </>
      )}
    </>
  );
}
