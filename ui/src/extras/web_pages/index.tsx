/** Web pages that the owner names are read: the switch of each conversation. */
import type { ExtraPage } from "../../state/extra";
import { t } from "./words";

export function makeExtra(): ExtraPage {
  return {
    conversationSwitch: {
      name: "web_pages",
      icon: "globe",
      label: () => t("ui.pages.on"),
      tip: () => t("ui.pages.tip"),
    },
  };
}
