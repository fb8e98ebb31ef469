/** What was really written: file, how much, View and Undo (PRODUCT §4.6); and the folded list of what the pet did. */
import { useState } from "preact/hooks";
import type { Diff, Receipt, ToolView } from "../bindings";
import { Dialog } from "../parts/dialog";
import { DiffView } from "../parts/diff";
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { errorText, type Key, t } from "../texts";

export function ReceiptRow({ receipt }: { receipt: Receipt }) {
  const store = useStore();
  const [diff, setDiff] = useState<Diff | null>(null);
  const [undone, setUndone] = useState(false);

  async function view(): Promise<void> {
    const { file, before, after } = receipt;
    setDiff(await store.attempt(() => store.commands.diffVersions({ file, old: before, new: after })));
  }

  async function undo(): Promise<void> {
    const reply = await store.attempt(() => store.commands.undoReceipt({ receipt }));
    if (reply) setUndone(true);
  }

  return (
    <div class={undone ? "receipt undone" : "receipt"}>
      <Icon name={undone ? "undo" : "file"} />
      <span class="receipt-text">
        {undone
          ? t("ui.receipt.undone", { file: receipt.file })
          : t(receipt.before === "missing" ? "ui.receipt.created" : "ui.receipt.changed", { file: receipt.file })}
        {!undone && (
          <span class="counts">
            <span class="plus">+{receipt.added}</span> <span class="minus">{`\u2212${receipt.removed}`}</span>
          </span>
        )}
        {receipt.merged && <span class="quiet-text"> {t("ui.receipt.merged")}</span>}
      </span>
      <button type="button" class="link" onClick={() => void view()}>
        {t("ui.receipt.view")}
      </button>
      {!undone && (
        <button type="button" class="link" onClick={() => void undo()}>
          {t("ui.receipt.undo")}
        </button>
      )}
      {diff && (
        <Dialog title={t("ui.receipt.title", { file: receipt.file })} onClose={() => setDiff(null)} wide>
          <DiffView diff={diff} label={t("ui.receipt.title", { file: receipt.file })} />
        </Dialog>
      )}
    </div>
  );
}

const DOES: Record<string, Key> = {
  read: "ui.tool.read",
  write: "ui.tool.write",
  edit: "ui.tool.edit",
};

export function ToolActivity({ tools }: { tools: ToolView[] }) {
  const running = tools.find((tool) => tool.running);
  const failed = tools.filter((tool) => tool.error).length;
  return (
    <details class="tools">
      <summary>
        <Icon name="chevron" />
        {running
          ? describe(running)
          : t(tools.length === 1 ? "ui.tool.one" : "ui.tool.many", { count: tools.length })}
        {!running && failed > 0 && <span class="quiet-text">{t("ui.tool.some_failed", { count: failed })}</span>}
      </summary>
      <ul>
        {tools.map((tool) => (
          <li key={tool.call}>
            <Icon name={tool.error ? "warning" : tool.running ? "clock" : "check"} />
            <span>
              {describe(tool)}
              {tool.error && <span class="quiet-text"> {errorText(tool.error)}</span>}
            </span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function describe(tool: ToolView): string {
  const key = DOES[tool.tool];
  if (!key) return t("ui.tool.other", { tool: tool.tool });
  return t(key, { file: tool.file ?? t("ui.tool.a_file") });
}
