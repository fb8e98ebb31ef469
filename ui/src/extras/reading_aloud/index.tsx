/** Replies read aloud: an item of a reply's menu, the strip while it sounds, and rows of the settings. */
import { signal } from "@preact/signals";
import { Icon } from "../../components/icons";
import type { ExtraPage } from "../../state/extra";
import type { Store } from "../../state/store";
import { Voices } from "./voice";
import { t } from "./words";

export function makeExtra(store: Store): ExtraPage {
  /** the turn that is being read, "" for none */
  const reading = signal("");
  return {
    onEvent(event) {
      if (event.type !== "aloud_changed") return;
      reading.value = event.turn;
      if (event.error) store.notices.notify("", event.error);
    },
    sounds: () => reading.value !== "",
    Strip: () =>
      reading.value ? (
        <div class="paused aloud" role="status">
          <Icon name="sound" />
          <p>{t("ui.aloud.now")}</p>
          <button type="button" class="link" onClick={() => store.hush()}>
            {t("ui.aloud.stop")}
          </button>
        </div>
      ) : null,
    rows: { advanced_desktop: Voices },
    replyItems(conversation, turn) {
      if (!store.app.value?.abilities.includes("speech")) return [];
      if (reading.value === turn)
        return [{ label: t("ui.aloud.stop"), icon: "stop", onChoose: () => void store.hush() }];
      const read = () => void store.notices.attempt(() => store.commands.readAloud({ conversation, turn }));
      return [{ label: t("ui.aloud.read"), icon: "sound", onChoose: read }];
    },
  };
}
