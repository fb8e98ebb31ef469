/** The form of a service: which one, its address, its key, its model and their test. The same wherever one is chosen. */
import type { ComponentChildren } from "preact";
import { type ConnectionInfo, type ErrorInfo, PRESETS } from "../../bindings";
import { Folded, Refusal } from "../../components/controls";
import { t } from "../../texts";
import { Choice, Row } from "../form";
import { HeaderFields } from "./headers";
import { ANTHROPIC, KeyField, KeysLink, Model, PlainHttp, refusalText, Test, type Unsaved } from "./model";

interface Props {
  connection: ConnectionInfo;
  unsaved: Unsaved;
  /** what is tested: "" for what answers now */
  tested: string;
  /** why the address was refused */
  refused?: ErrorInfo | undefined;
  /** Anthropic's own model needs no field */
  brief?: boolean;
  /** what is said of the model */
  note?: ComponentChildren;
  /** beside the test */
  children?: ComponentChildren;
  /** a key was saved */
  onKey?: () => void;
  onAddress: (url: string) => void;
  onProtocol: (protocol: ConnectionInfo["protocol"]) => void;
  onModel: (model: string) => void;
}

export function ServiceForm(props: Props) {
  const { connection, unsaved, refused, onAddress, onModel } = props;
  const { id, base_url, protocol, model, key } = connection;
  /** What was said about another address or key no longer holds. */
  const used = `${base_url} ${key.set} ${key.last4}`;
  return (
    <>
      <fieldset class="presets">
        <legend class="sr">{t("welcome.think.service")}</legend>
        {PRESETS.map((each) => (
          <button
            type="button"
            key={each.base_url}
            class={each.base_url === base_url ? "chip chosen" : "chip"}
            aria-pressed={each.base_url === base_url}
            onClick={() => each.base_url !== base_url && onAddress(each.base_url)}
          >
            {each.name}
          </button>
        ))}
      </fieldset>
      <Row id={`url-${id}`} label={t("ui.thinking.address")}>
        <input
          id={`url-${id}`}
          inputMode="url"
          key={base_url}
          defaultValue={base_url}
          spellcheck={false}
          onChange={(event) => {
            const wanted = event.currentTarget.value.trim();
            if (wanted && wanted !== base_url) onAddress(wanted);
          }}
        />
      </Row>
      <Refusal why={refused ? refusalText(refused) : ""} />
      {connection.plain_http && <PlainHttp />}
      {!PRESETS.some((each) => each.base_url === base_url) && (
        <Folded title={t("ui.settings.advanced")}>
          <Choice
            label={t("thinking.protocol")}
            note={t("thinking.protocol_note")}
            name={`protocol-${id}`}
            value={protocol}
            options={(["auto", "anthropic", "openai", "responses"] as const).map((each) => ({
              value: each,
              label: t(`thinking.protocol_${each}`),
            }))}
            onChange={(value) => props.onProtocol(value as ConnectionInfo["protocol"])}
          />
          <HeaderFields key={base_url} connection={connection} />
        </Folded>
      )}
      <KeyField url={base_url} connection={connection} unsaved={unsaved} onSaved={() => props.onKey?.()} />
      <KeysLink url={base_url} />
      {props.note}
      {!(props.brief && base_url === ANTHROPIC.base_url) && (
        <Model
          key={`${used} models`}
          connection={id}
          model={model}
          onChange={onModel}
          listNow={model === "" && (!connection.key_needed || key.set)}
        />
      )}
      <div class="connection-acts">
        <Test connection={props.tested} of={`${used} ${model}`} unsaved={unsaved} />
        {props.children}
      </div>
    </>
  );
}
