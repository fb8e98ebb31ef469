/** What an extra adds to the page; `ui/src/extras/list.ts` finds those that are there. */
import type { ComponentType } from "preact";
import type { PetEvent, SettingsView } from "../bindings";
import type { MenuItem } from "../components/menu";
import type { SettingsForm } from "../settings/form";
import type { Section } from "./navigation";
import type { Store } from "./store";

export interface PaneProps {
  form: SettingsForm;
  settings: SettingsView;
}

/** Return the settings of an extra, in the form of its interface. */
export function settingsOf<T>(view: SettingsView): T {
  return view.extras as unknown as T;
}

/** One extra's part in a page. */
export interface ExtraPage {
  onEvent?: (event: PetEvent) => void;
  /** whether something of it sounds, which Escape ends */
  sounds?: () => boolean;
  /** a strip below the tabs, or nothing */
  Strip?: ComponentType;
  /** rows of the settings, by section */
  rows?: Partial<Record<Section, ComponentType<PaneProps>>>;
  /** items of a reply's menu, first in it */
  replyItems?: (conversation: string, turn: string) => MenuItem[];
}

export type MakeExtra = (store: Store) => ExtraPage;
