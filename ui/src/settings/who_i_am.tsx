/** Settings > Who I am: the pet with its soul, what shows in it today, how it looks, and the other pets. */
import { CurrentPet } from "../avatar/pet_avatar";
import { Icon } from "../components/icons";
import { useLoad } from "../components/loading";
import { plain } from "../markdown/plain";
import { CopiesNotice } from "../memory/copies";
import { placeName } from "../memory/places";
import { useStore } from "../state/context";
import { t } from "../texts";
import { OPTIONAL } from "./editor/files";
import { FileLink } from "./file_link";
import { Problems, useSettings } from "./form";
import { Looks } from "./looks";
import { Pets } from "./pets";
import { Rows } from "./rows";
import "./who_i_am.css";

export function WhoIAm() {
  const store = useStore();
  const form = useSettings();
  const Skins = store.extras.find((each) => each.Looks)?.Looks ?? Looks;
  return (
    <>
      <Soul />
      <CopiesNotice of={(file) => file === "SOUL.md" || OPTIONAL.includes(file)} />
      <Life />
      <Problems form={form} />
      <Skins />
      {form.settings && <Rows at="looks" form={form} settings={form.settings} />}
      <Pets />
    </>
  );
}

function Soul() {
  const store = useStore();
  const version = store.files.versionsOf((file) => file === "SOUL.md");
  const soul = useLoad(() => store.commands.readFile({ file: "SOUL.md" }), [version]);

  return (
    <section class="who" aria-label={store.app.value?.pet_name}>
      <CurrentPet size={72} />
      <div class="who-text">
        <p>
          <b dir="auto">{store.app.value?.pet_name}</b> <FileLink name="SOUL.md" />
        </p>
        <p>{soul.value && (firstSentence(soul.value.text) || t("ui.overview.no_soul"))}</p>
      </div>
      <button type="button" onClick={() => store.openFile("SOUL.md")}>
        <Icon name="pencil" />
        {t("ui.soul.edit")}
      </button>
      {store.extras.map(({ BesideSoul }, at) => BesideSoul && <BesideSoul key={at} />)}
    </section>
  );
}

/** What of the life together shows in the pet today, and why; nothing where nothing does. */
function Life() {
  const store = useStore();
  const version = store.files.versionsOf((file) => file !== "SOUL.md");
  const due = store.memory.reminders.value?.due.length;
  const on = [version, store.paused.value, due, store.memory.forgotten.value];
  const life = useLoad(() => store.commands.listLife(), on);
  if (!life.value || life.value.reasons.length === 0) return null;
  return (
    <section class="life">
      <b>{t("ui.overview.life")}</b>
      <ul>
        {life.value.reasons.map(({ text, file, line }) => (
          <li key={text} dir="auto">
            {text}
            {file && <span class="quiet-text" data-tip={`${file}:${line}`}>{` ${placeName(file)}`}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}

const LONGEST_SENTENCE = 140;

/** Return the first sentence of a soul that is no heading, at most 140 characters. */
export function firstSentence(soul: string): string {
  const line = soul.split("\n").find((each) => /\p{L}/u.test(each) && !/^\s*(#|<!--|---)/.test(each)) ?? "";
  const words = plain(line).trim();
  const sentence = /^.*?[.!?\u3002\uff01\uff1f](?=\s|$|\p{L})/u.exec(words)?.[0] ?? words;
  const letters = [...sentence];
  return letters.length <= LONGEST_SENTENCE ? sentence : `${letters.slice(0, LONGEST_SENTENCE - 1).join("")}\u2026`;
}
