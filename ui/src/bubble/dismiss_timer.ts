/** How long the bubble stays: its reading time, begun anew when the pointer leaves. One timer, and none at rest. */

export interface Stay {
  begin(seconds: number): void;
  hold(): void;
  release(): void;
  end(): void;
}

export function stay(over: () => void): Stay {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let length = 0;
  let held = false;

  function start(): void {
    clearTimeout(timer);
    if (length > 0 && !held) timer = setTimeout(over, length * 1000);
  }

  return {
    begin(seconds) {
      length = seconds;
      start();
    },
    hold() {
      held = true;
      clearTimeout(timer);
    },
    release() {
      held = false;
      start();
    },
    end() {
      length = 0;
      clearTimeout(timer);
    },
  };
}
