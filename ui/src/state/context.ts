/** The store for components, and text being edited outside of the composer that outlives its view. */
import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";
import type { Store } from "./store";

export const StoreContext = createContext<Store | null>(null);

export function useStore(): Store {
  const store = useContext(StoreContext);
  if (!store) throw new Error("no store around this component");
  return store;
}

/** Return the text kept under `key` or null, and its setter. */
export function useRewrite(key: string): [string | null, (text: string | null) => void] {
  const { rewrites } = useStore().drafts;
  const [text, setText] = useState(rewrites.get(key) ?? null);
  function set(next: string | null): void {
    if (next === null) rewrites.delete(key);
    else rewrites.set(key, next);
    setText(next);
  }
  return [text, set];
}
