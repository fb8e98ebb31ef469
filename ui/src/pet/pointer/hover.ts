/** The pet grows pale while the pointer rests on it, so that what is below can be read; a press brings it back. */

/** A pointer that only crosses the pet leaves it as it is. */
export const REST_MS = 450;

export interface Hover {
  /** Whether the owner wants it at all. */
  allow(on: boolean): void;
}

/** Asks `fade` by enter and leave alone. After a press the pet stays as it is until the pointer comes again. */
export function watchHover(root: HTMLElement, fade: (faded: boolean) => void): Hover {
  let allowed = false;
  let faded = false;
  let resting: ReturnType<typeof setTimeout> | undefined;

  function set(next: boolean): void {
    clearTimeout(resting);
    if (next === faded) return;
    faded = next;
    fade(faded);
  }

  root.addEventListener("pointerenter", (event) => {
    if (!allowed || event.pointerType !== "mouse" || event.buttons !== 0) return;
    clearTimeout(resting);
    resting = setTimeout(() => set(true), REST_MS);
  });
  root.addEventListener("pointerdown", () => set(false));
  root.addEventListener("pointerleave", () => set(false));
  document.addEventListener("visibilitychange", () => set(false));

  return {
    allow(on) {
      allowed = on;
      if (!on) set(false);
    },
  };
}
