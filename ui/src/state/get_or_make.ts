/** Return the map's value under `key`; make and store a missing one. */
export function getOrMake<T>(map: Map<string, T>, key: string, make: () => T): T {
  const value = map.get(key);
  if (value !== undefined) return value;
  const made = make();
  map.set(key, made);
  return made;
}
