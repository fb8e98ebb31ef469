/** What is written of a note besides its words: when it reminds, and its kind. */
import type { NotedText } from "../bindings";
import { revealHidden } from "../components/diff";
import { t } from "../texts";
import { categoryName, whenWords } from "./places";

interface Props {
  category: string;
  noted: NotedText | null;
  /** when it reminds, in words of another program that name no moment */
  due?: string;
}

export function NoteFacts({ category, noted, due = "" }: Props) {
  const when = noted ? whenWords(noted.due, noted.at, noted.repeats) : due;
  const facts = [
    when && t("ui.proposal.due", { due: when }),
    category && t("ui.proposal.category", { category: categoryName(category) }),
  ].filter(Boolean);
  if (facts.length === 0) return null;
  return <p class="quiet-text note-facts">{revealHidden(facts.join(" · "))}</p>;
}
