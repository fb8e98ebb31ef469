/** While the demo answers, or nobody has chosen what does, every conversation says so and offers the ways to a model. */
import { Icon } from "../components/icons";
import { useStore } from "../state/context";
import { type Key, t } from "../texts";

const WAYS: readonly Key[] = ["welcome.think.local", "welcome.think.key", "welcome.demo.server"];

export function DemoBar() {
  const store = useStore();
  const app = store.app.value;
  if (!app?.demo && !app?.unchosen) return null;
  const toSettings = () => store.openSettings("thinking");
  return (
    <div class="demo-bar" role="status">
      <Icon name="spark" />
      <p>{app.demo ? t("welcome.demo.bar") : t("welcome.demo.meanwhile", { model: app.mind })}</p>
      {(app.unchosen ? WAYS : (["ui.empty.to_settings"] as const)).map((way) => (
        <button key={way} type="button" class="link" onClick={toSettings}>
          {t(way)}
        </button>
      ))}
    </div>
  );
}
