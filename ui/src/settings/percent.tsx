/** A share of something, by a slider: set when it is let go of; until then only the number moves. */
import { useState } from "preact/hooks";
import { t } from "../texts";
import { Row } from "./form";

interface Props {
  id: string;
  label: string;
  value: number;
  from: number;
  to: number;
  onChange: (value: number) => void;
}

export function Percent({ id, label, value, from, to, onChange }: Props) {
  const [moved, setMoved] = useState<number | null>(null);
  const count = moved ?? value;
  return (
    <Row id={id} label={label}>
      <div class="inline percent">
        <input
          id={id}
          type="range"
          min={from}
          max={to}
          step={5}
          value={count}
          aria-valuetext={t("settings.look.percent", { count })}
          onInput={(event) => setMoved(event.currentTarget.valueAsNumber)}
          onChange={(event) => {
            setMoved(null);
            onChange(event.currentTarget.valueAsNumber);
          }}
        />
        <output for={id}>{t("settings.look.percent", { count })}</output>
      </div>
    </Row>
  );
}
