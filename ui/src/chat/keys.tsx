/** The map of all keys, on F1 or "?". */
import { Dialog } from "../parts/dialog";
import { useStore } from "../state/context";
import { type Key, t } from "../texts";

const GROUPS: { title: Key; keys: [string, Key][] }[] = [
  {
    title: "ui.keys.writing",
    keys: [
      ["Enter", "ui.keys.send"],
      ["Shift+Enter", "ui.keys.line"],
      ["↑", "ui.keys.earlier"],
      ["Esc", "ui.keys.stop"],
    ],
  },
  {
    title: "ui.keys.tabs",
    keys: [
      ["Ctrl+T", "ui.tabs.new"],
      ["Ctrl+W", "ui.keys.close"],
      ["Ctrl+Shift+T", "ui.keys.reopen"],
      ["Ctrl+Tab", "ui.keys.next"],
      ["Ctrl+Shift+PgUp / PgDn", "ui.keys.move"],
      ["F2", "ui.keys.rename"],
    ],
  },
  {
    title: "ui.keys.elsewhere",
    keys: [
      ["Ctrl+F", "ui.find.label"],
      ["Ctrl+H", "ui.keys.history"],
      ["Ctrl+,", "ui.view.settings"],
      ["F1 / ?", "ui.keys.title"],
      ["Esc", "ui.keys.back"],
    ],
  },
];

export function KeyMap() {
  const store = useStore();
  const brain = store.app.value?.shortcut_memory ?? "";
  return (
    <Dialog title={t("ui.keys.title")} onClose={() => (store.keys.value = false)}>
      <div class="key-map">
        {GROUPS.map(({ title, keys }, index) => (
          <section key={title}>
            <h3>{t(title)}</h3>
            <dl>
              {index === 0 && brain && <Row keys={brain} what="ui.keys.brain" />}
              {keys.map(([names, what]) => (
                <Row key={names} keys={names} what={what} />
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}

function Row({ keys, what }: { keys: string; what: Key }) {
  return (
    <div>
      <dt>
        {keys.split(" / ").map((each, index) => (
          <>
            {index > 0 && " / "}
            <kbd>{each}</kbd>
          </>
        ))}
      </dt>
      <dd>{t(what)}</dd>
    </div>
  );
}
