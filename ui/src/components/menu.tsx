/**
 * A button with a short menu in the top layer. Arrow keys, Home and End move, Escape and outside clicks close, focus
 * returns.
 */
import { type ComponentChildren, Fragment } from "preact";
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useBack } from "../input/back";
import { listen } from "../input/listen";
import { Icon, type IconName } from "./icons";

export interface MenuItem {
  /** where labels may be equal */
  key?: string;
  label: string;
  icon?: IconName;
  disabled?: boolean;
  /** whether this position is chosen */
  checked?: boolean;
  /** `checked` is an independent switch, not one of several positions */
  own?: boolean;
  /** a separator before it */
  starts?: boolean;
  onChoose: () => void;
}

interface Props {
  /** the button's accessible name */
  label: string;
  items: MenuItem[];
  children: ComponentChildren;
  look?: string;
  /** opens above its button */
  above?: boolean;
}

export function Menu({ label, items, children, look = "quiet", above = false }: Props) {
  const [open, setOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  const button = useRef<HTMLButtonElement>(null);
  const list = useRef<HTMLDivElement>(null);
  const id = useId();

  useLayoutEffect(() => {
    const [its, of] = [list.current, button.current];
    if (!open || !its || !of) return;
    its.showPopover?.();
    const again = () => place(its, of, above);
    again();
    return listen(window, ["resize", "scroll"], again, true);
  }, [open]);

  useLayoutEffect(() => {
    if (!open) return;
    entries(frame.current)[0]?.focus();
    const elsewhere = (event: Event) => {
      if (!frame.current?.contains(event.target as Node)) setOpen(false);
    };
    return listen(document, ["pointerdown", "focusin"], elsewhere);
  }, [open]);

  useBack(open ? close : null);

  function close(): void {
    setOpen(false);
    button.current?.focus();
  }

  function keyDown(event: KeyboardEvent): void {
    const all = entries(frame.current);
    const at = all.indexOf(document.activeElement as HTMLElement);
    const places: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: -1 };
    const place = places[event.key];
    if (place === undefined) return;
    all.at(place % all.length)?.focus();
    event.preventDefault();
  }

  return (
    <div class="menu" ref={frame}>
      <button
        type="button"
        ref={button}
        class={look}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        aria-label={label}
        data-tip=""
        onClick={() => setOpen(!open)}
      >
        {children}
      </button>
      {open && (
        <div
          ref={list}
          class="menu-list"
          popover={LAYERED ? "manual" : undefined}
          role="menu"
          id={id}
          tabIndex={-1}
          aria-label={label}
          onKeyDown={keyDown}
        >
          {items.map((item) => (
            <Fragment key={item.key ?? item.label}>
              {item.starts && <hr />}
              <button
                type="button"
                {...(item.checked === undefined
                  ? { role: "menuitem" }
                  : { role: item.own ? "menuitemcheckbox" : "menuitemradio", "aria-checked": item.checked })}
                tabIndex={-1}
                aria-disabled={item.disabled === true}
                onClick={() => {
                  if (item.disabled) return;
                  close();
                  item.onChoose();
                }}
              >
                {item.checked !== undefined && <span class="tick">{item.checked && <Icon name="check" />}</span>}
                {item.icon && <Icon name={item.icon} />}
                <span dir="auto">{item.label}</span>
              </button>
            </Fragment>
          ))}
        </div>
      )}
    </div>
  );
}

/** Without a top layer the menu is an ordinary element. */
const LAYERED = typeof HTMLElement.prototype.showPopover === "function";
const EDGE = 8;
const GAP = 4;

/** Place the menu below or above its button, where there is more room, within the window. */
function place(list: HTMLElement, of: HTMLElement, preferAbove: boolean): void {
  const button = of.getBoundingClientRect();
  const above = button.top - GAP - EDGE;
  const below = window.innerHeight - button.bottom - GAP - EDGE;
  const height = list.scrollHeight + list.offsetHeight - list.clientHeight;
  const [first, second] = preferAbove ? [above, below] : [below, above];
  const up = preferAbove === (height <= first || first >= second);
  const room = up ? above : below;
  const tall = Math.min(height, room);
  const left = Math.min(button.right - list.offsetWidth, window.innerWidth - EDGE - list.offsetWidth);
  list.style.maxHeight = `${room}px`;
  list.style.left = `${Math.max(EDGE, left)}px`;
  list.style.top = `${up ? button.top - GAP - tall : button.bottom + GAP}px`;
}

function entries(frame: HTMLElement | null): HTMLElement[] {
  return [...(frame?.querySelectorAll<HTMLElement>("[role^=menuitem]") ?? [])];
}
