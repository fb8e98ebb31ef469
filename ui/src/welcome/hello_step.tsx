/** The last step: what the owner should know before the first word, in three lines. */
import { Icon } from "../components/icons";
import type { SettingsForm } from "../settings/form";
import { useStore } from "../state/context";
import { t } from "../texts";
import { Foot } from "./wizard_footer";

interface Props {
  form: SettingsForm;
  talk: boolean;
  onBack: () => void;
  onDone: () => void;
}

export function HelloStep({ form, talk, onBack, onDone }: Props) {
  const store = useStore();
  const app = store.app.value;
  const { settings } = form;
  const speaks =
    settings !== null && (settings.greetings !== "off" || settings.promise_bubbles || settings.ask_after);
  const memory = app?.demo ? t("welcome.hello.memory_demo") : t("welcome.hello.memory", { host: app?.host ?? "" });
  return (
    <section class="welcome-step" aria-label={t("welcome.step_3")}>
      <ul class="promises">
        <li>
          <Icon name="brain" />
          <p>{memory}</p>
        </li>
        <li>
          <Icon name="paw" />
          <p>{t("welcome.hello.click")}</p>
        </li>
        {settings && (
          <li>
            <Icon name="bell" />
            <div class="first-words">
              <label for="first-words">{t("welcome.hello.first_words")}</label>
              <input
                id="first-words"
                type="checkbox"
                role="switch"
                checked={speaks}
                aria-checked={speaks}
                onChange={(event) => {
                  const on = event.currentTarget.checked;
                  void form.change({ greetings: on ? "daily" : "off", promise_bubbles: on, ask_after: on });
                }}
              />
            </div>
          </li>
        )}
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
