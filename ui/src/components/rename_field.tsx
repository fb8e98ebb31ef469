/** A name written in its place: Enter or leaving the field saves it, Escape leaves the name as it was. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { useBack } from "../input/back";
import { composing } from "../input/ime";

interface Props {
  name: string;
  label: string;
  look: string;
  most?: number;
  /** the new name; null: it stays. Called once. */
  onDone: (name: string | null) => void;
}

export function RenameField({ name, label, look, most = 200, onDone }: Props) {
  const field = useRef<HTMLInputElement>(null);
  const done = useRef(false);
  useLayoutEffect(() => {
    field.current?.focus();
    field.current?.select();
  }, []);

  function end(save: boolean): void {
    if (done.current) return; // it goes, and leaving the page it loses the focus
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
