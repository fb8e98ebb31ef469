/** A button that puts a text on the clipboard and says that it did. */
import { useEffect, useState } from "preact/hooks";
import { t } from "../texts";
import { Icon } from "./icons";

export function CopyButton({ text, label }: { text: string; label: string }) {
  const [done, setDone] = useState(false);
  useEffect(() => {
    if (!done) return;
    const timer = setTimeout(() => setDone(false), 1500);
    return () => clearTimeout(timer);
  }, [done]);
  return (
    <button
      type="button"
      class="quiet"
      aria-label={done ? t("ui.copied") : label}
      data-tip=""
      onClick={async () => setDone(await copyText(text))}
    >
      <Icon name={done ? "check" : "copy"} />
    </button>
  );
}

/** The web view may refuse the clipboard interface to a page from a file: then the old way. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const before = document.activeElement;
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    // Beside an open dialog nothing can be selected.
    (before?.closest("dialog") ?? document.body).append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    return done;
  }
}
