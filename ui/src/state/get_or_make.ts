/** Return the map's value under `key`, made and stored if there is none. */
export function getOrMake<T>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key);
  if (value !== undefined) return value;
  const made = make();
  map.set(key, made);
  return made;
}
