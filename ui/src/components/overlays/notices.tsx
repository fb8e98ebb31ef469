/**
 * What is told over every view. Stays until it is dismissed; what only says that something was done goes by itself,
 * never while the pointer or the focus is on it or the window is out of sight.
 */
import { useEffect, useState } from "preact/hooks";
import { useStore } from "../../state/context";
import type { Notice } from "../../state/navigation";
import { errorText, t } from "../../texts";
import { Icon } from "../icons";

/** Time enough to read it, whoever reads (WCAG 2.2.1); begun anew when it was looked at. */
const STAYS_MS = 20_000;

export function Notices() {
  const store = useStore();
  return (
    <div class="notices" role="alert">
      {store.notices.value.map((notice) => (
        <Told key={notice.id} notice={notice} />
      ))}
    </div>
  );
}

function Told({ notice }: { notice: Notice }) {
  const store = useStore();
  const [pointed, setPointed] = useState(false);
  const [focused, setFocused] = useState(false);
  const held = useHidden() || pointed || focused;
  useEffect(() => {
    if (!notice.goes || held) return;
    const timer = setTimeout(() => store.dismiss(notice.id), STAYS_MS);
    return () => clearTimeout(timer);
  }, [notice.id, notice.goes, held]);
  const { opens } = notice;
  return (
    <div
      class="notice"
      onPointerEnter={() => setPointed(true)}
      onPointerLeave={() => setPointed(false)}
      onFocusIn={() => setFocused(true)}
      onFocusOut={() => setFocused(false)}
    >
      <p>{notice.error ? errorText(notice.error) : notice.text}</p>
      {opens && (
        <button
          type="button"
          class="link"
          onClick={() => void store.attempt(() => store.commands.openFolder({ place: opens }))}
        >
          {t("ui.privacy.open_folder")}
        </button>
      )}
      <button
        type="button"
        class="quiet"
        aria-label={t("ui.dismiss")}
        data-tip=""
        onClick={() => store.dismiss(notice.id)}
      >
        <Icon name="close" />
      </button>
    </div>
  );
}

function useHidden(): boolean {
  const [hidden, setHidden] = useState(document.hidden);
  useEffect(() => {
    const look = () => setHidden(document.hidden);
    document.addEventListener("visibilitychange", look);
    return () => document.removeEventListener("visibilitychange", look);
  }, []);
  return hidden;
}
