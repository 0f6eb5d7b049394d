import { factsKind } from '../../model/facts/facts.ts';
import { KubeObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { Cursor } from './cursor.ts';
import { policyReaders, WebhooksReader } from './facts/admission.ts';
import { layoutReaders } from './facts/cluster.ts';
import type { FactsReader } from './facts/parts.ts';
import { RoleBindingReader, RoleReader } from './facts/permissions.ts';
import { PodFactsReader } from './facts/pods.ts';
import { WorkloadFactsReader } from './facts/workloads.ts';
import { newDraft, readObjectMeta } from './object-meta.ts';
import type { Pool } from './pool.ts';

export class ObjectDecoder {
  readonly type: ResourceType;
  readonly #pool: Pool;
  readonly #facts: FactsReader | undefined;

  /** `full`: the bytes are whole objects, not PartialObjectMetadata, so facts are read. */
  constructor(type: ResourceType, pool: Pool, full: boolean) {
    this.type = type;
    this.#pool = pool;
    this.#facts = full ? factsReader(type, pool) : undefined;
  }

  /**
   * Returns undefined for an object without a name or uid, like `objectFromJson`. Throws `WireError` on malformed
   * bytes.
   */
  decode(cursor: Cursor, end: number): KubeObject | undefined {
    const { type } = this;
    const draft = newDraft(type);
    const facts = this.#facts;
    facts?.clear();
    for (let field = cursor.nextField(end); field !== 0; field = cursor.nextField(end)) {
      if (field === 1) readObjectMeta(cursor, this.#pool, draft);
      else if (facts === undefined) continue;
      else if (field === 2) facts.readSpec(cursor, draft);
      else if (field === 3) facts.readStatus(cursor);
    }
    cursor.leave(end);
    if (draft.name === '' || draft.uid === '') return undefined;
    // The API server ignores a namespace here as well.
    if (!type.namespaced) draft.namespace = '';
    if (facts !== undefined) draft.facts = facts.finish();
    return new KubeObject(draft);
  }
}

function factsReader(type: ResourceType, pool: Pool): FactsReader | undefined {
  const kind = factsKind(type);
  if (kind === undefined) return undefined;
  if (kind === 'Pod') return new PodFactsReader(pool);
  if (kind === 'Role') return new RoleReader(pool);
  if (kind === 'RoleBinding') return new RoleBindingReader(pool);
  if (kind === 'WebhookConfiguration') return new WebhooksReader(pool, type.kind);
  if (kind === 'AdmissionPolicy' || kind === 'AdmissionBinding') return policyReaders[kind](pool, type.kind);
  return kind === 'Workload' ? new WorkloadFactsReader(pool, type.kind) : layoutReaders[kind](pool);
}
