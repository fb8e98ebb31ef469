/** The memories that were recalled for a reply: small, folded when several, and each opens where it stands. */
import { useId, useState } from "preact/hooks";
import type { UsedMemory } from "../../../bindings";
import { revealHidden } from "../../../components/diff/diff";
import { Icon } from "../../../components/icons";
import { placeName, sourceIcon, sourceName } from "../../../memory/places";
import { quoted } from "../../../memory/spoken";
import { useStore } from "../../../state/context";
import { t } from "../../../texts";

export function UsedChips({ used }: { used: UsedMemory[] }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const first = used[0];
  if (!first) return null;
  if (used.length === 1) return <div class="used">{<UsedChip used={first} />}</div>;
  return (
    <div class="used">
      <button
        type="button"
        class="used-chip"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      >
        <Icon name="chevron" />
        {t("ui.used.many", { count: used.length })}
      </button>
      {open && (
        <ul id={id}>
          {used.map((each) => (
            <li key={`${each.path} ${each.start_line} ${each.turn ?? ""}`}>
              <UsedRow used={each} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function UsedChip({ used }: { used: UsedMemory }) {
  const store = useStore();
  return (
    <button type="button" class="used-chip" data-tip={tip(used)} onClick={() => void store.openPlace(used)}>
      <Icon name={sourceIcon(used.source)} />
      {t("ui.used.one", { place: placeName(used.path) })}
    </button>
  );
}

function UsedRow({ used }: { used: UsedMemory }) {
  const store = useStore();
  return (
    <button type="button" class="used-row" data-tip={tip(used)} onClick={() => void store.openPlace(used)}>
      <Icon name={sourceIcon(used.source)} />
      <span class="where">{placeName(used.path)}</span>
      <span class="snippet" dir="auto">
        {revealHidden(quoted(used.snippet).words)}
      </span>
    </button>
  );
}

function tip(used: UsedMemory): string {
  return `${sourceName(used.source)}: ${quoted(used.snippet).words}`;
}
