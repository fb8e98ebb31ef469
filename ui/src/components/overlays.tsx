/** Overlays: modal dialogs (the browser's own), notices above every view, and the page's one tooltip (`data-tip`). */
import type { ComponentChildren } from "preact";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useBack } from "../input/back";
import { listen } from "../input/listen";
import { useStore } from "../state/context";
import type { Notice } from "../state/notices";
import { errorText, t } from "../texts";
import { IconButton } from "./controls";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}

export function Dialog({ title, onClose, children, wide = false }: Props) {
  const frame = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useBack(onClose);
  useLayoutEffect(() => {
    const dialog = frame.current;
    if (!dialog) return;
    if (typeof dialog.showModal === "function") dialog.showModal();
    else dialog.open = true;
    // Focused for screen readers; Tab continues from here.
    heading.current?.focus();
    return () => dialog.close?.();
  }, []);
  return (
    <dialog
      ref={frame}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id} tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <IconButton icon="close" label={t("ui.close")} onClick={onClose} />
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  text: string;
  action: string;
  /** styled as irreversible */
  danger?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** Cancel has the focus: Enter alone never confirms what can't be undone. */
export function Confirm({ title, text, action, danger = true, onConfirm, onClose }: ConfirmProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => cancel.current?.focus(), []);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="row end">
        <button type="button" ref={cancel} onClick={onClose}>
          {t("ui.cancel")}
        </button>
        <button
          type="button"
          class={danger ? "danger" : "primary"}
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}

/** Milliseconds a confirmation stays; pointer or focus hold it (WCAG 2.2.1). */
const STAYS_MS = 7_000;

/** One at a time: the newest, and after it the errors before it. */
export function Notices() {
  const newest = useStore().notices.list.value.at(-1);
  return (
    <div class="notices" role="alert">
      {newest && <NoticeCard key={newest.id} notice={newest} />}
    </div>
  );
}

function NoticeCard({ notice }: { notice: Notice }) {
  const store = useStore();
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const held = useHidden() || pointed || focused;
  useEffect(() => {
    if (!notice.goes || held) return;
    const timer = setTimeout(() => store.notices.dismiss(notice.id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [notice.id, notice.goes, held]);
  const { opens } = notice;
  return (
    <div
      class="notice"
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={() => setFocused(false)}
    >
      <p>{notice.error ? errorText(notice.error) : notice.text}</p>
      {opens && (
        <button
          type="button"
          class="link"
          onClick={() => void store.notices.attempt(() => store.commands.openFolder({ place: opens }))}
        >
          {t("ui.privacy.open_folder")}
        </button>
      )}
      <IconButton icon="close" label={t("ui.dismiss")} onClick={() => store.notices.dismiss(notice.id)} />
    </div>
  );
}

function useHidden(): boolean {
  const [hidden, setHidden] = useState(document.hidden);
  useEffect(() => listen(document, ["visibilitychange"], () => setHidden(document.hidden)), []);
  return hidden;
}

const REST = 500;
/** Milliseconds after one tooltip in which the next appears at once. */
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

    // No tooltip for an element that appears under a pointer resting where it pressed.
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
      const returned = performance.now() - closedAt < WARM; // focus returned by Escape: it was read before
      if (!returned && target?.matches(":focus-visible")) aim(tipped(target));
    };
    const pressed = (event: KeyboardEvent) => {
      if (event.key === "Escape") closedAt = performance.now();
      hide();
    };
    // Scrolling messages close only tooltips of elements that move with them.
    const scrolled = ({ target }: Event) => {
      if (over && target instanceof Node && target.contains(over)) hide();
    };
    const ends = [
      listen(window, ["pointerover"], pointed, true),
      listen(window, ["focusin"], focused, true),
      listen(window, ["pointerdown"], down, true),
      listen(window, ["keydown"], pressed, true),
      listen(window, ["scroll"], scrolled, true),
      listen(window, ["focusout", "blur"], hide, true),
      listen(document.documentElement, ["pointerleave"], hide),
    ];
    return () => [hide, ...ends].forEach((end) => void end());
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

/** Return the tooltip's text; "" where the element shows the same. */
function textOf(target: HTMLElement): string {
  const text = (target.dataset["tip"] || target.getAttribute("aria-label") || "").trim();
  return text === target.innerText?.trim() ? "" : text;
}

/** Place the tooltip below the element, or above it, within the window. */
function place(tip: HTMLElement, of: DOMRect): void {
  const { offsetWidth: width, offsetHeight: height } = tip;
  const below = of.bottom + GAP;
  const fits = below + height <= window.innerHeight - EDGE;
  const left = Math.min(of.left + of.width / 2 - width / 2, window.innerWidth - EDGE - width);
  tip.style.left = `${Math.max(EDGE, left)}px`;
  tip.style.top = `${fits ? below : Math.max(EDGE, of.top - GAP - height)}px`;
}
