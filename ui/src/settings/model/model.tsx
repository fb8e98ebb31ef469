/** Fields of a connection to a model: address, model name, API key (write-only), and the test of all three. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import {
  type ArgsOf,
  type ConnectionInfo,
  type ErrorInfo,
  type ModelList,
  PRESETS,
  type SettingsView,
  type TestReply,
  type WindowInfo,
} from "../../bindings";
import { Icon } from "../../components/icons";
import { Confirm } from "../../components/overlays";
import { useStore } from "../../state/context";
import { errorText, inARow, KEYRING_LOCKED, type Key, locale, t } from "../../texts";
import { type Changes, Choice, Row } from "../form";

/** Saves the unsaved key; resolves to whether that worked. Null: nothing is unsaved. */
export interface Unsaved {
  current: (() => Promise<boolean>) | null;
}

interface KeyProps {
  connection: Pick<ConnectionInfo, "id" | "host" | "key" | "key_needed">;
  /** its address: what is typed for one is not for another */
  url: string;
  unsaved: Unsaved;
  onSaved?: () => void;
}

/**
 * The key field, write-only: what is typed goes to the core and does not stay here. It is the same element for every
 * address, so that Tab from an address that was changed stays in it.
 */
export function KeyField({ connection, url, unsaved, onSaved }: KeyProps) {
  const store = useStore();
  const { host } = connection;
  const key_needed = connection.key_needed || store.connections.keyAsked.value === connection.id;
  const { set, source, last4, keyring_available: keyring, locked } = connection.key;
  const [key, setKey] = useState("");
  const id = `key-${connection.id}`;
  const [forgetting, setForgetting] = useState(false);
  const [chosen, setChosen] = useState<Keeping | null>(null);
  // Never a file unasked.
  const keep = chosen ?? (keyring ? "keyring" : source === "file" ? "file" : "session");
  const earlier = useRef(url);
  useLayoutEffect(() => {
    setKey("");
    if (earlier.current !== url && store.connections.keyAsked.value === connection.id)
      store.connections.keyAsked.value = "";
    earlier.current = url;
  }, [url]);
  useEffect(
    () => () => {
      unsaved.current = null;
    },
    [unsaved],
  );

  async function save(): Promise<boolean> {
    const sent = key.trim();
    if (!sent) return false;
    const state = await store.notices.attempt(() =>
      store.commands.setKey({ connection: connection.id, key: sent, keep }),
    );
    if (!state) return false;
    setKey("");
    await store.notices.attempt(() => Promise.all([store.connections.load(), store.loadApp()]));
    onSaved?.();
    return true;
  }
  unsaved.current = key.trim() ? save : null;

  const none = locked ? errorText(KEYRING_LOCKED) : t("ui.key.none");
  const status = set ? t(`ui.key.source_${source}`, { last4 }) : key_needed ? none : t("ui.key.not_needed");
  return (
    <div class="key-block">
      <Row id={id} label={t("ui.key.label", { host })} note={status}>
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <input
            id={id}
            type="password"
            autocomplete="off"
            spellcheck={false}
            value={key}
            placeholder={set ? t("ui.key.replace") : t("ui.key.enter")}
            onInput={(event) => setKey(event.currentTarget.value)}
          />
          <button type="submit" disabled={!key.trim()}>
            {t("ui.key.save")}
          </button>
          {set && source !== "environment" && (
            <button type="button" onClick={() => setForgetting(true)}>
              {t("ui.key.delete")}
            </button>
          )}
        </form>
      </Row>
      {(key || (key_needed && !set && !keyring)) && (
        <Keep name={`keep-${connection.id}`} keep={keep} keyring={keyring} onChange={setChosen} />
      )}
      {forgetting && (
        <Confirm
          title={t("ui.key.delete_title", { host })}
          text={t("ui.key.delete_text")}
          action={t("ui.key.delete")}
          onClose={() => setForgetting(false)}
          onConfirm={() =>
            void store.notices.attempt(async () => {
              await store.commands.deleteKey({ connection: connection.id });
              await Promise.all([store.connections.load(), store.loadApp()]);
            })
          }
        />
      )}
    </div>
  );
}

export type Keeping = ArgsOf<"set_key">["keep"];

interface KeepProps {
  name: string;
  keep: Keeping;
  /** whether there is one */
  keyring: boolean;
  onChange: (keep: Keeping) => void;
}

/** Where a secret is kept. */
export function Keep({ name, keep, keyring, onChange }: KeepProps) {
  const options: { value: Keeping; label: string }[] = [
    ...(keyring ? [{ value: "keyring" as const, label: t("ui.key.keep_keyring") }] : []),
    { value: "session", label: t("ui.key.keep_session") },
    { value: "file", label: t("ui.key.keep_file") },
  ];
  return (
    <>
      <Choice
        label={t("ui.key.keep")}
        name={name}
        value={keep}
        options={options}
        onChange={(value) => onChange(value === "keyring" || value === "file" ? value : "session")}
      />
      {keep === "file" && <p class="note warning">{t("ui.key.file_note")}</p>}
    </>
  );
}

/** Id of the connection with the settings' own address, which the first start sets up. */
export const MAIN = "main";

const [anthropic] = PRESETS;
/** The shipped settings' service: the way back from a local model. */
export const ANTHROPIC = {
  base_url: anthropic.base_url,
  model: anthropic.model,
  connection: MAIN,
  demo: false,
  local_model: "",
};
/** Another address. Names of models don't apply elsewhere: Anthropic's brings its own, any other has none yet. */
export function service(url: string, { base_url, model }: Pick<SettingsView, "base_url" | "model">): Changes {
  const kept = url === base_url || (url === ANTHROPIC.base_url && model.startsWith("claude"));
  return { ...ANTHROPIC, base_url: url, model: kept ? model : url === ANTHROPIC.base_url ? ANTHROPIC.model : "" };
}
/** The link to a service's page for keys; nothing for an unknown address. */
export function KeysLink({ url }: { url: string }) {
  const store = useStore();
  const known = PRESETS.find((each) => each.base_url === url);
  if (!known) return null;
  return (
    <button
      type="button"
      class="link alone keys-link"
      onClick={() => void store.notices.attempt(() => store.commands.openLink({ url: known.keys }))}
    >
      {t("thinking.get_key", { name: known.name })}
    </button>
  );
}

/** Return why a connection was refused; of its address without the setting's name. */
export function refusalText(error: ErrorInfo): string {
  return error.code === "settings_not_an_address" ? t("ui.thinking.bad_address") : errorText(error);
}

/** Whether another key, or one at all, cures a fault. */
export function isKeyFault(error: ErrorInfo | null | undefined): boolean {
  return ["fault_no_key", "fault_bad_key", KEYRING_LOCKED.code].includes(error?.code ?? "");
}

/** In the form itself, these replace the texts that lead to the settings. */
const IN_FORM: Record<string, Key> = {
  fault_no_key: "ui.test.no_key",
  fault_no_model: "ui.test.no_model",
  fault_bad_key: "ui.test.bad_key",
  fault_dns: "ui.test.dns",
  fault_refused_connection: "ui.test.refused_connection",
  fault_redirected: "ui.test.redirected",
  fault_not_an_llm: "ui.test.not_an_llm",
  fault_model_unknown: "ui.test.model_unknown",
};

function faultText(error: ErrorInfo): string {
  const key = IN_FORM[error.code];
  return key ? t(key, error.args) : errorText(error);
}

/** A warning for an address without encryption. */
export function PlainHttp() {
  return (
    <p class="note warning">
      <Icon name="warning" />
      {t("ui.thinking.plain_http")}
    </p>
  );
}

/** Whether the server is on this computer, as the core judges: a host that only begins like localhost is not. */
export function isLocal(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, hostname } = new URL(url);
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (protocol !== "http:") return false;
  return host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(\.\d{1,3}){3}$/.test(host);
}

interface ModelProps {
  connection: string;
  model: string;
  onChange: (model: string) => void;
  /** load the model names automatically once this is true */
  listNow?: boolean;
  /** address and key are above it */
  inForm?: boolean;
}

/** The model's name, with the names that the server lists. */
export function Model({ connection, model, onChange, listNow = false, inForm = true }: ModelProps) {
  const store = useStore();
  const [list, setList] = useState<ModelList | null>(null);
  const [all, setAll] = useState(false);
  const [busy, setBusy] = useState(false);
  const id = `model-${connection}`;

  useEffect(() => {
    if (listNow) void load();
  }, [listNow]);

  async function load(every = false): Promise<void> {
    setBusy(true);
    const reply = await store.notices.attempt(() =>
      store.commands.listModels(every ? { connection, every } : { connection }),
    );
    setList(reply);
    setAll(every);
    setBusy(false);
    const [only, ...others] = reply?.models ?? [];
    if (model === "" && only && others.length === 0) onChange(only);
  }

  return (
    <>
      <Row id={id} label={t("ui.thinking.model")}>
        <div class="inline">
          <input
            id={id}
            key={model}
            defaultValue={model}
            spellcheck={false}
            onChange={(event) => onChange(event.currentTarget.value.trim())}
          />
          <button type="button" disabled={busy} onClick={() => void load()}>
            {t(busy ? "ui.loading" : "ui.thinking.list")}
          </button>
        </div>
      </Row>
      {list?.error && <p class="error-text">{(inForm ? faultText : errorText)(list.error)}</p>}
      {list && !list.error && !all && (
        <button type="button" class="link soft" disabled={busy} onClick={() => void load(true)}>
          {t("ui.thinking.list_all")}
        </button>
      )}
      {list && !list.error && list.models.length === 0 && <p class="note">{t("ui.thinking.no_models")}</p>}
      {list && list.models.length > 0 && (
        <div class="presets models">
          {list.models.map((name) => (
            <button
              type="button"
              key={name}
              class={name === model ? "chip chosen" : "chip"}
              aria-pressed={name === model}
              onClick={() => onChange(name)}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

interface TestProps {
  /** "": the default */
  connection?: string;
  /** of the key field above: what is typed there is saved before the test */
  unsaved?: Unsaved;
  /** what is tested: with another one the last reply goes */
  of?: string;
}

export function Test({ connection = "", unsaved, of = "" }: TestProps) {
  const store = useStore();
  const [last, setLast] = useState<{ of: string; reply: TestReply | null }>({ of, reply: null });
  const [busy, setBusy] = useState(false);
  const latest = useRef(of);
  latest.current = of;
  const reply = last.of === of ? last.reply : null;

  /** What is typed in a field is saved first, as it is when the field is left. */
  async function run(button: HTMLElement): Promise<void> {
    button.focus();
    setBusy(true);
    setLast({ of, reply: null });
    await Promise.all([store.settingsSaved, store.connections.settled()]);
    if (!unsaved?.current || (await unsaved.current())) {
      const saved = store.settingsSaved;
      const answer = await store.notices.attempt(() => store.commands.testConnection({ connection }));
      if (saved === store.settingsSaved) {
        setLast({ of: latest.current, reply: answer });
        if (answer?.error && isKeyFault(answer.error)) store.connections.keyAsked.value = connection || MAIN;
      }
    }
    setBusy(false);
  }

  return (
    <div class="test">
      <button
        type="button"
        class="primary"
        disabled={busy}
        // The press leaves no field: its address is saved then, and what moves would carry the button from the pointer.
        onMouseDown={(event) => event.preventDefault()}
        onClick={(event) => void run(event.currentTarget)}
      >
        {t(busy ? "ui.test.running" : "ui.test.run")}
      </button>
      <p role="status" class={reply && !reply.ok ? "error-text" : "ok-text"}>
        {reply?.ok && (
          <>
            <Icon name="check" />
            {t("ui.test.ok", { model: reply.model, seconds: seconds(reply.milliseconds) })}
          </>
        )}
        {reply?.error && (unsaved ? faultText(reply.error) : errorText(reply.error))}
      </p>
      {reply?.window && <WindowNote window={reply.window} />}
    </div>
  );
}

/** Seconds with one digit, at least a tenth, as they are written in the page's language. */
function seconds(milliseconds: number): string {
  const digits = { minimumFractionDigits: 1, maximumFractionDigits: 1 };
  return Math.max(0.1, milliseconds / 1000).toLocaleString(locale(), digits);
}

/** The tokens assumed of a model of an unknown window, as in `pet/prompt/budget.py`. */
const ASSUMED_WINDOW = 32_000;
const SUGGESTED_WINDOW = 32_768;

function WindowNote({ window: { tokens, source, possible } }: { window: WindowInfo }) {
  const shown = (count: number) => count.toLocaleString(locale());
  return (
    <p class="hint">
      {inARow(
        t(`ui.test.window_${source}`, { tokens: shown(tokens || ASSUMED_WINDOW) }),
        possible > 0 &&
          t("ui.test.window_cuts", {
            possible: shown(possible),
            suggested: String(Math.min(possible, SUGGESTED_WINDOW)),
          }),
      )}
    </p>
  );
}
