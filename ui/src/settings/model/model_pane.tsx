/** Settings > Model: connections, and the models on this computer. */
import { Icon } from "../../components/icons";
import { useStore } from "../../state/context";
import { t } from "../../texts";
import { Problems, useSettings } from "../form";
import { Connections } from "./connections";

export function ModelPane() {
  const form = useSettings();
  const Own = useStore().models?.View;
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
          {Own && <Own titled />}
        </>
      )}
    </>
  );
}
