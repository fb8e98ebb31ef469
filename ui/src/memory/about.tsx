/** Settings > About you and us: what the memory says of the owner, as sentences in groups, each to be corrected. */
import { useEffect, useState } from "preact/hooks";
import type { AboutOwner, StatementGroup, StatementView } from "../bindings";
import { ExtraLinks, SearchField } from "../components/controls";
import { revealHidden } from "../components/diff";
import { Icon, type IconName } from "../components/icons";
import { Loading, useLoad, useSettled } from "../components/loading";
import { Menu } from "../components/menu";
import { useBack } from "../input/back";
import { useStore } from "../state/context";
import { number, spaceAfter, t } from "../texts";
import { ForgetDialog } from "./forget";
import { dayName, monthName } from "./places";
import { marked } from "./search";
import { Why } from "./why";
import "./about.css";

const ASIDE = "ASIDE.md";
/** Sentences of a group that are drawn at first, and with each click on "more". */
const FIRST = 6;
const MORE = 60;

const ICONS: Record<StatementGroup["name"], IconName> = {
  you: "user",
  people: "twins",
  places: "folder",
  likes: "heart",
  health: "shield",
  plans: "calendar",
  lately: "clock",
  aside: "ghost",
};

export function About() {
  const store = useStore();
  const [typed, setTyped] = useState("");
  const words = useSettled(typed.trim());
  const [forgetting, setForgetting] = useState<StatementView | null>(null);
  const on = [store.files.change.value, store.memory.forgotten.value];
  const loaded = useLoad(() => store.commands.listStatements({ words, count: FIRST }), on, words);
  const about = loaded.value;
  return (
    <section class="about-owner" aria-label={t("ui.memory.about")}>
      <SearchField value={typed} placeholder={t("ui.about.search")} onInput={setTyped} />
      {!words && <Asked onForget={setForgetting} />}
      <Loading of={loaded} lines={6} />
      {about && <Nothing about={about} words={words} />}
      {about?.groups.map((group) => (
        <Group
          key={`${group.name} ${words}`}
          group={group}
          words={words}
          again={loaded.again}
          onForget={setForgetting}
        />
      ))}
      {forgetting && (
        <ForgetDialog
          what={{ file: forgetting.file, start_line: forgetting.start_line, end_line: forgetting.end_line }}
          onClose={() => setForgetting(null)}
        />
      )}
    </section>
  );
}

function Nothing({ about, words }: { about: AboutOwner; words: string }) {
  if (about.groups.length > 0) return null;
  if (words) return <p class="quiet-text">{t("ui.about.no_match")}</p>;
  return (
    <div class="nothing">
      <Icon name="paw" />
      <p>{t("ui.about.nothing")}</p>
      <ExtraLinks from="memory" />
    </div>
  );
}

interface GroupProps {
  group: StatementGroup;
  words: string;
  again: () => void;
  onForget: (statement: StatementView) => void;
}

function Group({ group, words, again, onForget }: GroupProps) {
  const store = useStore();
  const [wanted, setWanted] = useState(FIRST);
  const more = useLoad(async () => {
    if (wanted <= FIRST) return null;
    const about = await store.commands.listStatements({ words, group: group.name, count: 1 });
    return about.groups.find(({ name }) => name === group.name)?.statements ?? [];
  }, [wanted > FIRST, store.files.change.value, store.memory.forgotten.value]);
  const shown = (more.value ?? group.statements).slice(0, wanted);
  const left = group.total - shown.length;
  return (
    <section class="statements" aria-label={t(`ui.about.group.${group.name}`)}>
      <h3>
        <Icon name={ICONS[group.name]} />
        {t(`ui.about.group.${group.name}`)}
        {group.total > FIRST && <span class="quiet-text">{number(group.total)}</span>}
      </h3>
      {group.name === "aside" && <p class="note">{t("ui.about.aside_note")}</p>}
      <ul>
        {shown.map((each) => (
          <Sentence
            key={`${each.file} ${each.start_line} ${each.text || each.sentence}`}
            statement={each}
            words={words}
            again={again}
            onForget={() => onForget(each)}
          />
        ))}
      </ul>
      {left > 0 && (
        <button type="button" class="quiet-button" onClick={() => setWanted(wanted + MORE)}>
          {t("ui.about.more", { count: number(left) })}
        </button>
      )}
    </section>
  );
}

interface SentenceProps {
  statement: StatementView;
  words: string;
  /** where it comes from is shown at once */
  explained?: boolean;
  again: () => void;
  onForget: () => void;
}

function Sentence({ statement, words, again, onForget, explained = false }: SentenceProps) {
  const store = useStore();
  const [editing, setEditing] = useState(false);
  const [why, setWhy] = useState(explained);
  const { file, start_line, end_line, text, sentence, day, due, ended, since, earlier } = statement;
  const shown = earlier.length > 0 ? sentence.replace(/[.。]$/, "") : sentence; // "since …" goes on in its line
  const place = { path: file, start_line, end_line, turn: null };
  const at = { line: start_line, sentence };
  const act = async (done: () => Promise<unknown>): Promise<void> => {
    await store.notices.attempt(done);
    again();
  };
  const use =
    file === ASIDE
      ? { label: t("ui.about.use"), icon: "undo" as const, onChoose: () => act(() => store.commands.useAgain(at)) }
      : {
          label: t("ui.about.dont_use"),
          icon: "ghost" as const,
          onChoose: () => act(() => store.commands.setAside({ file, ...at })),
        };
  const items = [
    { label: t("ui.about.why"), icon: "search" as const, onChoose: () => setWhy(true) },
    use,
    ...(text && file !== ASIDE
      ? [{ label: t("ui.about.correct"), icon: "pencil" as const, onChoose: () => setEditing(true) }]
      : []),
    { label: t("ui.about.show"), icon: "file" as const, onChoose: () => void store.openPlace(place) },
    { label: t("ui.about.forget"), icon: "trash" as const, onChoose: onForget },
  ];
  if (editing) return <Correction statement={statement} again={again} onClose={() => setEditing(false)} />;
  return (
    <li class="statement">
      <div class="said">
        <button
          type="button"
          class="sentence"
          dir="auto"
          aria-expanded={why}
          data-tip={t("ui.about.why")}
          onClick={() => setWhy(!why)}
        >
          {words ? marked(shown, words) : revealHidden(shown)}
        </button>
        {earlier.length > 0 && (
          <span class="quiet-text earlier" dir="auto">
            {spaceAfter(shown)}
            {revealHidden(
              t("ui.about.since", {
                month: monthName(since.slice(0, 7)),
                text: earlier.map((each) => each.part).join(", "),
              }),
            )}
          </span>
        )}
        {why && earlier.length > 0 && (
          <ul class="quiet-text earlier" aria-label={t("ui.about.before")}>
            {earlier.map((each) => (
              <li key={each.until} dir="auto">
                {revealHidden(t("ui.about.until", { text: each.sentence, day: dayName(each.until.slice(0, 10)) }))}
              </li>
            ))}
          </ul>
        )}
        {why && <Why file={file} line={start_line} />}
      </div>
      {(due || day) && (
        <span class="quiet-text">{ended ? t("ui.about.ended", { day: dayName(day) }) : dayName(due || day)}</span>
      )}
      <Menu label={t("ui.about.acts", { text: sentence.slice(0, 40) })} items={items}>
        <Icon name="more" />
      </Menu>
    </li>
  );
}

interface CorrectionProps {
  statement: StatementView;
  again: () => void;
  onClose: () => void;
}

function Correction({ statement, again, onClose }: CorrectionProps) {
  const store = useStore();
  const [text, setText] = useState(statement.text);
  const { file, start_line, end_line } = statement;
  useBack(onClose);

  async function save(): Promise<void> {
    const args = { file, start_line, end_line, text: statement.text, new_text: text };
    const done = await store.notices.attempt(() => store.commands.correctStatement(args));
    if (done === null) return;
    onClose();
    again();
  }

  return (
    <li class="statement">
      <form
        class="correction"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.trim()) void save();
        }}
      >
        <textarea
          rows={Math.min(8, text.split("\n").length + 1)}
          value={text}
          aria-label={t("ui.about.correct")}
          ref={(field) => field?.focus()}
          onInput={(event) => setText(event.currentTarget.value)}
        />
        <div class="row end">
          <button type="button" onClick={onClose}>
            {t("ui.cancel")}
          </button>
          <button type="submit" class="primary" disabled={!text.trim()}>
            {t("ui.about.save")}
          </button>
        </div>
      </form>
    </li>
  );
}

/** The sentence that a chip of a reply leads to, with where it comes from. */
function Asked({ onForget }: { onForget: (statement: StatementView) => void }) {
  const store = useStore();
  const asked = store.memory.asked.value;
  const { path = "", start_line = 0, snippet = "" } = asked ?? {};
  const loaded = useLoad(
    () => store.commands.findStatement({ file: path, line: start_line, text: snippet }),
    [store.files.change.value, store.memory.forgotten.value],
    `${path} ${start_line} ${snippet}`,
  );
  // Otherwise a later visit would show what an earlier reply used.
  useEffect(
    () => () => {
      store.memory.asked.value = null;
    },
    [],
  );
  if (!asked || !loaded.value) return null;
  const { statement } = loaded.value;
  return (
    <section class="statements asked" aria-label={t("ui.about.asked")}>
      <h3>{t("ui.about.asked")}</h3>
      {statement ? (
        <ul>
          <Sentence
            statement={statement}
            words=""
            explained
            again={loaded.again}
            onForget={() => onForget(statement)}
          />
        </ul>
      ) : (
        <p class="quiet-text">{t("ui.about.asked_gone")}</p>
      )}
    </section>
  );
}
