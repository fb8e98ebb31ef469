/** The map of all keys (F1), drawn from the key table. */
import { Dialog } from "../components/overlays";
import { KEYS, type KeyGroup, shown } from "../input/keys";
import { useStore } from "../state/context";
import { type Key, t } from "../texts";

const GROUPS: [KeyGroup, Key][] = [
  ["writing", "ui.keys.writing"],
  ["elsewhere", "ui.keys.elsewhere"],
  ["tabs", "ui.keys.tabs"],
];

export function KeyMap() {
  const store = useStore();
  const memoryKeys = store.app.value?.shortcut_memory ?? "";
  return (
    <Dialog title={t("ui.keys.title")} onClose={() => (store.navigation.keyMapOpen.value = false)} wide>
      <div class="key-map">
        {GROUPS.map(([group, title]) => (
          <section key={group}>
            <h3>{t(title)}</h3>
            <dl>
              {group === "writing" && memoryKeys && <Row keys={[memoryKeys]} what="ui.keys.memory" />}
              {KEYS.filter((row) => row.group === group).map(({ keys, what }) => (
                <Row key={what} keys={keys} what={what} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Row({ keys, what }: { keys: readonly string[]; what: Key }) {
  return (
    <div>
      <dt>
        {keys.map((each, index) => (
          <>
            {index > 0 && " / "}
            <kbd>{shown(each)}</kbd>
          </>
        ))}
      </dt>
      <dd>{t(what)}</dd>
    </div>
  );
}
