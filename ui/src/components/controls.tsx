/** Small controls that several views share. */

import type { ComponentChildren, ComponentProps, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { useBack } from "../input/back";
import { composing } from "../input/keys";
import { useStore } from "../state/context";
import { t } from "../texts";
import { Icon, type IconName } from "./icons";
import "./option.css";

/** Give a field the height of its text, up to `tallest` pixels: nothing of it is scrolled away. */
export function fitText(area: HTMLTextAreaElement, tallest: number): void {
  area.style.height = "auto";
  area.style.height = `${Math.min(tallest, area.scrollHeight + area.offsetHeight - area.clientHeight)}px`;
}

/** Of a part that scrolls by itself, which the keyboard must reach. Spread: linters take the attribute for a slip. */
export const SCROLLS = { tabIndex: 0 } as const;

interface IconButtonProps extends Omit<ComponentProps<"button">, "icon"> {
  icon: IconName;
  /** its name, which is its tip too, unless `data-tip` is another */
  label: string;
}

/** A button drawn as an icon alone. */
export function IconButton({ icon, label, ...more }: IconButtonProps) {
  return (
    <button type="button" class="quiet" aria-label={label} data-tip="" {...more}>
      <Icon name={icon} />
    </button>
  );
}

/** What is wrong with something, and below the words what to do. */
export function Fault({ children }: { children: ComponentChildren }) {
  return (
    <div class="fault" role="alert">
      <Icon name="warning" />
      {children}
    </div>
  );
}

/** Why something was refused; nothing for "". */
export function Refusal({ why }: { why: string }) {
  if (!why) return null;
  return (
    <p class="error-text" role="alert">
      {why}
    </p>
  );
}

/** How many characters of a file can't be seen; nothing for none. */
export function HiddenCharacters({ count }: { count: number }) {
  if (count === 0) return null;
  return (
    <p class="badge-line">
      <span class="hidden-badge">{t("ui.file.hidden", { count })}</span>
      {t("ui.file.hidden_note")}
    </p>
  );
}

interface TickProps {
  label: string;
  note?: string;
  checked: boolean;
  disabled?: boolean;
  /** "" where what is around it lays it out */
  look?: string;
  onChange: (checked: boolean) => void;
}

/** A box to tick, with what is said of it. */
export function Tick({ label, note, checked, disabled = false, look = "tick", onChange }: TickProps) {
  return (
    <label class={look || undefined}>
      <input
        type="checkbox"
        checked={checked}
        disabled={disabled}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
      <span>
        {label}
        {note && <span class="note">{note}</span>}
      </span>
    </label>
  );
}

interface FoldedProps {
  title: string;
  /** made, and loaded, once it is opened */
  late?: boolean;
  children: ComponentChildren;
}

/** What few need, folded away. */
export function Folded({ title, late = false, children }: FoldedProps) {
  const [made, setMade] = useState(!late);
  return (
    <details class="advanced" onToggle={(event) => event.currentTarget.open && setMade(true)}>
      <summary>
        <Icon name="chevron" />
        {title}
      </summary>
      {made && <div>{children}</div>}
    </details>
  );
}

interface SearchProps {
  value: string;
  placeholder: string;
  label?: string;
  field?: RefObject<HTMLInputElement | null>;
  onInput: (text: string) => void;
}

/** A field for words to search for; Escape empties it. */
export function SearchField({ value, placeholder, label = placeholder, field, onInput }: SearchProps) {
  useBack(value === "" ? null : () => onInput(""));
  return (
    <div class="search-field">
      <Icon name="search" />
      <input
        type="search"
        value={value}
        placeholder={placeholder}
        aria-label={label}
        ref={field ?? null}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

interface TimeProps {
  id?: string;
  label?: string;
  value: string;
  onInput: (text: string) => void;
  /** it was left, or Enter pressed */
  onLeave?: (text: string) => void;
}

/** A field for a time of day. The browser's own has 12 hours where the system has; ours has 24, as every other time. */
export function TimeField({ id, label, value, onInput, onLeave }: TimeProps) {
  return (
    <input
      id={id}
      aria-label={label}
      inputMode="numeric"
      placeholder="--:--"
      maxLength={5}
      autocomplete="off"
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
      onBlur={(event) => onLeave?.(event.currentTarget.value)}
      onKeyDown={(event) => event.key === "Enter" && onLeave?.(event.currentTarget.value)}
    />
  );
}

/** Return a time that was typed as 22:00, 22.00, 2200 or 22 in the form 22:00; null for any other text. */
export function timeOfDay(text: string): string | null {
  const [, hour = "", minute = "00"] = /^\s*(\d{1,2})(?:[:.：]?(\d{2}))?\s*$/.exec(text) ?? [];
  return hour && Number(hour) < 24 && Number(minute) < 60 ? `${hour.padStart(2, "0")}:${minute}` : null;
}

export function BackButton() {
  const store = useStore();
  return (
    <IconButton
      icon="back"
      class="quiet back"
      label={t("ui.back_to_chat")}
      data-tip={t("ui.back_to_chat_tip")}
      onClick={() => store.navigation.toChat()}
    />
  );
}

interface UpProps {
  /** the page above */
  label: string;
  title: string;
  onUp: () => void;
}

/** The heading of a page below another, with the way back up. */
export function Up({ label, title, onUp }: UpProps) {
  return (
    <div class="up">
      <IconButton icon="back" label={label} onClick={onUp} />
      <h2>{title}</h2>
    </div>
  );
}

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <IconButton
      icon={done ? "check" : "copy"}
      label={done ? t("ui.copied") : label}
      onClick={async () => setDone(await copyText(text))}
    />
  );
}

/** Copy through the clipboard API, or by selection where the web view refuses it. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement;
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    // Outside of an open dialog nothing can be selected.
    (before?.closest("dialog") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    return done;
  }
}

interface RenameProps {
  name: string;
  label: string;
  look: string;
  most?: number;
  /** called once; null: unchanged */
  onDone: (name: string | null) => void;
}

export function RenameField({ name, label, look, most = 200, onDone }: RenameProps) {
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);

  function end(save: boolean): void {
    if (done.current) return; // unmounting also blurs the field
    done.current = true;
    const wanted = field.current?.value.trim() ?? "";
    onDone(save && wanted !== "" && wanted !== name ? wanted : null);
  }
  useBack(() => end(false));

  return (
    <input
      ref={field}
      class={look}
      dir="auto"
      defaultValue={name}
      maxLength={most}
      aria-label={label}
      onBlur={() => end(true)}
      onKeyDown={(event) => {
        if (composing(event) || event.key !== "Enter") return;
        event.preventDefault();
        end(true);
      }}
    />
  );
}

interface OptionProps {
  group: string;
  label: string;
  note: string;
  icon: IconName;
  chosen: boolean;
  onChoose: () => void;
  children?: ComponentChildren;
}

export function Option({ group, label, note, icon, chosen, onChoose, children }: OptionProps) {
  return (
    <div class={chosen ? "option chosen" : "option"}>
      <label class="option-head">
        <input type="radio" name={group} checked={chosen} onChange={onChoose} />
        <Icon name={icon} />
        <span>
          <span class="option-name">{label}</span>
          <span class="note">{note}</span>
        </span>
      </label>
      {chosen && children && <div class="option-body">{children}</div>}
    </div>
  );
}

/** Links to what extras have for this place. */
export function ExtraLinks({ from, class: name = "link", onLeave }: ExtraLinksProps) {
  return (
    <>
      {useStore().extras.map(
        ({ link }, at) =>
          link && (
            <button
              key={at}
              type="button"
              class={name}
              onClick={() => {
                onLeave?.();
                link.open();
              }}
            >
              {link.label(from)}
            </button>
          ),
      )}
    </>
  );
}

interface ExtraLinksProps {
  from: "pets" | "welcome" | "memory";
  class?: string;
  onLeave?: () => void;
}
