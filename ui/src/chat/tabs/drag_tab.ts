/** A tab is dragged to another place: it changes places with the one the pointer is over. */
import type { Store } from "../../state/store";

/** Less is a click with an unsteady hand. */
const THRESHOLD = 6;

export function dragTab(store: Store, id: string, press: PointerEvent): void {
  if (press.button !== 0) return;
  const tab = (press.currentTarget as HTMLElement).closest<HTMLElement>(".tab");
  const list = tab?.parentElement;
  if (!tab || !list) return;
  let dragging = false;

  const move = (event: PointerEvent) => {
    if (!dragging && Math.abs(event.clientX - press.clientX) < THRESHOLD) return;
    dragging = true;
    tab.classList.add("dragged");
    const at = placeAt(list, event.clientX);
    if (at >= 0) store.placeTab(id, at);
  };
  const end = () => {
    tab.classList.remove("dragged");
    window.removeEventListener("pointermove", move);
    for (const name of ["pointerup", "pointercancel"]) window.removeEventListener(name, end);
  };
  window.addEventListener("pointermove", move);
  for (const name of ["pointerup", "pointercancel"]) window.addEventListener(name, end);
}

/** Which tab stands at `x`: the one to change places with, once its middle half is reached. */
function placeAt(list: HTMLElement, x: number): number {
  return [...list.children].findIndex((each) => {
    const { left, width } = each.getBoundingClientRect();
    return x >= left + width / 4 && x < left + (3 * width) / 4;
  });
}
