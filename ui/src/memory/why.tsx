/** Where an entry comes from: the card that a sentence, an entry and a reply's chip lead to. */
import type { Origin } from "../bindings";
import { revealHidden } from "../components/diff";
import { Loading, useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { t } from "../texts";
import { dayName, fileName, kindName } from "./places";
import "./about.css";

interface WhyProps {
  file: string;
  line: number;
}

/** Where an entry comes from, in words, with the way there while there is one. */
export function Why({ file, line }: WhyProps) {
  const store = useStore();
  const loaded = useLoad(() => store.commands.explainStatement({ file, line }), [], `${file} ${line}`);
  const origin = loaded.value;
  if (!origin) return <Loading of={loaded} lines={1} />;
  const { conversation, turn, quote } = origin;
  const entry = { path: file, start_line: line, end_line: line, turn: null };
  const place = { path: `conversations/${conversation}.jsonl`, start_line: 0, end_line: 0, turn: turn || null };
  return (
    <div class="why" role="status">
      <p>{revealHidden(originWords(origin, file))}</p>
      {quote && <blockquote dir="auto">{revealHidden(quote)}</blockquote>}
      {conversation && (
        <button type="button" class="link" onClick={() => void store.openPlace(place)}>
          {t("ui.why.go")}
        </button>
      )}
      {origin.kind === "outside" && (
        <button type="button" class="link" onClick={() => void store.openPlace(entry)}>
          {t("ui.about.show")}
        </button>
      )}
    </div>
  );
}

function originWords(origin: Origin, file: string): string {
  const { kind, at, name, conversation, title, quote, gone, forgotten } = origin;
  const words = { day: at ? dayName(at.slice(0, 10)) : "", title: title || t("ui.tabs.untitled") };
  if (forgotten) return t("ui.why.forgotten", words);
  if (gone) return t(conversation ? "ui.why.taken_out" : "ui.why.deleted", words);
  if (kind === "conversation") return t(quote ? "ui.why.said" : "ui.why.conversation", words);
  return t(`ui.why.${kind}`, { ...words, file: fileName(file), name: kind === "import" ? kindName(name) : name });
}
