/** Returns the value under a key, made and stored if missing (as `Map.prototype.getOrInsertComputed`). */
export function getOrInsert<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** Looks up an untrusted word, ignoring properties of every JavaScript object (`constructor`). */
export function ownEntry<V>(table: Readonly<Record<string, V>>, word: string): V | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
