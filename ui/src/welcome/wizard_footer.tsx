/** The foot of each step, always in sight: out, back, on. */
import type { ComponentChildren } from "preact";
import { t } from "../texts";

interface Props {
  onLeave?: () => void;
  onBack?: () => void;
  /** the way on */
  children: ComponentChildren;
}

export function Foot({ onLeave, onBack, children }: Props) {
  return (
    <footer>
      {onLeave && (
        <button type="button" class="link soft" onClick={onLeave}>
          {t("welcome.skip_all")}
        </button>
      )}
      <span class="space" />
      {onBack && (
        <button type="button" class="link soft" onClick={onBack}>
          {t("ui.back")}
        </button>
      )}
      {children}
    </footer>
  );
}
