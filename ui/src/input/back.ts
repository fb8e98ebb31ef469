/**
 * Layers that Escape closes (dialog, menu, Find, a name being edited), the newest first. Views below them are the
 * page's.
 */
import { useLayoutEffect, useRef } from "preact/hooks";

const layers: (() => void)[] = [];

/** While `back` is not null, Escape calls it, unless a newer layer is open. */
export function useBack(back: (() => void) | null): void {
  const latest = useRef(back);
  latest.current = back;
  const open = back !== null;
  useLayoutEffect(() => {
    if (!open) return;
    const layer = () => latest.current?.();
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, [open]);
}

/** Close the newest layer. Returns false if none is open. */
export function closeTop(): boolean {
  const top = layers.at(-1);
  top?.();
  return top !== undefined;
}

/** The value of a field when it got the focus. */
const begun = new WeakMap<Element, string>();

export function noteField(target: EventTarget | null): void {
  if (isField(target)) begun.set(target, target.value);
}

/** Undo what was typed into a settings field since it got the focus. Returns false if nothing was. */
export function restoreField(target: EventTarget | null): boolean {
  if (!isField(target)) return false;
  const before = begun.get(target);
  if (before === undefined || before === target.value) return false;
  target.value = before;
  target.dispatchEvent(new InputEvent("input", { bubbles: true }));
  return true;
}

const WRITTEN = "input:not([type=checkbox], [type=radio], [type=range], [type=file], [readonly]), textarea";

function isField(target: EventTarget | null): target is HTMLInputElement | HTMLTextAreaElement {
  return target instanceof HTMLElement && target.matches(WRITTEN);
}
