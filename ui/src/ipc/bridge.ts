/** The page's connection to the core: one exposed function there, one `deliver` back. */
import { CommandError, type Commands, createCommands, type Delivery } from "../bindings";

export type Deliver = (delivery: Delivery) => void;

/**
 * Return the commands once the window's function exists; events are delivered from the call on. A call that fails or
 * is not answered with text rejects with the CommandError "not_answering".
 */
export async function connect(deliver: Deliver): Promise<Commands> {
  window.__soulpet = { deliver };
  await ready();
  return createCommands(async (name, args) => {
    let answer: unknown;
    try {
      answer = await window.pywebview?.api?.invoke?.(name, args);
    } catch {
      answer = null;
    }
    if (typeof answer === "string") return answer;
    throw new CommandError({ code: "not_answering", args: {}, retryable: true });
  });
}

function ready(): Promise<void> {
  if (window.pywebview?.api?.invoke) return Promise.resolve();
  return new Promise((resolve) => {
    window.addEventListener("pywebviewready", () => resolve(), { once: true });
  });
}

declare global {
  interface Window {
    pywebview?: { api?: { invoke?: (name: string, args: string) => Promise<string> } };
    __soulpet?: { deliver(delivery: Delivery): void };
  }
}
