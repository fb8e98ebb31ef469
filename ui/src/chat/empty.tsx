/** An empty conversation: a greeting, suggested beginnings, and the way to a key if one is missing. */
import { useEffect, useRef, useState } from "preact/hooks";
import { CurrentPet } from "../avatar/pet_avatar";
import type { WelcomeState } from "../bindings";
import { Icon } from "../components/icons";
import { useLoad } from "../components/loading";
import { useStore } from "../state/context";
import { errorText, KEYRING_LOCKED, type Key, t } from "../texts";
import { isKeyless, KeyPrompt } from "./missing_key";

const GAP = /…/;
/** What the demo can do. */
const DEMO: Key[] = ["demo.try_remember", "demo.try_remind", "demo.try_search"];

/** Return suggested beginnings for the hour; nobody is asked for the name that they told. */
function beginnings(hour: number, memory: boolean, acquainted: boolean): Key[] {
  const time = hour < 5 || hour >= 22 ? "night" : hour < 11 ? "morning" : hour < 18 ? "day" : "evening";
  const last: Key = `ui.empty.begin_${time}`;
  if (!memory) return ["ui.empty.begin_hello", "ui.empty.begin_story", last];
  return acquainted
    ? ["ui.empty.begin_known", "ui.empty.begin_story", last]
    : ["ui.empty.begin_hello", "ui.empty.begin_name", last];
}

type Acquaintance = Pick<WelcomeState, "strangers" | "acquainted">;
const UNKNOWN: Acquaintance = { strangers: false, acquainted: false };

/** How well pet and owner know each other. Loaded only where memory is on. */
function useAcquaintance(enabled: boolean): Acquaintance {
  const store = useStore();
  const ask = async () => (enabled ? store.commands.getWelcome() : UNKNOWN);
  return useLoad<Acquaintance>(ask, [store.files.change.value], enabled).value ?? UNKNOWN;
}

interface Props {
  temporary: boolean;
  /** whether memory is on here */
  memory: boolean;
}

export function Empty({ temporary, memory }: Props) {
  const store = useStore();
  const app = store.app.value;
  const demo = app?.demo === true;
  const [greeting, setGreeting] = useState("");
  const sending = useRef(false);
  const { strangers, acquainted } = useAcquaintance(memory && !temporary && !demo);

  useEffect(() => {
    Promise.all(store.extras.map((each) => each.greeting?.() ?? "")).then(
      (texts) => setGreeting(texts.find(Boolean) ?? ""),
      () => setGreeting(""),
    );
  }, [app?.pet_name]);

  /** Start the first talk, in which the pet speaks first. */
  async function getToKnow(): Promise<void> {
    const conversation = store.tabs.active.value;
    if (!conversation) return;
    store.navigation.focusComposer();
    await store.notices.attempt(() => store.commands.getAcquainted({ conversation }));
  }

  /** Send a complete sentence; put one with a gap into the field. */
  async function begin(text: string): Promise<void> {
    const conversation = store.tabs.active.value;
    if (!conversation) return;
    store.navigation.focusComposer();
    if (GAP.test(text)) return store.drafts.set(conversation, text);
    if (sending.current) return;
    sending.current = true;
    await store.notices.attempt(() => store.commands.sendMessage({ conversation, text }));
    sending.current = false;
  }

  return (
    <div class="empty">
      <CurrentPet />
      <h2>{acquainted ? t("ui.empty.again") : t("ui.empty.title", { name: app?.pet_name ?? "" })}</h2>
      <p class="greeting">
        {temporary ? t("ui.empty.temporary") : greeting || t(demo ? "demo.text" : "ui.empty.text")}
      </p>
      {app?.small && <p class="quiet-text">{t(`ui.empty.${app.small}`, { model: app.local_model || app.model })}</p>}
      {isKeyless(app) ? (
        <div class="no-key">
          <p>{app.key.locked ? errorText(KEYRING_LOCKED) : t("ui.empty.no_key", { host: app.host })}</p>
          <KeyPrompt onSaved={() => store.navigation.focusComposer()}>
            <button type="button" class="link" onClick={() => store.navigation.openSettings("model")}>
              {t("ui.empty.to_settings")}
            </button>
          </KeyPrompt>
        </div>
      ) : (
        <div class="beginnings">
          {strangers && (
            <button type="button" class="chip chosen" onClick={() => void getToKnow()}>
              <Icon name="heart" />
              {t("ui.empty.begin_both")}
            </button>
          )}
          {(demo && memory ? DEMO : beginnings(new Date().getHours(), memory, acquainted)).map((key) => (
            <button type="button" class="chip" key={key} onClick={() => void begin(t(key))}>
              {t(key)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}
