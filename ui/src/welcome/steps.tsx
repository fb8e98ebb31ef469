/** Steps of the first start: who the pet is, and the last one; and the foot that all steps share. */
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { SettingsView, TemplateInfo } from "../bindings";
import { ExtraLinks, Option, SCROLLS } from "../components/controls";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { Markdown } from "../markdown/markdown";
import { Row, type SettingsForm } from "../settings/form";
import { SoulGallery } from "../settings/pets";
import { Shortcut, useTakenShortcuts } from "../settings/shortcuts";
import { useStore } from "../state/context";
import { language, t } from "../texts";

interface StepFooterProps {
  onLeave?: () => void;
  onBack?: () => void;
  /** what is missing, above the buttons */
  note?: string;
  /** label of the button that goes on */
  children: ComponentChildren;
}

export function StepFooter({ onLeave, onBack, note = "", children }: StepFooterProps) {
  return (
    <footer>
      <p class="note" role="status">
        {note}
      </p>
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

interface HelloProps {
  form: SettingsForm;
  talk: boolean;
  onBack: () => void;
  onDone: () => void;
}

export function HelloStep({ form, talk, onBack, onDone }: HelloProps) {
  const store = useStore();
  const app = store.app.value;
  const { settings } = form;
  const speaks =
    settings !== null && (settings.greetings !== "off" || settings.reminder_bubbles || settings.ask_after);
  return (
    <section class="welcome-step" aria-label={t("welcome.step_3")}>
      <ul class="assurances">
        <li>
          <Icon name="paw" />
          <p>{t("welcome.hello.click")}</p>
        </li>
        {settings && (
          <li>
            <Icon name="bell" />
            <Switch
              id="first-words"
              label={t("welcome.hello.first_words")}
              on={speaks}
              onChange={(on) =>
                void form.change({ greetings: on ? "daily" : "off", reminder_bubbles: on, ask_after: on })
              }
            />
          </li>
        )}
        {settings && app?.abilities.includes("shortcuts") && <AskOffer form={form} settings={settings} />}
        <li>
          <Icon name="file" />
          <p>{t("welcome.hello.files")}</p>
        </li>
      </ul>
      <StepFooter onBack={onBack}>
        <button type="button" class="primary big" onClick={onDone}>
          {t(talk ? "welcome.hello.talk" : "welcome.hello.done")}
        </button>
      </StepFooter>
    </section>
  );
}

interface SwitchProps {
  id: string;
  label: string;
  on: boolean;
  onChange: (on: boolean) => void;
}

function Switch({ id, label, on, onChange }: SwitchProps) {
  return (
    <div class="first-words">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="checkbox"
        role="switch"
        checked={on}
        aria-checked={on}
        onChange={(event) => onChange(event.currentTarget.checked)}
      />
    </div>
  );
}

/** Keys that few programs use; the owner may choose others. */
const ASK_KEYS = "Ctrl+Alt+Q";

/** The shortcut for questions about what is selected: off until the owner sets it here or in the settings. */
function AskOffer({ form, settings }: { form: SettingsForm; settings: SettingsView }) {
  const taken = useTakenShortcuts();
  const sees = useStore().app.value?.abilities.includes("selection") === true;
  return (
    <li>
      <Icon name="keyboard" />
      <div>
        <Switch
          id="ask-offer"
          label={t(sees ? "welcome.hello.ask" : "welcome.hello.ask_copied")}
          on={settings.shortcut_ask !== ""}
          onChange={(on) => void form.change({ shortcut_ask: on ? ASK_KEYS : "" })}
        />
        {settings.shortcut_ask && <Shortcut form={form} settings={settings} name="shortcut_ask" taken={taken} />}
      </div>
    </li>
  );
}

/** a number: that extra's source */
type Way = "template" | "talk" | "keep" | number;

/** The choice of this step, kept for going back. `given`: the name that came with the personality. */
export interface Who {
  way: Way;
  chosen: string;
  name: string;
  given: string;
}

interface SoulProps {
  kept: { current: Who | null };
  /** SOUL.md is the owner's already */
  ownSoul: boolean;
  demo: boolean;
  onLeave: () => void;
  onBack: () => void;
  /** the body of the chosen personality, or "" */
  onBody: (body: string) => void;
  /** `talk`: the first conversation is about both */
  onNext: (talk: boolean) => void;
}

export function SoulStep({ kept, ownSoul, demo, onLeave, onBack, onBody, onNext }: SoulProps) {
  const store = useStore();
  const [way, setWay] = useState<Way>(kept.current?.way ?? (ownSoul ? "keep" : "template"));
  const [chosen, setChosen] = useState(kept.current?.chosen ?? "");
  const [name, setName] = useState(kept.current?.name ?? "");
  const given = useRef(kept.current?.given ?? "");
  const [busy, setBusy] = useState(false);
  const loaded = useLoad(() => store.commands.listTemplates(), [language.value]);
  const souls = loaded.value?.templates.filter((each) => each.file === "SOUL.md" && each.name !== "") ?? [];
  const soul = souls.find((each) => each.id === chosen);

  useEffect(() => {
    const first = soul ?? souls[0];
    if (first) choose(first);
  }, [loaded.value]);

  useEffect(() => onBody(way === "template" ? (soul?.body ?? "") : ""), [way, soul?.body]);

  useEffect(() => {
    kept.current = { way, chosen, name, given: given.current };
  });

  function choose(each: TemplateInfo): void {
    // A name the owner typed stays; one that came with a personality is replaced with it.
    if (name.trim() === "" || name === given.current) setName(each.name);
    given.current = each.name;
    setChosen(each.id);
  }

  async function called(wanted: string): Promise<void> {
    const app = store.app.value;
    if (!app || !wanted || wanted === app.pet_name) return;
    await store.commands.renamePet({ pet: app.pet, name: wanted });
    await store.loadApp();
  }

  async function next(): Promise<void> {
    setBusy(true);
    const done =
      way !== "template" ||
      !soul ||
      (await store.notices.attempt(async () => {
        const wanted = name.trim() || soul.name;
        await called(wanted);
        await store.commands.chooseSoul({ template: soul.id, name: wanted });
        return true;
      }));
    setBusy(false);
    if (done) onNext(way === "talk" && !demo);
  }

  return (
    <section class="welcome-step" aria-label={t("welcome.step_2")}>
      <p>{t("welcome.who.text")}</p>
      <fieldset class="options">
        <legend class="sr">{t("welcome.who.choices")}</legend>
        {ownSoul && (
          <Option
            group="who"
            icon="file"
            label={t("welcome.who.keep")}
            note={t("welcome.who.keep_note")}
            chosen={way === "keep"}
            onChoose={() => setWay("keep")}
          />
        )}
        <Option
          group="who"
          icon="heart"
          label={t("welcome.who.template")}
          note={souls.map((each) => each.name).join(t("ui.list.and"))}
          chosen={way === "template"}
          onChoose={() => setWay("template")}
        >
          <Loading of={loaded} lines={4} />
          <SoulGallery souls={souls} chosen={chosen} onChoose={choose} />
          {soul && (
            <>
              <Row id="welcome-name" label={t("welcome.who.name")}>
                <input
                  id="welcome-name"
                  value={name}
                  maxLength={60}
                  placeholder={soul.name}
                  autocomplete="off"
                  onInput={(event) => setName(event.currentTarget.value)}
                />
              </Row>
              <details class="whole-soul">
                <summary>{t("welcome.who.read")}</summary>
                <section {...SCROLLS} aria-label={soul.title}>
                  <Markdown text={named(soul, name)} onLink={() => undefined} />
                </section>
              </details>
            </>
          )}
        </Option>
        {store.extras.map(
          ({ soulSource }, at) =>
            soulSource && (
              <Option
                key={at}
                group="who"
                icon="user"
                label={soulSource.label()}
                note={soulSource.note()}
                chosen={way === at}
                onChoose={() => setWay(at)}
              >
                <soulSource.View
                  onTaken={(taken) => {
                    void store.notices.attempt(() => called(taken)).then(() => onNext(false));
                  }}
                />
              </Option>
            ),
        )}
        <Option
          group="who"
          icon="chat"
          label={t("welcome.who.talk")}
          note={t(demo ? "welcome.who.talk_demo" : "welcome.who.talk_text")}
          chosen={way === "talk"}
          onChoose={() => setWay("talk")}
        />
      </fieldset>
      <ExtraLinks from="welcome" class="link alone welcome-elsewhere" onLeave={onLeave} />
      <StepFooter onLeave={onLeave} onBack={onBack}>
        {typeof way === "number" || (way === "talk" && demo) ? (
          <button type="button" onClick={() => onNext(false)}>
            {t("welcome.skip")}
          </button>
        ) : (
          <button type="button" class="primary" disabled={busy} onClick={() => void next()}>
            {t("welcome.next")}
          </button>
        )}
      </StepFooter>
    </section>
  );
}

/** The name as the core will write it. */
function named(soul: TemplateInfo, name: string): string {
  const wanted = name.trim().replace(/\s+/g, " ");
  return wanted && soul.name ? soul.text.replaceAll(soul.name, wanted) : soul.text;
}
