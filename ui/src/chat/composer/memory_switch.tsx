/** The memory switch of a conversation: a button that turns it on and off, and a menu of its three positions. */
import { Icon } from "../../components/icons";
import { Menu } from "../../components/overlays/menu";
import type { Conversation } from "../../state/chat/conversation";
import { COMPUTER } from "../../state/connections";
import { useStore } from "../../state/context";
import type { Store } from "../../state/store";
import { t } from "../../texts";

/** Who gets the memory of a conversation with a model of its own. */
export function hostOf({ info: { chosen } }: Conversation): string | undefined {
  if (!chosen) return undefined;
  return chosen.connection === COMPUTER ? t("mind.receiver") : chosen.origin.replace(/^https?:\/\//, "");
}

export function MemorySwitch({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const { memory, read_only, temporary } = conversation.info;
  const paused = store.paused.value;
  const fixed = temporary || paused;
  const on = memory && !fixed;
  const reads = read_only && !fixed;
  const shortcut = store.app.value?.shortcut_memory ?? "";
  const state = temporary ? "temporary" : paused ? "paused" : on ? "on" : reads ? "read" : "off";
  const tip = t(`ui.memory_switch.tip_${state}`, { host: hostOf(conversation) ?? store.app.value?.host ?? "" });
  const toggle = (
    <button
      type="button"
      class="memory-switch"
      aria-pressed={reads ? "mixed" : on}
      aria-label={t("ui.memory_switch.label")}
      aria-disabled={fixed}
      data-tip={
        shortcut && !temporary && !paused ? `${tip}\n${t("ui.memory_switch.shortcut", { keys: shortcut })}` : tip
      }
      onClick={() => void flipMemory(store, conversation)}
    >
      <Icon name="brain" slashed={!on && !reads} />
      <span class="state" data-words={t(`ui.memory_switch.${state}`)} />
    </button>
  );
  if (fixed) return toggle;
  return (
    <>
      {toggle}
      <Menu
        label={t("ui.memory_switch.choose")}
        look="quiet memory-menu"
        above
        items={POSITIONS.map((position) => ({
          label: t(`ui.memory_switch.${position}`),
          checked: position === state,
          onChoose: () => void setMemory(store, conversation.info.id, position),
        }))}
      >
        <Icon name="chevron" />
      </Menu>
    </>
  );
}

type Position = "on" | "read" | "off";
const POSITIONS: Position[] = ["on", "read", "off"];

async function setMemory(store: Store, conversation: string, position: Position): Promise<void> {
  const to = { conversation, memory: position === "on", read_only: position === "read" };
  await store.attempt(() => store.commands.setMemory(to));
}

export async function flipMemory(store: Store, conversation: Conversation): Promise<void> {
  const { id, memory, read_only, temporary } = conversation.info;
  if (temporary) return store.tell(t("ui.memory_switch.tip_temporary"));
  if (store.paused.value) return store.tell(t("ui.memory_switch.tip_paused"));
  // From "read only" the toggle leads to off: nothing is written down by a slip of the finger.
  await setMemory(store, id, memory || read_only ? "off" : "on");
}
