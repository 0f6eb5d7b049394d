/**
 * The requests that the collector makes of the API server, with its handling of conflicts and of types that
 * cannot be merged strategically (docs/kubernetes.md §2.5, §2.6, §3.3; operations.go and patch.go, v1.36).
 */

import type { GraphNode, Identity } from '../../graph/node.ts';
import { equalReferences } from '../../graph/owner-changes.ts';
import type { KubeObject, OwnerReference, Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { ObjectKey, ObjectReader } from '../api/store.ts';
import type { ApiAnswer, ApiClient, ObjectChange, PropagationPolicy } from '../api/types.ts';

/** `gone`: the object isn't there. `failed`: to be tried again. */
export type RequestOutcome = 'done' | 'gone' | 'failed';

export interface CollectorRequestsOptions {
  readonly api: ApiClient;
  readonly cache: ObjectReader;
  /** The type by the collector's REST mapper. */
  readonly resolve: (apiVersion: string, kind: string) => ResourceType | undefined;
  /** Whether objects of the type are in the cache. */
  readonly watches: (type: ResourceType) => boolean;
}

/** Tries of a finalizer's removal while it conflicts. */
const FINALIZER_TRIES = 4;

export class CollectorRequests {
  readonly #options: CollectorRequestsOptions;

  constructor(options: CollectorRequestsOptions) {
    this.#options = options;
  }

  /** Where an identity is to be found; undefined when its kind is not resolvable. */
  keyOf(identity: Identity): ObjectKey | undefined {
    const type = this.#options.resolve(identity.apiVersion, identity.kind);
    if (type === undefined) return undefined;
    return { type, namespace: type.namespaced ? identity.namespace : '', name: identity.name };
  }

  get(key: ObjectKey): ApiAnswer {
    return this.#options.api.get(key);
  }

  delete(item: Identity, live: KubeObject, policy: PropagationPolicy, because: string): RequestOutcome {
    const key = this.keyOf(item);
    if (key === undefined) return 'failed';
    const api = this.#options.api.because(because);
    const { uid } = item;
    const { resourceVersion } = live;
    const answer = api.delete(key, { propagationPolicy: policy, preconditions: { uid, resourceVersion } });
    if (answer.ok || answer.status !== 409) return outcome(answer);
    // A change that left the owners alone must not starve the collector.
    const again = api.get(key);
    if (!again.ok) return again.status === 404 ? 'gone' : 'failed';
    const { object } = again;
    if (object.uid !== uid || object.resourceVersion === resourceVersion || !sameOwners(object, live)) {
      return 'failed';
    }
    return outcome(api.delete(key, { propagationPolicy: policy, preconditions: { uid } }));
  }

  /** Drops the references to these uids. */
  dropOwners(item: Identity, uids: ReadonlySet<Uid>, because: string): RequestOutcome {
    const without = (object: KubeObject): ObjectChange => ({
      owners: object.owners.filter(owner => !uids.has(owner.uid)),
    });
    return this.#patch(item, { strategic: without, merge: without, because });
  }

  /** Makes every reference of the item non-blocking, as the graph knows them. */
  unblock(item: GraphNode, because: string): RequestOutcome {
    const unblocked = (owner: OwnerReference): OwnerReference => ({ ...owner, blockOwnerDeletion: false });
    const blocking = item.owners.filter(owner => owner.blockOwnerDeletion === true).map(unblocked);
    return this.#patch(item.identity, {
      strategic: object => ({ owners: mergedByUid(object.owners, blocking) }),
      merge: () => ({ owners: item.owners.map(unblocked) }),
      because,
    });
  }

  removeFinalizer(item: Identity, finalizer: string, because: string): RequestOutcome {
    const key = this.keyOf(item);
    if (key === undefined) return 'failed';
    const api = this.#options.api.because(because);
    for (let tries = 0; tries < FINALIZER_TRIES; tries++) {
      const found = api.get(key);
      if (!found.ok) return found.status === 404 ? 'done' : 'failed';
      const { finalizers, resourceVersion } = found.object;
      if (!finalizers.includes(finalizer)) return 'done';
      const change = { finalizers: finalizers.filter(each => each !== finalizer) };
      const answer = api.patch(key, change, { resourceVersion });
      if (answer.ok) return 'done';
      if (answer.status !== 409) return 'failed';
    }
    return 'failed';
  }

  #patch(item: Identity, patch: Patch): RequestOutcome {
    const key = this.keyOf(item);
    if (key === undefined) return 'failed';
    const api = this.#options.api.because(patch.because);
    const strategic = api.patch(key, patch.strategic, { uid: item.uid, strategic: true });
    if (strategic.ok || strategic.status !== 415) return outcome(strategic);
    // The merge patch is made from the collector's cache, and conflicts where that is behind.
    const cached = this.#options.watches(key.type)
      ? this.#options.cache.find(key.type, key.namespace, key.name)
      : undefined;
    const known = cached === undefined ? api.get(key) : undefined;
    const object = cached ?? (known?.ok ? known.object : undefined);
    if (object === undefined) return known?.ok === false && known.status === 404 ? 'gone' : 'failed';
    const { resourceVersion } = object;
    return outcome(api.patch(key, patch.merge(object), { resourceVersion }));
  }
}

interface Patch {
  /** Merged by the server with what is stored. */
  readonly strategic: (stored: KubeObject) => ObjectChange;
  /** Made from what the collector knows. */
  readonly merge: (known: KubeObject) => ObjectChange;
  readonly because: string;
}

function outcome(answer: ApiAnswer): RequestOutcome {
  if (answer.ok) return 'done';
  return answer.status === 404 ? 'gone' : 'failed';
}

/** As a strategic merge does: entries of the same uid are replaced, others added. */
function mergedByUid(
  owners: readonly OwnerReference[],
  patches: readonly OwnerReference[],
): readonly OwnerReference[] {
  const merged = [...owners];
  for (const patch of patches) {
    const index = merged.findIndex(owner => owner.uid === patch.uid);
    if (index < 0) merged.push(patch);
    else merged[index] = patch;
  }
  return merged;
}

function sameOwners(a: KubeObject, b: KubeObject): boolean {
  return (
    a.owners.length === b.owners.length &&
    a.owners.every((owner, index) => {
      const other = b.owners[index];
      return other !== undefined && equalReferences(owner, other);
    })
  );
}
