/**
 * The one tooltip of the page, for whatever has `data-tip`: its text or, where that is empty, the element's name.
 * Comes after a short rest of the pointer or with keyboard focus, at once where another was just read; goes with the
 * pointer, a press, a key. Lies in the top layer, always within the window, and never under the pointer's hand.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";

const REST = 500;
/** After one was read the next comes at once, in milliseconds. */
const WARM = 400;
const EDGE = 8;
const GAP = 6;

interface Shown {
  of: HTMLElement;
  text: string;
}

export function Tooltip() {
  const [shown, setShown] = useState<Shown | null>(null);
  const frame = useRef<HTMLDivElement>(null);

  useEffect(() => {
    let over: HTMLElement | null = null;
    let timer = 0;
    let goneAt = Number.NEGATIVE_INFINITY;
    let visible = false;
    let closedAt = Number.NEGATIVE_INFINITY;

    function hide(): void {
      clearTimeout(timer);
      if (visible) goneAt = performance.now();
      over = null;
      visible = false;
      setShown(null);
    }

    function aim(target: HTMLElement | null): void {
      if (target === over) return;
      hide();
      over = target;
      if (!target) return;
      const show = () => {
        const text = textOf(target);
        visible = text !== "" && target.isConnected;
        if (visible) setShown({ of: target, text });
      };
      timer = window.setTimeout(show, performance.now() - goneAt < WARM ? 0 : REST);
    }

    // What comes under a pointer that rests where it pressed is not asked about.
    let pressedAt = "";
    const placeOf = ({ clientX, clientY }: PointerEvent) => `${clientX} ${clientY}`;
    const pointed = (event: PointerEvent) => {
      if (event.pointerType !== "touch" && placeOf(event) !== pressedAt) aim(tipped(event.target));
    };
    const down = (event: PointerEvent) => {
      pressedAt = placeOf(event);
      hide();
    };
    const focused = (event: FocusEvent) => {
      const target = event.target instanceof HTMLElement ? event.target : null;
      const returned = performance.now() - closedAt < WARM; // from what Escape closed: it was read before
      if (!returned && target?.matches(":focus-visible")) aim(tipped(target));
    };
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "Escape") closedAt = performance.now();
      hide();
    };
    // A reply that comes in scrolls the messages; what doesn't move with them keeps its tooltip.
    const scrolled = ({ target }: Event) => {
      if (over && target instanceof Node && target.contains(over)) hide();
    };
    const listening: [string, (event: never) => void][] = [
      ["pointerover", pointed],
      ["focusin", focused],
      ["focusout", hide],
      ["pointerdown", down],
      ["keydown", pressed],
      ["scroll", scrolled],
      ["blur", hide],
    ];
    for (const [name, heard] of listening) window.addEventListener(name, heard as EventListener, true);
    document.documentElement.addEventListener("pointerleave", hide);
    return () => {
      hide();
      for (const [name, heard] of listening) window.removeEventListener(name, heard as EventListener, true);
      document.documentElement.removeEventListener("pointerleave", hide);
    };
  }, []);

  useLayoutEffect(() => {
    const tip = frame.current;
    if (!shown || !tip) return;
    tip.showPopover?.();
    place(tip, shown.of.getBoundingClientRect());
    const before = shown.of.getAttribute("aria-describedby");
    if (shown.text === shown.of.getAttribute("aria-label")) return; // it was read out as the name
    shown.of.setAttribute("aria-describedby", before ? `${before} tooltip` : "tooltip");
    return () => {
      if (before) shown.of.setAttribute("aria-describedby", before);
      else shown.of.removeAttribute("aria-describedby");
    };
  }, [shown]);

  if (!shown) return null;
  return (
    <div ref={frame} id="tooltip" class="tooltip" role="tooltip" popover="manual" dir="auto">
      {shown.text}
    </div>
  );
}

function tipped(target: EventTarget | null): HTMLElement | null {
  return target instanceof Element ? target.closest<HTMLElement>("[data-tip]") : null;
}

/** Nothing where the element itself says the same. */
function textOf(target: HTMLElement): string {
  const text = (target.dataset["tip"] || target.getAttribute("aria-label") || "").trim();
  return text === target.innerText?.trim() ? "" : text;
}

/** Below the element, above it where there is no room; beside the window's edges never beyond them. */
function place(tip: HTMLElement, of: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = tip;
  const below = of.bottom + GAP;
  const fits = below + height <= window.innerHeight - EDGE;
  const left = Math.min(of.left + of.width / 2 - width / 2, window.innerWidth - EDGE - width);
  tip.style.left = `${Math.max(EDGE, left)}px`;
  tip.style.top = `${fits ? below : Math.max(EDGE, of.top - GAP - height)}px`;
}
