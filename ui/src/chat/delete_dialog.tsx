/**
 * Deleting a conversation, optionally with what was learned in it: the list of entries to forget, the deletion, the
 * report. Cancel has the focus.
 */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ForgetList, ForgetReport } from "../bindings";
import { Refusal, Tick } from "../components/controls";
import { Dialog } from "../components/overlays";
import { ForgetLists, Report } from "../memory/forget";
import { useStore } from "../state/context";
import { errorOf, errorText, t } from "../texts";

interface Props {
  conversation: string;
  title: string;
  onClose: () => void;
}

type Step = "asking" | "deleting" | "half" | "done";

export function DeleteDialog({ conversation, title, onClose }: Props) {
  const store = useStore();
  const [list, setList] = useState<ForgetList | null>(null);
  const [learned, setLearned] = useState(false);
  const [step, setStep] = useState<Step>("asking");
  const [report, setReport] = useState<ForgetReport | null>(null);
  const [failed, setFailed] = useState("");
  const out = useRef<HTMLButtonElement>(null);
  const entries = list?.goes.filter(({ where }) => where === "file" || where === "log").length ?? 0;

  useEffect(() => {
    let here = true;
    store.commands.listForget({ conversation }).then(
      (made) => here && setList(made),
      (thrown: unknown) => here && setFailed(errorText(errorOf(thrown))),
    );
    return () => {
      here = false;
    };
  }, []);

  // After the dialog opened, which takes the focus.
  useLayoutEffect(() => out.current?.focus(), [report]);

  async function act(): Promise<void> {
    setFailed("");
    const was = step;
    setStep("deleting");
    try {
      if (was === "asking") {
        await store.commands.deleteConversation({ conversation });
        store.listed.value += 1;
        if (!learned) return onClose();
      }
      // The conversation is deleted; its entries can still be found in the files' history.
      setStep("half");
      setReport(await store.commands.forget({ conversation }));
      setStep("done");
    } catch (thrown) {
      setFailed(errorText(errorOf(thrown)));
      setStep((now) => (now === "half" ? "half" : was));
    }
  }

  if (report) {
    return (
      <Dialog title={t("ui.forget.done")} onClose={onClose} wide>
        <Report report={report} />
        <div class="row end">
          <button type="button" ref={out} onClick={onClose}>
            {t("ui.close")}
          </button>
        </div>
      </Dialog>
    );
  }
  const half = step === "half" && failed !== "";
  const busy = step === "deleting" || (step === "half" && !half);
  return (
    <Dialog title={t("ui.history.delete_title")} onClose={onClose} wide={learned}>
      <p dir="auto">{t("ui.delete.text", { title })}</p>
      <div class="learned-here">
        {!list && !failed && <p class="quiet-text">{t("ui.delete.looking")}</p>}
        {list && entries === 0 && <p class="quiet-text">{t("ui.delete.learned_none")}</p>}
        {entries > 0 && (
          <Tick
            look=""
            label={t("ui.delete.learned")}
            note={t("ui.delete.learned_some", { count: entries })}
            checked={learned}
            disabled={step !== "asking"}
            onChange={setLearned}
          />
        )}
        {learned && list && (
          <>
            <p class="note">{t("ui.forget.text")}</p>
            <ForgetLists list={list} />
          </>
        )}
      </div>
      <Refusal why={half ? t("ui.delete.half", { reason: failed }) : failed} />
      <div class="row end">
        <button type="button" ref={out} onClick={onClose}>
          {t(half ? "ui.close" : "ui.cancel")}
        </button>
        <button type="button" class="danger" disabled={busy || (learned && !list)} onClick={() => void act()}>
          {t(busy ? "ui.delete.deleting" : half ? "ui.delete.again" : learned ? "ui.delete.both" : "ui.delete.do")}
        </button>
      </div>
    </Dialog>
  );
}
