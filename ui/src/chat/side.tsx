/**
 * The conversations at the side of a wide window: a new one, the open ones with pins, and those of before. It stands
 * for the tabs of the bar, and has the same order and keys.
 */
import { useEffect, useState } from "preact/hooks";
import { Icon } from "../components/icons";
import { useStore } from "../state/context";
import { t } from "../texts";
import { groups, useConversations } from "./history";
import { Tab } from "./tabs";

/** Pixels of a window from which there is room beside the messages, which need 760. */
const WIDE = "(min-width: 1040px)";
/** Earlier conversations listed; the history has all. */
const MOST = 40;

/** Whether the window is wide enough for the list. */
export function useWide(): boolean {
  const query = typeof matchMedia === "undefined" ? null : matchMedia(WIDE);
  const [wide, setWide] = useState(query?.matches ?? false);
  useEffect(() => {
    const update = () => setWide(query?.matches ?? false);
    query?.addEventListener?.("change", update);
    return () => query?.removeEventListener?.("change", update);
  }, []);
  return wide;
}

export function SideList() {
  const store = useStore();
  const ids = store.tabs.ids.value;
  const all = useConversations().value ?? [];
  const earlier = all.filter(({ id }) => !ids.includes(id)).slice(0, MOST);
  return (
    <nav class="side" aria-label={t("ui.side.label")}>
      <button
        type="button"
        class="side-new"
        data-tip={t("ui.tabs.new_tip")}
        onClick={(event) => void store.tabs.create(event.altKey)}
      >
        <Icon name="plus" />
        {t("ui.tabs.new")}
      </button>
      <div class="side-lists">
        <div class="side-tabs" role="tablist" aria-orientation="vertical" aria-label={t("ui.tabs.label")}>
          {ids.map((id) => (
            <Tab key={id} id={id} />
          ))}
        </div>
        {groups(earlier, false).map(({ title, infos }) => (
          <section key={title} aria-label={t(title)}>
            <h2 class="side-day">{t(title)}</h2>
            <ul>
              {infos.map(({ id, title }) => (
                <li key={id}>
                  <button type="button" class="side-row" dir="auto" onClick={() => void store.tabs.open(id)}>
                    {title || t("ui.tabs.untitled")}
                  </button>
                </li>
              ))}
            </ul>
          </section>
        ))}
        {all.length > ids.length + MOST && (
          <button type="button" class="link soft" onClick={() => store.navigation.show("history")}>
            {t("ui.side.all")}
          </button>
        )}
      </div>
    </nav>
  );
}
