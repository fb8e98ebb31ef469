/** Settings > About you and us > Our days. */
import type { ExtraPage } from "../../state/extra";
import { OurDays } from "./our_days";
import { t } from "./words";

export function makeExtra(): ExtraPage {
  return { us: { id: "extra_our_days", label: () => t("ui.days.title"), View: OurDays } };
}
