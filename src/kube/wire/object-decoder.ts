import { FactsTable, KubeObject, type ResourceType } from '../../model/index.ts';
import type { Cursor } from './cursor.ts';
import { type FactsReader, TableReader } from './facts-reader.ts';
import { newDraft, readObjectMeta } from './object-meta.ts';
import { PodFactsReader } from './pod-facts-reader.ts';
import type { Pool } from './pool.ts';

export class ObjectDecoder {
  readonly type: ResourceType;
  readonly #pool: Pool;
  readonly #facts: FactsReader | undefined;

  /** `full`: the bytes are whole objects, not PartialObjectMetadata, so facts are read. */
  constructor(type: ResourceType, pool: Pool, full: boolean) {
    this.type = type;
    this.#pool = pool;
    this.#facts = full ? createFactsReader(type, pool) : undefined;
  }

  /**
   * Returns undefined for an object without a name or uid, like `objectJson.read`. Throws `WireError` on malformed
   * bytes.
   */
  decode(cursor: Cursor, end: number): KubeObject | undefined {
    const { type } = this;
    const draft = newDraft(type);
    const facts = this.#facts;
    facts?.begin();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) readObjectMeta(cursor, this.#pool, draft);
      else facts?.read(field, cursor, end, draft);
    }
    cursor.leave(end);
    if (draft.name === '' || draft.uid === '') return undefined;
    // The API server ignores a namespace here as well.
    if (!type.namespaced) draft.namespace = '';
    if (facts !== undefined) draft.facts = facts.finish();
    return new KubeObject(draft);
  }
}

/** Returns undefined for a kind without facts. */
function createFactsReader(type: ResourceType, pool: Pool): FactsReader | undefined {
  const table = FactsTable.of(type);
  if (table === undefined) return undefined;
  return table === FactsTable.ofPods ? new PodFactsReader(pool) : new TableReader(table, pool);
}
