/** The owner's MCP servers: the switch of each conversation, the label of their tools, and rows of the settings. */
import { signal } from "@preact/signals";
import type { ExtraPage } from "../../state/extra";
import type { Store } from "../../state/store";
import { Servers } from "./servers";
import { t } from "./words";

export function makeExtra(store: Store): ExtraPage {
  /** counts up when a server, or what it is doing, changed */
  const changes = signal(0);
  return {
    onEvent(event) {
      if (event.type === "mcp_servers_changed") changes.value += 1;
      else if (event.type === "tools_missing") store.notices.notify("", event.error);
    },
    conversationSwitch: {
      name: "mcp_servers",
      icon: "out",
      label: () => t("ui.mcp.on"),
      tip: () => t("ui.mcp.tip"),
      temporary: true,
    },
    toolLabel(tool) {
      const [server, name] = tool.split("__");
      return server && name ? t("ui.mcp.called", { server, tool: name }) : undefined;
    },
    rows: { advanced_model: (props) => <Servers changes={changes} {...props} /> },
  };
}
