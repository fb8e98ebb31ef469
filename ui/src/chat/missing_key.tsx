/** A key that is missing, as after a restart where there is no keyring: entered in the chat itself. */
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { AppState, ConnectionInfo, ErrorInfo } from "../bindings";
import { Icon } from "../components/icons";
import { isKeyFault, KeyField, KeysLink, type Unsaved } from "../settings/model/model";
import type { Conversation } from "../state/chat/conversation";
import { useStore } from "../state/context";
import { errorText, KEYRING_LOCKED, type Key, t } from "../texts";

/** Faults that another key cures, and what is said of them where it can be entered. */
const FAULTS: Record<string, Key> = { fault_no_key: "ui.key.missing", fault_bad_key: "ui.test.bad_key" };

export function keyFaultText(error: ErrorInfo): string {
  const key = FAULTS[error.code];
  return key ? t(key, error.args) : errorText(error);
}

/** Whether the pet's model can't answer for lack of a key. */
export function isKeyless(app: AppState | null): app is AppState {
  return app?.key_needed === true && !app.key.set && app.key.headers.length === 0;
}

interface PromptProps {
  /** "": the pet's own */
  connection?: string;
  onSaved: () => void;
  /** what else can be done, until the key is being entered */
  children?: ComponentChildren;
}

/** A button, and after one click the settings' field for the key of this connection. */
export function KeyPrompt({ connection = "", onSaved, children }: PromptProps) {
  const store = useStore();
  const [asked, setAsked] = useState<ConnectionInfo | null>(null);
  const [busy, setBusy] = useState(false);
  const unsaved: Unsaved = useRef(null);
  useLayoutEffect(() => {
    if (asked) document.getElementById(`key-${asked.id}`)?.focus();
  }, [asked]);

  async function ask(): Promise<void> {
    setBusy(true); // a keyring may let one wait
    await store.connections.load();
    setBusy(false);
    const list = store.connections.list.value;
    const found = list?.connections.find((each) => each.id === (connection || list.pet || list.default));
    if (found) {
      store.connections.keyAsked.value = found.id;
      setAsked(found);
    } else store.navigation.openSettings("model");
  }

  if (asked) {
    return (
      <div class="key-prompt">
        <KeyField connection={asked} url={asked.base_url} unsaved={unsaved} onSaved={onSaved} />
        <KeysLink url={asked.base_url} />
      </div>
    );
  }
  return (
    <>
      <button type="button" class="primary" disabled={busy} onClick={() => void ask()}>
        {t(busy ? "ui.loading" : "ui.key.enter_here")}
      </button>
      {children}
    </>
  );
}

/** Above the composer of a conversation whose model lacks its key; an empty one and a failed reply ask by themselves. */
export function KeyNotice({ conversation: { info, turns } }: { conversation: Conversation }) {
  const store = useStore();
  const app = store.app.value;
  if (!isKeyless(app) || info.chosen || turns.length === 0 || isKeyFault(turns.at(-1)?.error)) return null;
  return (
    <div class="key-notice">
      <Icon name="key" />
      <p role="status">{app.key.locked ? errorText(KEYRING_LOCKED) : t("ui.key.missing", { host: app.host })}</p>
      <KeyPrompt onSaved={() => store.navigation.focusComposer()} />
    </div>
  );
}
