/**
 * What Escape leads back from: one stack of what is open over the page (dialog, menu, Find, a name being written), the
 * newest on top. Below it are the views, which the page itself knows.
 */
import { useLayoutEffect, useRef } from "preact/hooks";

const layers: (() => void)[] = [];

/** While `back` is given, it is what Escape does, until something opens above. */
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

/** Closes what is on top; false: nothing is open. */
export function closeTop(): boolean {
  const top = layers.at(-1);
  top?.();
  return top !== undefined;
}

/** What stood in the field when the owner came into it. */
const begun = new WeakMap<Element, string>();

export function noteField(target: EventTarget | null): void {
  if (isField(target)) begun.set(target, target.value);
}

/** A field of the settings saves when it is left: what was written since is taken back. False: nothing was. */
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
