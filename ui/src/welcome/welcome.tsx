/**
 * The first start: three steps that can be skipped, gone back to, and resumed after a restart. Shown once per home,
 * in place of the rest of the page; the core keeps the step.
 */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CurrentPet, Portrait } from "../avatar/pet_avatar";
import { Icon } from "../components/icons";
import { Loading, useLoad } from "../components/loading";
import { useSettings } from "../settings/form";
import { useStore } from "../state/context";
import { type Key, LANGUAGES, language, t } from "../texts";
import { HelloStep, SoulStep, type Who } from "./steps";
import { ThinkingStep, type Way } from "./thinking_step";
import "./welcome.css";

const STEPS: Key[] = ["welcome.step_1", "welcome.step_2", "welcome.step_3"];
const TITLES: Key[] = ["welcome.think.title", "welcome.who.title", "welcome.hello.title"];

export function Welcome() {
  const store = useStore();
  const form = useSettings();
  const loaded = useLoad(() => store.commands.getWelcome());
  const welcome = loaded.value;
  const [byTalking, setByTalking] = useState(false);
  const [body, setBody] = useState("");
  const way = useRef<Way | null>(null);
  const who = useRef<Who | null>(null);
  const page = useRef<HTMLElement>(null);
  const question = useRef<HTMLHeadingElement>(null);
  const app = store.app.value;
  const step = app?.welcome ?? 1;
  const answers = app
    ? app.demo || app.local_model !== "" || ((app.key.set || !app.key_needed) && app.model !== "")
    : false;
  const thinks = answers && !app?.unchosen; // what answers until something is chosen has no tick

  useEffect(() => {
    void store.notices.attempt(() => store.commands.showWelcome());
  }, []);

  useLayoutEffect(() => {
    // A new step starts at its top, for readers and screen readers.
    if (page.current) page.current.scrollTop = 0;
    question.current?.focus({ preventScroll: true });
  }, [step, welcome]);

  async function go(next: number): Promise<void> {
    await store.notices.attempt(async () => {
      await store.commands.saveWelcome({ step: next });
      await store.loadApp();
    });
  }

  async function finish(talk: boolean): Promise<void> {
    await go(0);
    store.navigation.focusComposer();
    const conversation = store.tabs.active.value;
    if (talk && conversation !== null) {
      await store.notices.attempt(() => store.commands.getAcquainted({ conversation }));
    }
  }

  const leave = () => void finish(false);
  if (!form.settings || !welcome) {
    return (
      <main class="page centred">
        <Loading of={form.loaded.failed ? form.loaded : loaded} />
      </main>
    );
  }
  const title = TITLES[step - 1] ?? "welcome.think.title";
  return (
    <main class="welcome" ref={page}>
      <header>
        <Steps step={step} thinks={thinks} />
        <Languages onChoose={(value) => void form.change({ language: value })} />
      </header>
      <div class="welcome-page" key={step}>
        <div class="welcome-pet">
          {step === 2 && body ? <Portrait size={116} body={body} /> : <CurrentPet size={step === 3 ? 168 : 116} />}
          <h1 class="speech" ref={question} tabIndex={-1}>
            {sentences(t(title, { name: store.app.value?.pet_name ?? "" })).map((each) => (
              <span key={each}>{each}</span>
            ))}
          </h1>
        </div>
        <h2 class="sr">{t(STEPS[step - 1] ?? "welcome.step_1")}</h2>
        {step === 1 && <ThinkingStep form={form} kept={way} onNext={() => void go(2)} onLeave={leave} />}
        {step === 2 && (
          <SoulStep
            kept={who}
            ownSoul={welcome.own_soul}
            demo={form.settings.demo}
            onLeave={leave}
            onBack={() => void go(1)}
            onBody={setBody}
            onNext={(talk) => {
              setByTalking(talk);
              void go(3);
            }}
          />
        )}
        {step === 3 && (
          <HelloStep form={form} talk={byTalking} onBack={() => void go(2)} onDone={() => void finish(byTalking)} />
        )}
      </div>
    </main>
  );
}

/** Chinese sentences have no space between them for a line to break at first. */
function sentences(words: string): string[] {
  return words.split(/(?<=[。！？])/);
}

/** A passed step has a tick; the first only if a model is set. */
function Steps({ step, thinks }: { step: number; thinks: boolean }) {
  return (
    <ol class="steps" aria-label={t("welcome.steps")}>
      {STEPS.map((key, at) => (
        <li key={key} aria-current={step === at + 1 ? "step" : undefined} class={at + 1 < step ? "past" : ""}>
          <span class="step-number" aria-hidden="true">
            {at + 1 < step && (at > 0 || thinks) ? <Icon name="check" /> : at + 1}
          </span>
          <span class="step-name sr-narrow">{t(key)}</span>
        </li>
      ))}
    </ol>
  );
}

function Languages({ onChoose }: { onChoose: (value: string) => void }) {
  return (
    <fieldset class="segments small">
      <legend class="sr">{t("welcome.language")}</legend>
      {LANGUAGES.map((each) => (
        <label key={each} class={language.value === each ? "chosen" : undefined} lang={each}>
          <input
            type="radio"
            class="sr"
            name="welcome-language"
            checked={language.value === each}
            onChange={() => onChoose(each)}
          />
          {t(`ui.look.${each}`)}
        </label>
      ))}
    </fieldset>
  );
}
