/** Keys that belong to an input method, which composes Chinese, are none of ours. */

export function composing(event: KeyboardEvent): boolean {
  // 229: some web views end the composition before they tell of the key that ended it.
  return event.isComposing || event.keyCode === 229;
}

/** "Ctrl+Shift+M" as a test of a key press; Ctrl is Command on a Mac. */
export function pressed(shortcut: string, event: KeyboardEvent): boolean {
  const parts = shortcut
    .toLowerCase()
    .split("+")
    .map((part) => part.trim());
  const key = parts.at(-1);
  if (!key || composing(event)) return false;
  const wants = (...names: string[]) => names.some((name) => parts.slice(0, -1).includes(name));
  const control = event.ctrlKey || event.metaKey;
  return (
    control === wants("ctrl", "control", "cmd", "command", "meta", "super") &&
    event.shiftKey === wants("shift") &&
    event.altKey === wants("alt", "option") &&
    (event.key.toLowerCase() === key || event.code.toLowerCase() === `key${key}`)
  );
}

/** Whether the key types a character, or begins one of an input method. Space is left to buttons. */
export function typesText(event: KeyboardEvent): boolean {
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  return event.key === "Process" || (event.key.length === 1 && event.key !== " ");
}
