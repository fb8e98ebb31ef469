/** While the demo answers, every conversation says so. */
import { Icon } from "../components/icons";
import { useStore } from "../state/context";
import { t } from "../texts";

export function DemoBar() {
  const store = useStore();
  if (!store.app.value?.demo) return null;
  return (
    <div class="demo-bar" role="status">
      <Icon name="spark" />
      <p>{t("welcome.demo.bar")}</p>
      <button type="button" class="link" onClick={() => store.openSettings("thinking")}>
        {t("ui.empty.to_settings")}
      </button>
    </div>
  );
}
