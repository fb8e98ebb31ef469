/** The page's only way to the core: one exposed function there, one `deliver` back. */
import {
  CommandError,
  type CommandName,
  type Commands,
  createCommands,
  type Delivery,
  invokeOver,
  type Transport,
} from "../bindings";

export type Deliver = (delivery: Delivery) => void;

/** A call that never came back as an envelope: the bridge itself is gone. */
const lost = () => new CommandError({ code: "not_answering", args: {}, retryable: true });

/** Commands over any transport; whatever else it throws becomes a CommandError too. */
export function commandsOver(transport: Transport): Commands {
  return createCommands(
    invokeOver(async (name: CommandName, args: string) => {
      let answer: unknown;
      try {
        answer = await transport(name, args);
      } catch {
        throw lost();
      }
      if (typeof answer !== "string") throw lost();
      return answer;
    }),
  );
}

/** Listens for events at once, and is there when the window's function is. */
export async function connect(deliver: Deliver): Promise<Commands> {
  window.__soulpet = { deliver };
  await ready();
  return commandsOver(async (name, args) => {
    const invoke = window.pywebview?.api?.invoke;
    if (!invoke) throw lost();
    return invoke(name, args);
  });
}

function ready(): Promise<void> {
  if (window.pywebview?.api?.invoke) return Promise.resolve();
  return new Promise((resolve) => {
    window.addEventListener("pywebviewready", () => resolve(), { once: true });
  });
}
