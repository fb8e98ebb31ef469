/** Where the pointer is, seen from the pet's face: one of 16 directions. Hears moves over its own window; polls nothing. */

/** As shares of the picture's height. */
export const FACE = 0.58;
export const DEAD_ZONE = 0.16;
/** A pointer that rests this long is no longer followed: a look must not hide the idle pet for good. */
const RESTS_AFTER = 1500;

/** 0 to 15 clockwise from up; null near the face. */
export function directionOf(dx: number, dy: number, dead: number): number | null {
  if (Math.hypot(dx, dy) < dead) return null;
  return (Math.round((Math.atan2(dx, -dy) * 8) / Math.PI) + 16) % 16;
}

export function watchPointer(root: HTMLElement, look: (direction: number | null) => void): void {
  let rests: ReturnType<typeof setTimeout> | undefined;
  const ahead = () => {
    clearTimeout(rests);
    look(null);
  };
  root.addEventListener("pointermove", (event) => {
    if (event.buttons) return;
    const { left, top, width, height } = root.getBoundingClientRect();
    look(directionOf(event.clientX - left - width / 2, event.clientY - top - height * FACE, height * DEAD_ZONE));
    clearTimeout(rests);
    rests = setTimeout(ahead, RESTS_AFTER);
  });
  root.addEventListener("pointerleave", ahead);
  root.addEventListener("pointerdown", ahead);
}
