/** Other agents: a page of Settings > Privacy, the question about a new one, and what the pet shows of their work. */
import { signal } from "@preact/signals";
import type { AgentAsked } from "../../bindings";
import type { ExtraPage } from "../../state/extra";
import { Agents, AskedByAgent } from "./agents";
import { t } from "./words";

export function makeExtra(): ExtraPage {
  /** counts up when an agent's position, reads or proposals changed */
  const changes = signal(0);
  /** the agent that the owner is asked about */
  const asks = signal<AgentAsked | null>(null);
  return {
    onEvent(event) {
      if (event.type === "agents_changed") changes.value += 1;
      else if (event.type === "agent_asked") asks.value = event;
      else if (event.type === "memory_paused" && event.paused) asks.value = null;
      else if (event.type === "chat_shown" && !event.shown) asks.value = null; // asked in the bubble now
    },
    Question: () => <AskedByAgent asks={asks} />,
    page: {
      id: "extra_agents",
      icon: "twins",
      label: () => t("ui.agents.tab"),
      View: () => <Agents changes={changes} />,
    },
  };
}
