/** Which model thinks for the pet: address, key, model and effort, with a test that says what is wrong. */
import { useState } from "preact/hooks";
import type { KeyArgs, ModelList, ServerInfo, TestReply } from "../bindings";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { errorText, hasKey, t, tn } from "../texts";
import { Choice, Problems, Row, type SettingsForm, useSettings } from "./form";

/** Services that speak the Messages protocol. */
export const SERVICES = [
  { name: "Anthropic", url: "https://api.anthropic.com" },
  { name: "DeepSeek", url: "https://api.deepseek.com/anthropic" },
  { name: "Kimi", url: "https://api.moonshot.cn/anthropic" },
  { name: "GLM", url: "https://open.bigmodel.cn/api/anthropic" },
];
/** What the shipped settings say: the way back from a model on this computer. */
export const ANTHROPIC = { base_url: "https://api.anthropic.com", model: "claude-haiku-5-5", demo: false };
const EFFORTS = ["", "low", "medium", "high", "xhigh", "max"];

export function Thinking() {
  const form = useSettings();
  const { settings } = form;
  return (
    <>
      <h2>{t("ui.section.thinking")}</h2>
      <p class="note">{t("ui.thinking.note")}</p>
      <Problems form={form} />
      {settings && (
        <>
          {settings.demo && (
            <p class="demo-note" role="status">
              <Icon name="spark" />
              {t("thinking.demo_on")}
            </p>
          )}
          <Address form={form} />
          <KeyField />
          <Model form={form} />
          <Row
            id="effort"
            label={t("ui.thinking.effort")}
            note={t("ui.thinking.effort_note")}
            setting="effort"
            form={form}
          >
            <select
              id="effort"
              value={settings.effort}
              onChange={(event) => void form.change({ effort: event.currentTarget.value })}
            >
              {EFFORTS.map((effort) => (
                <option key={effort} value={effort}>
                  {effortName(effort)}
                </option>
              ))}
            </select>
          </Row>
          <Test />
        </>
      )}
    </>
  );
}

function effortName(effort: string): string {
  const key = `ui.effort.${effort}`;
  return hasKey(key) ? t(key) : effort || t("ui.thinking.effort_default");
}

function Address({ form }: { form: SettingsForm }) {
  const url = form.settings?.base_url ?? "";
  const demo = form.settings?.demo === true;
  const plain = /^http:/i.test(url) && !/^http:\/\/(localhost|127\.|\[::1\])/i.test(url);
  return (
    <>
      <Row
        id="base-url"
        label={t("ui.thinking.address")}
        note={t("ui.thinking.address_note")}
        setting="base_url"
        form={form}
      >
        <input
          id="base-url"
          type="url"
          key={url}
          defaultValue={url}
          spellcheck={false}
          onChange={(event) => void form.change({ base_url: event.currentTarget.value.trim(), demo: false })}
        />
      </Row>
      <div class="presets">
        {SERVICES.map((preset) => (
          <button
            type="button"
            key={preset.url}
            class={preset.url === url && !demo ? "chip chosen" : "chip"}
            aria-pressed={preset.url === url && !demo}
            onClick={() => void form.change({ base_url: preset.url, demo: false })}
          >
            {preset.name}
          </button>
        ))}
        <button
          type="button"
          class={demo ? "chip chosen" : "chip"}
          aria-pressed={demo}
          onClick={() => void form.change({ demo: !demo })}
        >
          {t("welcome.demo.name")}
        </button>
      </div>
      <LocalServers form={form} />
      {plain && (
        <p class="note warning">
          <Icon name="warning" />
          {t("ui.thinking.plain_http")}
        </p>
      )}
    </>
  );
}

/** Looked for when the owner asks, and only on this computer. */
function LocalServers({ form }: { form: SettingsForm }) {
  const store = useStore();
  const [servers, setServers] = useState<ServerInfo[] | null>(null);
  const [busy, setBusy] = useState(false);
  const { settings } = form;

  async function look(): Promise<void> {
    setBusy(true);
    const found = await store.attempt(() => store.commands.findServers());
    setServers(found?.servers ?? null);
    setBusy(false);
  }

  function use({ base_url, models }: ServerInfo): void {
    const model = settings && models.includes(settings.model) ? settings.model : (models[0] ?? "");
    void form.change({ base_url, model, demo: false });
  }

  return (
    <fieldset class="presets local-servers">
      <legend class="sr">{t("thinking.local")}</legend>
      <button type="button" class="quiet-button" disabled={busy} onClick={() => void look()}>
        <Icon name="search" />
        {t(busy ? "welcome.think.looking" : "thinking.look")}
      </button>
      {servers?.map((server) => (
        <button
          type="button"
          key={server.base_url}
          class={server.base_url === settings?.base_url ? "chip chosen" : "chip"}
          aria-pressed={server.base_url === settings?.base_url}
          onClick={() => use(server)}
        >
          {tn("welcome.think.found_one", "welcome.think.found", server.models.length, { name: server.name })}
        </button>
      ))}
      <p class="note" role="status">
        {servers?.length === 0 && t("welcome.think.none")}
      </p>
    </fieldset>
  );
}

interface KeyProps {
  /** set while something typed is not saved: saving it, and whether that worked */
  unsaved?: { current: (() => Promise<boolean>) | null };
}

/** Write-only: what is typed goes to the core and is gone from here. */
export function KeyField({ unsaved }: KeyProps) {
  const store = useStore();
  const app = store.app.value;
  const keyring = app?.key.keyring_available === true;
  const [key, setKey] = useState("");
  const [keep, setKeep] = useState<KeyArgs["keep"]>(keyring ? "keyring" : "session");
  if (!app) return null;
  const { set, source, last4 } = app.key;

  async function save(): Promise<boolean> {
    const sent = key.trim();
    if (!sent) return false;
    const state = await store.attempt(() => store.commands.setKey({ key: sent, keep }));
    if (!state) return false;
    setKey("");
    await store.attempt(() => store.loadApp());
    return true;
  }
  if (unsaved) unsaved.current = key.trim() ? save : null;

  const status = set
    ? t(`ui.key.source_${source}`, { last4 })
    : t(app.key_needed ? "ui.key.none" : "ui.key.not_needed");
  const options: { value: KeyArgs["keep"]; label: string }[] = [
    ...(keyring ? [{ value: "keyring" as const, label: t("ui.key.keep_keyring") }] : []),
    { value: "session", label: t("ui.key.keep_session") },
    { value: "file", label: t("ui.key.keep_file") },
  ];
  return (
    <div class="key-block">
      <Row id="key" label={t("ui.key.label", { host: app.host })} note={status}>
        <form
          class="inline"
          onSubmit={(event) => {
            event.preventDefault();
            void save();
          }}
        >
          <input
            id="key"
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
            <button
              type="button"
              onClick={() =>
                void store.attempt(async () => {
                  await store.commands.deleteKey();
                  await store.loadApp();
                })
              }
            >
              {t("ui.key.delete")}
            </button>
          )}
        </form>
      </Row>
      {key && (
        <>
          <Choice
            label={t("ui.key.keep")}
            name="keep"
            value={keep}
            options={options}
            onChange={(value) => setKeep(value === "keyring" || value === "file" ? value : "session")}
          />
          {keep === "file" && <p class="note warning">{t("ui.key.file_note")}</p>}
        </>
      )}
    </div>
  );
}

export function Model({ form }: { form: SettingsForm }) {
  const store = useStore();
  const [list, setList] = useState<ModelList | null>(null);
  const [busy, setBusy] = useState(false);
  const model = form.settings?.model ?? "";

  async function load(): Promise<void> {
    setBusy(true);
    setList(await store.attempt(() => store.commands.listModels()));
    setBusy(false);
  }

  return (
    <>
      <Row id="model" label={t("ui.thinking.model")} setting="model" form={form}>
        <div class="inline">
          <input
            id="model"
            key={model}
            defaultValue={model}
            spellcheck={false}
            onChange={(event) => void form.change({ model: event.currentTarget.value.trim() })}
          />
          <button type="button" disabled={busy} onClick={() => void load()}>
            {t(busy ? "ui.loading" : "ui.thinking.list")}
          </button>
        </div>
      </Row>
      {list?.error && <p class="error-text">{errorText(list.error)}</p>}
      {list && !list.error && list.models.length === 0 && <p class="note">{t("ui.thinking.no_models")}</p>}
      {list && list.models.length > 0 && (
        <div class="presets models">
          {list.models.map((name) => (
            <button
              type="button"
              key={name}
              class={name === model ? "chip chosen" : "chip"}
              aria-pressed={name === model}
              onClick={() => void form.change({ model: name })}
            >
              {name}
            </button>
          ))}
        </div>
      )}
    </>
  );
}

export function Test() {
  const store = useStore();
  const [reply, setReply] = useState<TestReply | null>(null);
  const [busy, setBusy] = useState(false);

  async function run(): Promise<void> {
    setBusy(true);
    setReply(null);
    setReply(await store.attempt(() => store.commands.testConnection()));
    setBusy(false);
  }

  return (
    <div class="test">
      <button type="button" class="primary" disabled={busy} onClick={() => void run()}>
        {t(busy ? "ui.test.running" : "ui.test.run")}
      </button>
      <p role="status" class={reply && !reply.ok ? "error-text" : "ok-text"}>
        {reply?.ok && (
          <>
            <Icon name="check" />
            {t("ui.test.ok", { model: reply.model, seconds: (reply.milliseconds / 1000).toFixed(1) })}
          </>
        )}
        {reply?.error && errorText(reply.error)}
      </p>
    </div>
  );
}
