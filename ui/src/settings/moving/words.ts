/** What an import is called, and how much it brings. */
import { hasKey, number, t, tn } from "../../texts";

export interface Amounts {
  files: number;
  days: number;
  conversations: number;
}

export function kindName(kind: string): string {
  const key = `moving.kind.${kind}`;
  return hasKey(key) ? t(key) : kind;
}

/** "4 files, 12 days of logs, 240 conversations"; "" for nothing. */
export function amounts({ files, days, conversations }: Amounts): string {
  const parts = [
    files > 0 && tn("moving.file_count", "moving.files_count", files, { count: number(files) }),
    days > 0 && tn("moving.day", "moving.days", days, { count: number(days) }),
    conversations > 0 && tn("moving.talk", "moving.talks", conversations, { count: number(conversations) }),
  ];
  return parts.filter(Boolean).join(t("ui.list.and"));
}
