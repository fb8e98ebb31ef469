/** Press, drag and release of the pet, in screen pixels, since the page moves with the window. */

/** A hand that trembles still clicks. */
export const THRESHOLD = 8;

export interface Press {
  start(x: number, y: number): void;
  /** Whether this is a drag by now. */
  move(x: number, y: number): boolean;
  /** Whether it was a drag: then the click that follows is none. `rests`: the pet stays where it was let go. */
  end(x: number, y: number, rests?: boolean): boolean;
}

/** `send` is called with one move at a time: the newest, when the one before has been carried out. */
export function trackPress(send: (dx: number, dy: number, done: boolean) => Promise<unknown>): Press {
  let from: { x: number; y: number } | null = null;
  let dragging = false;
  let busy = false;
  let waiting: [number, number, boolean] | null = null;

  function post(dx: number, dy: number, done: boolean): void {
    if (busy) {
      waiting = [dx, dy, done];
      return;
    }
    busy = true;
    const settle = () => {
      busy = false;
      const next = waiting;
      waiting = null;
      if (next) post(...next);
    };
    send(dx, dy, done).then(settle, settle);
  }

  return {
    start(x, y) {
      from = { x, y };
      dragging = false;
    },
    move(x, y) {
      if (!from) return false;
      const [dx, dy] = [x - from.x, y - from.y];
      dragging ||= Math.hypot(dx, dy) >= THRESHOLD;
      if (dragging) post(dx, dy, false);
      return dragging;
    },
    end(x, y, rests = true) {
      if (!from) return false;
      const [dx, dy] = [x - from.x, y - from.y];
      from = null;
      if (dragging && rests) post(dx, dy, true);
      else waiting = null;
      return dragging;
    },
  };
}
