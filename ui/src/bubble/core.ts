/** The bubble's way to the core: one exposed function, few commands, and nothing thrown: what fails, its log has. */
import type { CommandName, CommandTypes } from "../bindings";

export type Ask = <N extends CommandName>(
  name: N,
  args: CommandTypes[N]["args"],
) => Promise<CommandTypes[N]["reply"] | null>;

export const ask: Ask = async (name, args) => {
  await ready();
  const envelope = await window.pywebview?.api?.invoke?.(name, JSON.stringify(args)).catch(() => "");
  if (!envelope) return null;
  const said = JSON.parse(envelope) as { ok: boolean; value: CommandTypes[typeof name]["reply"] };
  return said.ok ? said.value : null;
};

function ready(): Promise<void> {
  if (window.pywebview?.api?.invoke) return Promise.resolve();
  return new Promise((resolve) => {
    window.addEventListener("pywebviewready", () => resolve(), { once: true });
  });
}
