/** One of a few large choices: a radio button with a word, a line about it, and what belongs to it once it is chosen. */
import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./icons";
import "./option.css";

interface Props {
  group: string;
  label: string;
  note: string;
  icon: IconName;
  chosen: boolean;
  onChoose: () => void;
  children?: ComponentChildren;
}

export function Option({ group, label, note, icon, chosen, onChoose, children }: Props) {
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
