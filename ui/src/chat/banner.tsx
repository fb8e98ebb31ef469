/**
 * What the owner is told above the composer, one thing at a time: the first that applies is shown, the others follow
 * once it is gone (`.banner` hides them). What passes comes first, what lasts comes last.
 */
import { signal } from "@preact/signals";
import type { LostFile } from "../bindings";
import { IconButton } from "../components/controls";
import { Icon } from "../components/icons";
import { dueWords, ReminderAnswers, reminderKey, reminderPlace } from "../memory/reminders";
import { plainNote } from "../memory/spoken";
import { isLocal } from "../settings/model/model";
import type { Conversation } from "../state/chat/conversation";
import { COMPUTER } from "../state/connections";
import { useStore } from "../state/context";
import { orNull } from "../state/memory";
import type { Store } from "../state/store";
import { dayAndTime, inARow, t } from "../texts";
import { KeyNotice } from "./missing_key";

/** `conversation`: null in the other views, which show what concerns every view. */
export function Banner({ conversation }: { conversation: Conversation | null }) {
  const store = useStore();
  const app = store.app.value;
  return (
    <div class="banner">
      {app?.lost_files.map((lost) => (
        <Lost key={lost.file} lost={lost} />
      ))}
      {app?.asks_held && <Held files={app.held_files} />}
      {store.extras.map(({ Strip }, at) => Strip && <Strip key={at} />)}
      {conversation && (
        <>
          <KeyNotice conversation={conversation} />
          <ReminderStrip />
          <HostNotice conversation={conversation} />
        </>
      )}
      {store.paused.value && <Paused />}
      {conversation && <DemoBar />}
    </div>
  );
}

/** What answers until the owner chooses a model. */
function DemoBar() {
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

function Paused() {
  const store = useStore();
  return (
    <div class="paused" role="status">
      <Icon name="brain" slashed />
      <p>{t(store.app.value?.pause_lost ? "ui.paused.lost" : "ui.paused")}</p>
      <button
        type="button"
        class="link"
        onClick={() => void store.notices.attempt(() => store.commands.pauseMemory({ paused: false }))}
      >
        {t("ui.paused.resume")}
      </button>
    </div>
  );
}

/** A core file that is gone: nothing takes its place before the owner chose. */
function Lost({ lost: { file, since, version } }: { lost: LostFile }) {
  const store = useStore();
  const bringBack = () => store.settleLost(() => store.commands.restoreVersion({ file, version }));
  const begin = () => store.settleLost(() => store.commands.beginFile({ file }));
  return (
    <div class="paused" role="alert">
      <Icon name="warning" />
      <p>{t("ui.file.gone", { file, when: dayAndTime(since) })}</p>
      {version && (
        <button type="button" class="link" onClick={() => void bringBack()}>
          {t("ui.file.bring_back")}
        </button>
      )}
      <button type="button" class="link" onClick={() => void begin()}>
        {t("ui.file.begin")}
      </button>
    </div>
  );
}

/** Instructions that came with another program's workspace: asked once. */
function Held({ files }: { files: string[] }) {
  const store = useStore();
  const answer = (use: boolean) => void store.settleLost(() => store.commands.answerInstructions({ use }));
  return (
    <div class="paused" role="alert">
      <Icon name="warning" />
      <p>{t("ui.file.held", { files: files.join(t("ui.list.and")) })}</p>
      <button type="button" class="link" onClick={() => answer(true)}>
        {t("ui.file.held_use")}
      </button>
      <button type="button" class="link" onClick={() => answer(false)}>
        {t("ui.file.held_leave")}
      </button>
    </div>
  );
}

const hidden = signal<ReadonlySet<string>>(new Set());

function ReminderStrip() {
  const store = useStore();
  const due = store.memory.reminders.value?.due.filter((each) => !hidden.value.has(reminderKey(each))) ?? [];
  const reminder = due[0];
  if (!reminder) return null;

  function showAll(): void {
    store.navigation.openSettings("us", "reminders");
  }

  return (
    <section class="reminder-strip" aria-label={t("ui.reminders.due")}>
      <Icon name="bell" />
      <button
        type="button"
        class="reminder-what"
        data-tip={plainNote(reminder.text)}
        onClick={() => void store.openPlace(reminderPlace(reminder))}
      >
        <span class="reminder-words" dir="auto">
          {plainNote(reminder.text)}
        </span>
        <span class="quiet-text">{dueWords(reminder)}</span>
      </button>
      <ReminderAnswers reminder={reminder} above />
      {due.length > 1 && (
        <button type="button" class="link soft" onClick={showAll}>
          {t("ui.reminders.more", { count: due.length - 1 })}
        </button>
      )}
      <IconButton
        icon="close"
        label={t("ui.reminder.hide")}
        onClick={() => {
          hidden.value = new Set([...hidden.value, ...due.map(reminderKey)]);
        }}
      />
    </section>
  );
}

interface Receiver {
  /** what is acknowledged: a word that no language changes */
  name: string;
  /** as the owner reads it */
  words: string;
}

/** Return who gets the memory of this conversation, where the owner was not told yet; else null. */
function newReceiver(store: Store, { info }: Conversation): Receiver | null {
  const app = store.app.value;
  const { memory, read_only, chosen } = info;
  if (!app || store.paused.value || !(memory || read_only)) return null;
  if ((app.demo || app.unchosen) && !chosen) return null; // it keeps nothing, and nothing leaves this computer
  const host = chosen
    ? chosen.connection === COMPUTER
      ? t("local_model.receiver")
      : chosen.origin.replace(/^https?:\/\//, "")
    : app.host;
  const own = chosen ? chosen.connection === COMPUTER : app.local_model !== "";
  const local = chosen ? isLocal(chosen.origin) : !app.key_needed;
  const name = own ? COMPUTER : host;
  if (!(chosen || own || local || app.key.set) || app.acknowledged_hosts.includes(name)) return null;
  return { name, words: local ? t("local_model.receiver") : host };
}

/** Record that the owner knows who gets the memory: said so, or sent a message below the explanation. */
export async function acknowledge(store: Store, conversation: Conversation): Promise<void> {
  const receiver = newReceiver(store, conversation);
  if (!receiver) return;
  const done = await orNull(() => store.commands.acknowledgeHost({ host: receiver.name }));
  const now = store.app.value;
  if (done !== null && now)
    store.app.value = { ...now, acknowledged_hosts: [...now.acknowledged_hosts, receiver.name] };
}

/** The one explanation of memory, above the button it is about: shown once for each receiver of the memory. */
function HostNotice({ conversation }: { conversation: Conversation }) {
  const store = useStore();
  const receiver = newReceiver(store, conversation);
  if (!receiver) return null;
  return (
    <div class="host-notice">
      <Icon name="brain" />
      <p>{inARow(t("ui.host.notice"), t("ui.host.goes", { host: receiver.words }))}</p>
      <button type="button" class="link" onClick={() => void acknowledge(store, conversation)}>
        {t("ui.host.understood")}
      </button>
    </div>
  );
}
