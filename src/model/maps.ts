/** The value under a key; made, and kept there, where there is none (as `Map.prototype.getOrInsertComputed`). */
export function getOrInsert<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  let value = map.get(key);
  if (value === undefined) {
    value = make();
    map.set(key, value);
  }
  return value;
}

/** What a table has under a word that somebody chose; never what every JavaScript object has (`constructor`). */
export function ownEntry<V>(table: Readonly<Record<string, V>>, word: string): V | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}
