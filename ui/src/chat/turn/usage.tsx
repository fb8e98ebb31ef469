/** Tokens, time and cost of a reply and of the day, and the daily limit. Costs are in the currency of the owner's prices. */

import { useState } from "preact/hooks";
import type { SpentView, UsageDay, UsageView } from "../../bindings";
import { useLoad } from "../../components/loading";
import { Dialog } from "../../components/overlays";
import { dayName } from "../../memory/places";
import { Problems, useSettings } from "../../settings/form";
import { Rows } from "../../settings/rows";
import type { Turn } from "../../state/chat/conversation";
import { useStore } from "../../state/context";
import { dayAndTime, errorText, locale, number, t } from "../../texts";

/** Whether a model on this computer answered all of it. */
function isFree(spent: SpentView): boolean {
  return spent.local > 0 && spent.local === spent.tokens;
}

const LEAST = 0.0001;

/** Return two decimals; below a cent two digits, so that a single reply does not look free. */
function money(cost: number): string {
  if (cost > 0 && cost < LEAST) return `< ${shown(LEAST, {})}`;
  return shown(cost, cost > 0 && cost < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 });
}

function shown(value: number, digits: Intl.NumberFormatOptions): string {
  const options = { maximumFractionDigits: 4, ...digits };
  return new Intl.NumberFormat(locale(), options).format(value);
}

/** A reply's time, and on request its tokens and cost. */
export function ReplyUsage({ conversation, turn }: { conversation: string; turn: Turn }) {
  const [open, setOpen] = useState(false);
  const time = dayAndTime(turn.at);
  if (!useStore().app.value?.show_usage) return <span class="when">{time}</span>;
  if (turn.usage.input_tokens === null && turn.usage.output_tokens === null) return <span class="when">{time}</span>;
  return (
    <>
      <button
        type="button"
        class="quiet when"
        aria-expanded={open}
        data-tip={open ? undefined : t("ui.turn.cost")}
        onClick={() => setOpen(!open)}
      >
        {time}
      </button>
      {open && <Spent conversation={conversation} turn={turn} />}
    </>
  );
}

function Spent({ conversation, turn }: { conversation: string; turn: Turn }) {
  const store = useStore();
  const ask = () => store.notices.attempt(() => store.commands.getSpent({ conversation, turn: turn.turn }));
  const spent = useLoad(ask, [turn.usage, store.settingsChange.value]).value;
  const { input_tokens: input, output_tokens: output, cache_read_tokens: cached } = turn.usage;
  // Cache reads and writes are counted separately.
  const whole = (input ?? 0) + (cached ?? 0) + (turn.usage.cache_write_tokens ?? 0);
  const parts = [t("ui.turn.tokens", { input: number(whole), output: number(output ?? 0) })];
  if (cached) parts.push(t("ui.turn.cached", { count: number(cached) }));
  if (spent && spent.uncounted > 0) parts.push(t("ui.turn.uncounted"));
  const free = spent !== null && isFree(spent);
  if (free) parts.push(t("ui.usage.local"));
  else if (spent)
    parts.push(spent.cost === null ? t("ui.turn.no_price") : t("ui.turn.spent", { cost: money(spent.cost) }));
  return (
    <span class="spent-line when" role="status">
      {parts.join(" · ")}
      {spent?.cost === null && !free && (
        <button type="button" class="link" onClick={() => (store.navigation.usageOpen.value = true)}>
          {t("ui.turn.set_price")}
        </button>
      )}
    </span>
  );
}

/** Days listed. */
const DAYS = 14;

export function UsageDialog() {
  const store = useStore();
  const form = useSettings();
  const { value: usage, failed, set } = useLoad(() => store.commands.getUsage(), [form.settings]);

  async function goOn(): Promise<void> {
    const view = await store.notices.attempt(() => store.commands.allowToday());
    if (view) set(view);
  }

  return (
    <Dialog title={t("ui.usage.title")} onClose={() => (store.navigation.usageOpen.value = false)}>
      {failed && <p class="error-text">{errorText(failed)}</p>}
      {!usage && !failed && <p class="quiet-text">{t("ui.loading")}</p>}
      {usage && (
        <div class="usage">
          <Here again={form.settings} />
          <Today usage={usage} />
          {usage.limit > 0 && <Limit usage={usage} onGoOn={() => void goOn()} />}
          <Earlier days={usage.days.filter((day) => day.day !== usage.today.day).slice(0, DAYS)} />
          {form.settings && (
            <section class="usage-figures">
              <Rows at="usage" form={form} settings={form.settings} />
            </section>
          )}
          <Problems form={form} />
        </div>
      )}
    </Dialog>
  );
}

/** The usage of the open conversation; loaded again when prices change. */
function Here({ again }: { again: unknown }) {
  const store = useStore();
  const id = store.navigation.view.value === "chat" ? store.tabs.active.value : null;
  const ask = async () =>
    id === null ? null : store.notices.attempt(() => store.commands.getSpent({ conversation: id }));
  const spent = useLoad(ask, [again], id).value;
  if (id === null || spent === null || spent.tokens + spent.uncounted === 0) return null;
  const free = isFree(spent);
  return (
    <section aria-label={t("ui.usage.here")}>
      <p class="usage-sum">
        <strong>{number(spent.tokens)}</strong> {t("ui.usage.here_sum")}
        {spent.cost !== null && <span> · {t("ui.usage.cost", { cost: money(spent.cost) })}</span>}
        {spent.local > 0 && (
          <span> · {free ? t("ui.usage.local") : t("ui.usage.local_of", { count: number(spent.local) })}</span>
        )}
      </p>
      <p class="quiet-text">{t("ui.usage.here_note")}</p>
      {spent.cost === null && !free && <p class="quiet-text">{t("ui.usage.no_price")}</p>}
      {spent.uncounted > 0 && <p class="quiet-text">{t("ui.usage.uncounted", { count: spent.uncounted })}</p>}
    </section>
  );
}

function Today({ usage }: { usage: UsageView }) {
  const { today } = usage;
  return (
    <section>
      <p class="usage-sum">
        <strong>{number(today.tokens)}</strong> {t("ui.usage.today")}
        {today.cost !== null && <span> · {t("ui.usage.cost", { cost: money(today.cost) })}</span>}
      </p>
      {today.models.length > 0 && (
        <table class="usage-models">
          <thead>
            <tr>
              <th scope="col">{t("ui.thinking.model")}</th>
              <th scope="col">{t("ui.usage.in")}</th>
              <th scope="col">{t("ui.usage.cached")}</th>
              <th scope="col">{t("ui.usage.out")}</th>
            </tr>
          </thead>
          <tbody>
            {today.models.map(({ model, usage: used, local }) => (
              <tr key={`${model} ${local}`}>
                <td>
                  {model}
                  {local && <span class="quiet-text"> · {t("ui.usage.local")}</span>}
                </td>
                <td>{number((used.input_tokens ?? 0) + (used.cache_write_tokens ?? 0))}</td>
                <td>{number(used.cache_read_tokens ?? 0)}</td>
                <td>{number(used.output_tokens ?? 0)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </section>
  );
}

function Limit({ usage, onGoOn }: { usage: UsageView; onGoOn: () => void }) {
  const { limit, counted, reached, allowed } = usage;
  return (
    <section>
      <meter
        min={0}
        max={limit}
        value={Math.min(limit, counted)}
        high={limit * 0.8}
        optimum={0}
        aria-label={t("settings.row.daily_tokens")}
      />
      <p class="quiet-text">{t("ui.usage.of_limit", { used: number(counted), limit: number(limit) })}</p>
      {reached && allowed && <p class="quiet-text">{t("ui.usage.allowed")}</p>}
      {reached && !allowed && (
        <button type="button" onClick={onGoOn}>
          {t("ui.usage.go_on")}
        </button>
      )}
    </section>
  );
}

function Earlier({ days }: { days: UsageDay[] }) {
  if (days.length === 0) return null;
  return (
    <section>
      <h3>{t("ui.usage.earlier")}</h3>
      <dl class="usage-days">
        {days.map(({ day, tokens, cost }) => (
          <div key={day}>
            <dt>{dayName(day)}</dt>
            <dd>
              {number(tokens)}
              {cost !== null && ` · ${money(cost)}`}
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
