/** Small controls that several views share. */

import type { ComponentChildren } from "preact";
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
    <button
      type="button"
      class="quiet back"
      aria-label={t("ui.back_to_chat")}
      data-tip={t("ui.back_to_chat_tip")}
      onClick={() => store.navigation.toChat()}
    >
      <Icon name="back" />
    </button>
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
      <button type="button" class="quiet" aria-label={label} data-tip="" onClick={onUp}>
        <Icon name="back" />
      </button>
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
    <button
      type="button"
      class="quiet"
      aria-label={done ? t("ui.copied") : label}
      data-tip=""
      onClick={async () => setDone(await copyText(text))}
    >
      <Icon name={done ? "check" : "copy"} />
    </button>
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
