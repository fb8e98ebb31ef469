/** A dialog over the page: the browser's own modal, which keeps the focus inside and gives it back. */
import type { ComponentChildren } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { useBack } from "../../input/back";
import { t } from "../../texts";
import { Icon } from "../icons";

interface Props {
  title: string;
  onClose: () => void;
  children: ComponentChildren;
  wide?: boolean;
}

export function Dialog({ title, onClose, children, wide = false }: Props) {
  const frame = useRef<HTMLDialogElement>(null);
  const heading = useRef<HTMLHeadingElement>(null);
  const id = useId();
  useBack(onClose);
  useLayoutEffect(() => {
    const dialog = frame.current;
    if (!dialog) return;
    if (typeof dialog.showModal === "function") dialog.showModal();
    else dialog.open = true;
    // Read out first, and no button lights up that nobody asked for; Tab goes on from here.
    heading.current?.focus();
    return () => dialog.close?.();
  }, []);
  return (
    <dialog
      ref={frame}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
    >
      <div class="dialog-head">
        <h2 id={id} tabIndex={-1} ref={heading}>
          {title}
        </h2>
        <button type="button" class="quiet" aria-label={t("ui.close")} data-tip="" onClick={onClose}>
          <Icon name="close" />
        </button>
      </div>
      <div class="dialog-body">{children}</div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  text: string;
  action: string;
  /** what can't be undone looks so */
  danger?: boolean;
  onConfirm: () => void;
  onClose: () => void;
}

/** The way out has the focus; what can't be undone is never one Enter away. */
export function Confirm({ title, text, action, danger = true, onConfirm, onClose }: ConfirmProps) {
  const cancel = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => cancel.current?.focus(), []);
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{text}</p>
      <div class="row end">
        <button type="button" ref={cancel} onClick={onClose}>
          {t("ui.cancel")}
        </button>
        <button
          type="button"
          class={danger ? "danger" : "primary"}
          onClick={() => {
            onConfirm();
            onClose();
          }}
        >
          {action}
        </button>
      </div>
    </Dialog>
  );
}
