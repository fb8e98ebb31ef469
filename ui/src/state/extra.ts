/** What an extra adds to the page; `ui/src/extras/list.ts` finds those that are there. */
import type { ComponentType } from "preact";
import type { ErrorInfo, GivenFile, PetEvent, PetInfo, SettingsView } from "../bindings";
import type { IconName } from "../components/icons";
import type { MenuItem } from "../components/menu";
import type { SettingsForm } from "../settings/form";
import type { Store } from "./store";

/** Place of more of an extra, below the rows of the settings, under Advanced. */
export type RowsOf = "advanced_model" | "advanced_desktop";

export interface PaneProps {
  form: SettingsForm;
  settings: SettingsView;
}

/** Return the settings of an extra, in the form of its interface. */
export function settingsOf<T>(view: SettingsView): T {
  return view.extras as unknown as T;
}

/** A switch of each conversation, listed beside the memory mode; while it is on, its icon is shown there. */
export interface ConversationSwitch {
  /** as in `pet/extra.py` */
  name: string;
  icon: IconName;
  label: () => string;
  tip: () => string;
  /** temporary conversations have it too */
  temporary?: boolean;
}

/** A model that an extra runs on this computer. */
export interface OwnModel {
  id: string;
  name: string;
  /** it is here, and this computer can run it */
  usable: boolean;
  chosen: boolean;
  /** it is chosen but could not start */
  failed: boolean;
  /** why it can't be used, after it was tried */
  problem: ErrorInfo | undefined;
  /** it is of another program, or the tiny one that is packaged */
  kind: "catalogue" | "tiny" | "found";
}

/** Models that an extra runs on this computer. What it returns is of signals. */
export interface OwnModels {
  load: () => Promise<void>;
  list: () => readonly OwnModel[];
  use: (id: string) => Promise<void>;
  /** Search what is here already. */
  search: () => Promise<void>;
  searching: () => boolean;
  /** one is being downloaded, and used then */
  arriving: () => boolean;
  /** the one in use is being loaded */
  starting: () => boolean;
  /** whether another model has to be chosen, or this one put right, before one answers again */
  unusable: (error: ErrorInfo) => boolean;
  /** the list of them, to choose from and to download; `titled`: below a heading */
  View: ComponentType<{ titled?: boolean }>;
  /** a question about one, over every view, or nothing */
  Offer: ComponentType;
}

/** Pets on the desktop beside the current one. */
export interface OtherPets {
  /** a button that brings one, or sends it home */
  ComeOrGo: ComponentType<{ pet: PetInfo }>;
  /** that one is there */
  here: () => string;
  /** why one that is there can't be deleted */
  undeletable: () => string;
  bring: (pet: string) => Promise<unknown>;
}

/** One extra's part in a page. */
export interface ExtraPage {
  conversationSwitch?: ConversationSwitch;
  onEvent?: (event: PetEvent) => void;
  /** the label of a tool that it has at run time */
  toolLabel?: (tool: string) => string | undefined;
  /** whether something of it sounds, which Escape ends */
  sounds?: () => boolean;
  /** a strip below the tabs, or nothing */
  Strip?: ComponentType;
  /** a question over every view, or nothing */
  Question?: ComponentType;
  /** a page of its own, listed in Settings > Privacy */
  page?: { id: `extra_${string}`; icon: IconName; label: () => string; View: ComponentType };
  /** a page about the owner and the pet, before their reminders */
  us?: { id: `extra_${string}`; label: () => string; View: ComponentType };
  /** rows of the settings, by page */
  rows?: Partial<Record<RowsOf, ComponentType<PaneProps>>>;
  /** a link to something of it that serves here */
  link?: { label: (from: "pets" | "welcome" | "memory") => string; open: () => void };
  /** Load again after events were lost. */
  resync?: () => Promise<void>;
  /** Return the pet's first words in an empty conversation, or "". */
  greeting?: () => Promise<string>;
  /** more that can be done with the soul, beside its Edit */
  BesideSoul?: ComponentType;
  /** models that run on this computer */
  models?: OwnModels;
  others?: OtherPets;
  /** the skins to choose from, in place of our own bodies alone */
  Looks?: ComponentType;
  /** a way to a soul at the first start; `onTaken` with the name of its pet */
  soulSource?: { label: () => string; note: () => string; View: ComponentType<{ onTaken: (name: string) => void }> };
  /** Ask what becomes of a file that was dropped on the pet. Return whether it is asked. */
  takesDropped?: (conversation: string, file: GivenFile) => Promise<boolean>;
  /** items of a reply's menu, first in it */
  replyItems?: (conversation: string, turn: string) => MenuItem[];
}

export type MakeExtra = (store: Store) => ExtraPage;
