/** Pictures and files of a message: small in the conversation, whole in a dialog. */
import { useEffect, useState } from "preact/hooks";
import type { Attachment, AttachmentView } from "../bindings";
import { Icon } from "../components/icons";
import { Dialog } from "../components/overlays/dialog";
import { useStore } from "../state/context";
import { number, t } from "../texts";

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
  // What shows words is named by them.
  const worded = isText || store.attaching.view(attachment.id).value === "gone";
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

export function Thumbnail({ attachment }: { attachment: Attachment }) {
  const store = useStore();
  if (attachment.kind === "text/plain") {
    return (
      <>
        <Icon name="file" />
        <span class="name" dir="auto">
          {nameOf(attachment)}
        </span>
        <span class="quiet-text">{sizeOf(attachment.bytes)}</span>
      </>
    );
  }
  const view = store.attaching.view(attachment.id).value;
  if (view === "gone") {
    return (
      <>
        <Icon name="picture" slashed />
        <span class="name">{t("ui.attach.gone")}</span>
      </>
    );
  }
  // Its place is kept from the beginning: nothing below moves when it comes.
  const { width, height } = fitted(attachment);
  return view ? (
    <img src={view.image} width={width} height={height} alt="" draggable={false} />
  ) : (
    <span class="coming" style={{ "--width": `${width}px`, "--height": `${height}px` }} />
  );
}

function Viewer({ attachment, onClose }: { attachment: Attachment; onClose: () => void }) {
  const store = useStore();
  const [view, setView] = useState<AttachmentView | "gone" | null>(null);
  useEffect(() => {
    let here = true;
    void store.attaching.read(attachment.id, true).then((found) => here && setView(found ?? "gone"));
    return () => {
      here = false;
    };
  }, [attachment.id]);
  return (
    <Dialog title={nameOf(attachment)} onClose={onClose} wide>
      {view === null && <p class="quiet-text">{t("ui.loading")}</p>}
      {view === "gone" && <p>{t("ui.attach.gone")}</p>}
      {view !== null && view !== "gone" && view.image && (
        <img class="whole-picture" src={view.image} alt={nameOf(attachment)} />
      )}
      {view !== null && view !== "gone" && !view.image && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a long text must be scrollable by keyboard
        <pre class="whole-text" tabIndex={0} dir="auto">
          {view.text}
        </pre>
      )}
    </Dialog>
  );
}

export function nameOf(attachment: Attachment): string {
  return attachment.name || t(attachment.kind === "text/plain" ? "ui.attach.text" : "ui.attach.picture");
}

const TALLEST = 168;
const WIDEST = 260;

function fitted({ width, height }: Attachment): { width: number; height: number } {
  const share = Math.min(1, WIDEST / Math.max(1, width), TALLEST / Math.max(1, height));
  return { width: Math.max(24, Math.round(width * share)), height: Math.max(24, Math.round(height * share)) };
}

function sizeOf(bytes: number): string {
  return t("ui.attach.size", { size: number(Math.max(1, Math.round(bytes / 1024))) });
}
