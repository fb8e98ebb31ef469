/** What a map holds under a key; made and kept where there is nothing yet. */
export function getOrMake<T>(map: Map<string, T>, key: string, make: () => T): T {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
