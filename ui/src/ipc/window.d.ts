/** What pywebview and the core put into, and expect of, the page's window. */
import type { Delivery } from "../bindings";

declare global {
  interface Window {
    pywebview?: { api?: { invoke?: (name: string, args: string) => Promise<string> } };
    __soulpet?: { deliver(delivery: Delivery): void };
  }
}
