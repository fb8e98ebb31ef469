/** The demo: its line above the composer, and its tour, played by the page alone (nothing is sent or stored). */

import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { CurrentPet } from "../avatar/pet_avatar";
import { Icon } from "../components/icons";
import { useStore } from "../state/context";
import { type Key, spaceAfter, t } from "../texts";
import "./demo.css";

export function DemoBar() {
  const store = useStore();
  const app = store.app.value;
  if (!app?.demo && !app?.unchosen) return null;
  return (
    <div class="demo-bar" role="status">
      <Icon name="spark" />
      <p>{app.demo ? t("welcome.demo.bar") : t("welcome.demo.meanwhile", { model: app.local_model })}</p>
      <button type="button" class="link" onClick={() => store.navigation.openSettings("model")}>
        {t("demo.choose")}
      </button>
    </div>
  );
}

const FACTS: Key[] = ["demo.fact_tea", "demo.fact_cat", "demo.fact_climb"];
const LONGEST = 120;

type Scene = "ask" | "noted" | "next_day" | "off" | "end";
const NEXT: Record<Scene, Scene> = { ask: "noted", noted: "next_day", next_day: "off", off: "end", end: "end" };
const ORDER: Scene[] = ["ask", "noted", "next_day", "off", "end"];

export function DemoTour() {
  const store = useStore();
  const [scene, setScene] = useState<Scene>("ask");
  const [fact, setFact] = useState("");
  const past = (wanted: Scene) => ORDER.indexOf(scene) >= ORDER.indexOf(wanted);
  const go = () => setScene(NEXT[scene]);
  const way = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (scene !== "ask") way.current?.scrollIntoView?.({ block: "end" });
  }, [scene]);

  function tell(text: string): void {
    const fact = text.trim().slice(0, LONGEST);
    if (!fact) return;
    setFact(fact);
    setScene("noted");
  }

  useLayoutEffect(() => {
    store.navigation.listener.value = scene === "ask" ? tell : null;
    store.navigation.demoOff.value = past("off");
    return () => {
      store.navigation.listener.value = null;
      store.navigation.demoOff.value = false;
    };
  }, [scene]);

  return (
    <section class="demo-tour" aria-label={t("demo.label")} aria-live="polite">
      <CurrentPet act={past("noted") ? "remembered" : undefined} />
      <Pet words={t("demo.ask")} />
      {scene === "ask" && (
        <div class="beginnings">
          {FACTS.map((key) => (
            <button type="button" class="chip" key={key} onClick={() => tell(t(key))}>
              {t(key)}
            </button>
          ))}
        </div>
      )}
      {past("noted") && (
        <>
          <Owner words={fact} />
          <Pet words={t("demo.noted")} />
          <div class="receipts">
            <p class="receipt">
              <span class="sprout" aria-hidden="true">
                🌱
              </span>
              <span class="receipt-text">
                <span class="receipt-lead">{t("ui.receipt.lead")}</span>
                {spaceAfter(t("ui.receipt.lead"))}
                <span dir="auto">{fact}</span>
              </span>
            </p>
          </div>
          <p class="quiet-text">{t("demo.noted_note")}</p>
        </>
      )}
      {past("next_day") && (
        <>
          <Line words={t("demo.next_day")} />
          <Owner words={t("demo.question")} />
          <Pet words={t("demo.knows", { fact })} />
        </>
      )}
      {past("off") && (
        <>
          <Line words={t("ui.divider.off")} off />
          <Owner words={t("demo.question")} />
          <Pet words={t("demo.knows_not")} />
          <p class="quiet-text">{t("demo.off_note")}</p>
        </>
      )}
      <div class="demo-way" ref={way}>
        {(scene === "noted" || scene === "next_day" || scene === "off") && (
          <button type="button" class="primary" onClick={go}>
            {t(scene === "noted" ? "demo.go_next_day" : scene === "next_day" ? "demo.go_off" : "demo.go_end")}
          </button>
        )}
        {scene === "end" && (
          <>
            <p>{t("demo.end")}</p>
            <button type="button" class="primary" onClick={() => store.navigation.openSettings("model")}>
              <Icon name="bulb" />
              {t("demo.choose")}
            </button>
            <button type="button" class="link soft" onClick={() => setScene("ask")}>
              {t("demo.again")}
            </button>
          </>
        )}
      </div>
    </section>
  );
}

function Owner({ words }: { words: string }) {
  return (
    <div class="owner">
      <div class="said">
        <div class="bubble" dir="auto">
          {words}
        </div>
      </div>
    </div>
  );
}

function Pet({ words }: { words: string }) {
  return (
    <div class="pet-reply">
      <div class="bubble" dir="auto">
        {words}
      </div>
    </div>
  );
}

function Line({ words, off = false }: { words: string; off?: boolean }) {
  return (
    <div class="divider">
      <p>
        <Icon name={off ? "brain" : "calendar"} slashed={off} />
        {words}
      </p>
    </div>
  );
}
