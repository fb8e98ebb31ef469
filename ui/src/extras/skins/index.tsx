/** Skins of others, in place of our own bodies alone: Settings > Who I am > Skins. */
import type { ExtraPage } from "../../state/extra";
import { Skins } from "./skins";

export function makeExtra(): ExtraPage {
  return { Looks: Skins };
}
