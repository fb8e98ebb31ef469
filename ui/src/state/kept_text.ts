/** A text that is being written outside of the composer: it is there again when its view is. */
import { useState } from "preact/hooks";
import { useStore } from "./context";

/** `key`: what is being rewritten. Null: nothing is. */
export function useKeptText(key: string): [string | null, (text: string | null) => void] {
  const { begun } = useStore();
  const [text, setText] = useState(begun.get(key) ?? null);
  function set(next: string | null): void {
    if (next === null) begun.delete(key);
    else begun.set(key, next);
    setText(next);
  }
  return [text, set];
}
