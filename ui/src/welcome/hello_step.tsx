/** The last step: what the owner should know before the first word, in three lines. */
import { Icon } from "../parts/icons";
import { useStore } from "../state/context";
import { t } from "../texts";
import { Foot } from "./wizard_footer";

interface Props {
  talk: boolean;
  onBack: () => void;
  onDone: () => void;
}

export function HelloStep({ talk, onBack, onDone }: Props) {
  const store = useStore();
  const app = store.app.value;
  const brain = app?.demo ? t("welcome.hello.brain_demo") : t("welcome.hello.brain", { host: app?.host ?? "" });
  return (
    <section class="welcome-step" aria-label={t("welcome.step_3")}>
      <ul class="promises">
        <li>
          <Icon name="brain" />
          <p>{brain}</p>
        </li>
        <li>
          <Icon name="paw" />
          <p>{t("welcome.hello.click")}</p>
        </li>
        <li>
          <Icon name="file" />
          <p>{t("welcome.hello.files")}</p>
        </li>
      </ul>
      <Foot onBack={onBack}>
        <button type="button" class="primary big" onClick={onDone}>
          {t(talk ? "welcome.hello.talk" : "welcome.hello.done")}
        </button>
      </Foot>
    </section>
  );
}
