/** Attachments: picked, pasted or dropped into the message being written, and shown in the messages that were sent. */
import { useRef, useState } from "preact/hooks";
import type { Attachment } from "../bindings";
import { IconButton, SCROLLS } from "../components/controls";
import { Icon } from "../components/icons";
import { useLoad } from "../components/loading";
import { Menu } from "../components/menu";
import { Dialog } from "../components/overlays";
import { useDropZone } from "../input/drops";
import { droppedText, LARGEST_TEXT, LONG_TEXT } from "../ipc/upload";
import { useStore } from "../state/context";
import type { Store } from "../state/store";
import { bytes, t } from "../texts";

export function Attachments({ attachments }: { attachments: Attachment[] }) {
  const [open, setOpen] = useState<Attachment | null>(null);
  if (attachments.length === 0) return null;
  return (
    <div class="attachments">
      {attachments.map((each) => (
        <AttachmentButton key={each.id} attachment={each} onOpen={() => setOpen(each)} />
      ))}
      {open && <Viewer attachment={open} onClose={() => setOpen(null)} />}
    </div>
  );
}

function AttachmentButton({ attachment, onOpen }: { attachment: Attachment; onOpen: () => void }) {
  const store = useStore();
  const isText = attachment.kind === "text/plain";
  // A tooltip only where no text is shown.
  const worded = isText || store.attachments.view(attachment.id).value === "gone";
  return (
    <button
      type="button"
      class={isText ? "attachment text" : "attachment"}
      aria-label={worded ? undefined : t("ui.attach.open", { name: nameOf(attachment) })}
      data-tip={nameOf(attachment)}
      onClick={onOpen}
    >
      <Thumbnail attachment={attachment} />
    </button>
  );
}

function Thumbnail({ attachment }: { attachment: Attachment }) {
  const store = useStore();
  if (attachment.kind === "text/plain") {
    return (
      <>
        <Icon name="file" />
        <span class="name" dir="auto">
          {nameOf(attachment)}
        </span>
        <span class="quiet-text">{extent(attachment)}</span>
      </>
    );
  }
  const view = store.attachments.view(attachment.id).value;
  if (view === "gone") {
    return (
      <>
        <Icon name="picture" slashed />
        <span class="name">{t("ui.attach.gone")}</span>
      </>
    );
  }
  // The size is reserved, so that nothing below moves when it loads.
  const { width, height } = fitted(attachment);
  return view ? (
    <img src={view.image} width={width} height={height} alt="" draggable={false} />
  ) : (
    <span class="coming" style={{ "--width": `${width}px`, "--height": `${height}px` }} />
  );
}

function Viewer({ attachment, onClose }: { attachment: Attachment; onClose: () => void }) {
  const store = useStore();
  const read = async () => (await store.attachments.read(attachment.id, true)) ?? "gone";
  const view = useLoad(read, [], attachment.id).value;
  return (
    <Dialog title={nameOf(attachment)} onClose={onClose} wide>
      {view === null && <p class="quiet-text">{t("ui.loading")}</p>}
      {view === "gone" && <p>{t("ui.attach.gone")}</p>}
      {view !== null && view !== "gone" && view.image && (
        <img class="whole-picture" src={view.image} alt={nameOf(attachment)} />
      )}
      {view !== null && view !== "gone" && !view.image && (
        <pre class="whole-text" {...SCROLLS} dir="auto">
          {view.text}
        </pre>
      )}
    </Dialog>
  );
}

/** How much of it there is: the pages that were sent of how many, or its size. */
function extent({ bytes: size, pages, unread, sent }: Attachment): string {
  const count = pages + unread;
  if (sent) return t("ui.attach.sent_pages", { pages: sent.replaceAll("-", "\u2013").replaceAll(",", ", "), count });
  return pages > 1 ? t("ui.attach.pages", { count }) : bytes(size);
}

function nameOf(attachment: Attachment): string {
  return attachment.name || t(attachment.kind === "text/plain" ? "ui.attach.text" : "ui.attach.picture");
}

const TALLEST = 168;
const WIDEST = 260;

function fitted({ width, height }: Attachment): { width: number; height: number } {
  const share = Math.min(1, WIDEST / Math.max(1, width), TALLEST / Math.max(1, height));
  return { width: Math.max(24, Math.round(width * share)), height: Math.max(24, Math.round(height * share)) };
}

export function AttachButton({ conversation }: { conversation: string }) {
  const store = useStore();
  const input = useRef<HTMLInputElement>(null);
  const pick = () => input.current?.click();
  const shoot = (area: "region" | "screen") =>
    void store.notices.attempt(() => store.commands.takeScreenshot({ area }));
  return (
    <>
      {store.app.value?.abilities.includes("screenshot") ? (
        <Menu
          label={t("ui.attach.add")}
          look="quiet attach"
          above
          items={[
            { label: t("desktop.shot.files"), icon: "file", onChoose: pick },
            { label: t("desktop.shot.region"), icon: "picture", onChoose: () => shoot("region") },
            { label: t("desktop.shot.screen"), icon: "computer", onChoose: () => shoot("screen") },
          ]}
        >
          <Icon name="clip" />
        </Menu>
      ) : (
        <IconButton
          icon="clip"
          class="quiet attach"
          label={t("ui.attach.add")}
          data-tip={t("ui.attach.add_tip")}
          onClick={pick}
        />
      )}
      <input
        ref={input}
        type="file"
        class="sr"
        tabIndex={-1}
        aria-hidden="true"
        multiple
        onChange={(event) => {
          void store.attachments.add(conversation, [...(event.currentTarget.files ?? [])]);
          event.currentTarget.value = "";
          store.navigation.focusComposer();
        }}
      />
    </>
  );
}

/** The files of the unsent message. */
export function Tray({ conversation }: { conversation: string }) {
  const store = useStore();
  const pending = store.attachments.pending(conversation).value;
  if (pending.length === 0) return null;
  return (
    <ul class="tray" aria-label={t("ui.attach.tray")}>
      {pending.map(({ key, name, taken, fitting }) => {
        const called = taken ? nameOf(taken) : name;
        return (
          <li key={key} class={taken?.kind === "text/plain" ? "attachment text" : "attachment"} data-tip={called}>
            {taken ? <Thumbnail attachment={taken} /> : <span class="coming" />}
            <span class="sr">{called}</span>
            {taken?.kind === "text/plain" && fitting === taken.pages && (
              <IconButton
                icon="undo"
                label={t("ui.attach.inline_named", { name: called })}
                data-tip={t("ui.attach.inline")}
                onClick={() => void inMessage(store, conversation, key, taken)}
              />
            )}
            {!taken && <span class="sr">{t("ui.attach.reading", { name })}</span>}
            <IconButton
              icon="close"
              label={t("ui.attach.remove", { name: called })}
              onClick={() => {
                store.attachments.remove(conversation, key);
                store.navigation.focusComposer();
              }}
            />
          </li>
        );
      })}
      {pending.map(
        ({ key, taken, fitting }) =>
          taken &&
          (fitting < taken.pages || taken.unread > 0) && (
            <li key={`pages ${key}`} class="pages quiet-text">
              <PageChoice conversation={conversation} place={key} attachment={taken} fitting={fitting} />
            </li>
          ),
      )}
    </ul>
  );
}

interface PageChoiceProps {
  conversation: string;
  /** Key of the file in the tray. */
  place: number;
  attachment: Attachment;
  fitting: number;
}

/** Which pages of a document go along, where not all of them fit. */
function PageChoice({ conversation, place, attachment, fitting }: PageChoiceProps) {
  const store = useStore();
  const { pages: count, unread, sent } = attachment;
  return (
    <>
      {fitting < count && (
        <label>
          {t(fitting > 1 ? "ui.attach.fits" : "ui.attach.fits_one", { fitting, count })}{" "}
          <input
            class="page-ranges"
            type="text"
            inputMode="numeric"
            placeholder={`1-${fitting}`}
            aria-label={t("ui.attach.choose_pages", { name: nameOf(attachment) })}
            value={sent}
            onInput={(event) => store.attachments.choosePages(conversation, place, event.currentTarget.value)}
          />
        </label>
      )}
      {unread > 0 && <span>{t("ui.attach.unread", { count: unread })}</span>}
    </>
  );
}

/** Handle a paste. Returns whether it was taken here; text with a picture of itself stays text. */
export function takePaste(store: Store, conversation: string, event: ClipboardEvent): boolean {
  const data = event.clipboardData;
  if (!data) return false;
  const files = [...data.files];
  const text = data.getData("text/plain");
  const isText = text !== "" && (files.length === 0 || data.types.includes("text/html"));
  if (!isText) {
    if (files.length === 0) return false;
    void store.attachments.add(conversation, files);
    return true;
  }
  if (text.length < LONG_TEXT) return false;
  if (new Blob([text]).size > LARGEST_TEXT) store.attachments.refuse("paste_too_large", "");
  else addText(store, conversation, text, t("ui.attach.pasted"));
  return true;
}

/** Put an attached text into the message itself. */
async function inMessage(store: Store, conversation: string, key: number, { id }: Attachment): Promise<void> {
  const file = await store.attachments.read(id, true);
  if (!file?.text) return;
  store.drafts.set(conversation, joined(store.drafts.of(conversation).value, file.text));
  store.attachments.remove(conversation, key);
  store.navigation.focusComposer();
}

/** Attach a long text as a file. */
function addText(store: Store, conversation: string, text: string, name: string): void {
  void store.attachments.add(conversation, [new File([text], name, { type: "text/plain" })]);
}

/** Accept files and text dropped anywhere on the chat. */
export function useDrop(conversation: string): ReturnType<typeof useDropZone> {
  const store = useStore();
  const takes = (event: DragEvent) => {
    const types = event.dataTransfer?.types ?? [];
    const inText = event.target instanceof Element && event.target.closest("textarea, input") !== null;
    if (types.includes("Files") || (types.includes("text/plain") && !inText)) return true;
    if (types.includes("text/uri-list") && !types.includes("text/plain")) return true; // a field does not take an address alone
    return droppedText(event.dataTransfer).length >= LONG_TEXT; // else dropped into the field itself
  };
  return useDropZone(takes, (transfer) => {
    const files = [...(transfer?.files ?? [])];
    const text = droppedText(transfer);
    if (files.length > 0) void store.attachments.add(conversation, files);
    else if (text.length >= LONG_TEXT) addText(store, conversation, text, t("ui.attach.dropped"));
    else if (text) store.drafts.set(conversation, joined(store.drafts.of(conversation).value, text));
    store.navigation.focusComposer();
  });
}

function joined(draft: string, text: string): string {
  return draft === "" || draft.endsWith("\n") ? draft + text : `${draft}\n${text}`;
}
