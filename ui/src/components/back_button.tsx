/** From a view back to the conversation, as Escape does. */
import { useStore } from "../state/context";
import { t } from "../texts";
import { Icon } from "./icons";

export function BackButton() {
  const store = useStore();
  return (
    <button
      type="button"
      class="quiet back"
      aria-label={t("ui.back_to_chat")}
      data-tip={t("ui.back_to_chat_tip")}
      onClick={() => store.toChat()}
    >
      <Icon name="back" />
    </button>
  );
}
