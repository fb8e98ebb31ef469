/** A share of something, by a slider: set when it is let go of; until then only the number moves. */
import { useRef, useState } from "preact/hooks";
import { t } from "../texts";
import { Row } from "./form";

interface Props {
  id: string;
  label: string;
  value: number;
  from: number;
  to: number;
  onChange: (value: number) => Promise<unknown>;
}

export function Percent({ id, label, value, from, to, onChange }: Props) {
  const [moved, setMoved] = useState<number | null>(null);
  const asked = useRef(0);
  const count = moved ?? value;

  /** It stays where it was put until the last wish has its answer: the next step of a key goes on from there. */
  async function put(wanted: number): Promise<void> {
    const mine = ++asked.current;
    setMoved(wanted);
    await onChange(wanted);
    if (mine === asked.current) setMoved(null);
  }

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
          style={`--at: ${((count - from) / (to - from)) * 100}%`}
          aria-valuetext={t("settings.look.percent", { count })}
          onInput={(event) => setMoved(event.currentTarget.valueAsNumber)}
          onChange={(event) => void put(event.currentTarget.valueAsNumber)}
        />
        <output for={id}>{t("settings.look.percent", { count })}</output>
      </div>
    </Row>
  );
}
