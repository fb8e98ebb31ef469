/** Whether a message asks the pet to remember something. The phrases stand in the catalogues. */
import { everyLanguage } from "../texts";

export function asksToRemember(message: string): boolean {
  const text = message.toLowerCase().normalize("NFKC");
  if (phrases("ui.remember.not").some((phrase) => text.includes(phrase))) return false;
  return phrases("ui.remember.asks").some((phrase) => text.includes(phrase));
}

function phrases(key: "ui.remember.asks" | "ui.remember.not"): string[] {
  return everyLanguage(key).flatMap((list) => list.split("|"));
}
