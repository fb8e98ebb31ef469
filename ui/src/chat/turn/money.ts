/** Money in the currency in which the owner wrote the prices, which nobody else knows. */
import type { SpentView } from "../../bindings";
import { locale } from "../../texts";

/** Whether all of it was answered by a model on this computer. */
export function isFree(spent: SpentView): boolean {
  return spent.local > 0 && spent.local === spent.tokens;
}

const LEAST = 0.0001;

/** Two decimals; of less than a cent two digits, so that a single reply does not look free. */
export function money(cost: number): string {
  if (cost > 0 && cost < LEAST) return `< ${shown(LEAST, {})}`;
  return shown(cost, cost > 0 && cost < 0.01 ? { maximumSignificantDigits: 2 } : { maximumFractionDigits: 2 });
}

function shown(value: number, digits: Intl.NumberFormatOptions): string {
  const options = { maximumFractionDigits: 4, ...digits };
  return new Intl.NumberFormat(locale(), options).format(value);
}
