import {
  joinApiVersion,
  KubeObject,
  ResourceType,
  type ResourceVersion,
  type ServerBehaviour,
  type Uid,
} from '../../model/index.ts';
import type { VirtualClock } from '../clock.ts';
import type { AdmissionControl } from './admission/admission-control.ts';
import {
  type ApiAnswer,
  type ApiRefusal,
  conflict,
  type DeleteOptions,
  invalid,
  type ObjectChange,
  type ObjectDraft,
  refusal,
  type StoreEvent,
  staleVersion,
  success,
  unavailable,
  type WriteOptions,
} from './api-client.ts';
import {
  defaultPolicy,
  deletionFinalizers,
  type Grace,
  grace,
  isRemovedByUpdate,
  markAsDeleting,
  nextGeneration,
  wholeSeconds,
} from './delete-rules.ts';
import { asFirstUnderstood, firstDeletionFinalizers, unknownToFirst } from './first-deletion.ts';
import type { ApiStore, ObjectKey } from './object-store.ts';
import { revised } from './revise.ts';
import type { SimulatedDiscovery } from './simulated-discovery.ts';
import {
  admitDraft,
  deleteSpecially,
  isKeptBySpec,
  refusedByNamespace,
  refusedDelete,
  specialStores,
} from './special-stores.ts';
import {
  invalidDeleteOptions,
  invalidFinalizers,
  invalidOwners,
  invalidTemplate,
  withoutDuplicates,
} from './validation.ts';

export interface ApiServerOptions {
  readonly store: ApiStore;
  readonly clock: VirtualClock;
  readonly behaviour: ServerBehaviour;
  readonly discovery: SimulatedDiscovery;
  readonly logReads?: boolean;
  readonly admission?: AdmissionControl | undefined;
  /** Refuses requests that may be refused; otherwise they pass and are recorded as doubts. */
  readonly doubtsRefused?: boolean;
  /** Refuses requests into missing namespaces; false if namespaces may be unknown. */
  readonly namespacesKnown?: boolean;
}

export type Admit = (
  object: KubeObject | undefined,
  oldObject: KubeObject | undefined,
) => ApiRefusal | undefined;

export interface ChangeRequest extends WriteOptions {
  readonly resourceVersion?: ResourceVersion;
  readonly admit: Admit;
  readonly check: (current: KubeObject) => ApiRefusal | undefined;
  readonly change: (current: KubeObject) => ObjectChange;
}

export interface StoredIdentity {
  readonly revision: number;
  readonly uid: (number: number) => Uid;
}

/** Above every resourceVersion of a real cluster, so that none repeats. */
const FIRST_REVISION = 10 ** 15;

export class ApiStorage {
  readonly store: ApiStore;
  readonly discovery: SimulatedDiscovery;
  readonly #clock: VirtualClock;
  readonly #behaviour: ServerBehaviour;
  readonly #namespacesKnown: boolean;
  readonly #listeners: ((event: StoreEvent) => void)[] = [];
  #identity: StoredIdentity = { revision: FIRST_REVISION, uid: number => `new-${number}` as Uid };
  #revision = FIRST_REVISION;
  #uids = 0;

  constructor(options: ApiServerOptions) {
    this.store = options.store;
    this.#clock = options.clock;
    this.#behaviour = options.behaviour;
    this.discovery = options.discovery;
    this.#namespacesKnown = options.namespacesKnown ?? false;
  }

  get #isFirst(): boolean {
    return this.#behaviour.collector === '1.5';
  }

  #invalidFinalizers(finalizers: readonly string[], before: KubeObject | undefined): string | undefined {
    const unknown = this.#isFirst ? unknownToFirst(finalizers, before) : undefined;
    return unknown ?? invalidFinalizers(finalizers, before);
  }

  /** Must be called before the first object is written. */
  identifyAs(identity: StoredIdentity): void {
    this.#identity = identity;
    this.#revision = identity.revision;
  }

  onWrite(listener: (event: StoreEvent) => void): void {
    this.#listeners.push(listener);
  }

  get(target: ObjectKey): ApiAnswer {
    return this.#found(target, this.store.find(target.type, target.namespace, target.name));
  }

  #found(target: ObjectKey, object: KubeObject | undefined): ApiAnswer {
    if (object !== undefined) return success(object);
    const resource = ResourceType.groupResource(target.type);
    if (resource === 'componentstatuses' && !this.#behaviour.has('missesComponentStatuses'))
      return refusal(500, 'InternalError', `Component not found: ${target.name}`);
    return refusal(404, 'NotFound', `${resource} "${target.name}" not found`);
  }

  /** Lists in etcd's order. */
  list(type: ResourceType, namespace: string | undefined): readonly KubeObject[] {
    const items = this.store.list(type, namespace);
    return items.sort((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name));
  }

  refusedByNamespace(target: ObjectKey): ApiRefusal | undefined {
    return refusedByNamespace(this, target, this.#namespacesKnown);
  }

  create(draft: ObjectDraft, options: WriteOptions, admit: Admit): ApiAnswer {
    const { type, name } = draft;
    const namespace = draft.namespace ?? '';
    const refused =
      unavailable(this.discovery, type) ??
      this.refusedByNamespace({ type, namespace, name }) ??
      invalid(
        type,
        name,
        invalidOwners(draft.owners ?? []) ??
          this.#invalidFinalizers(draft.finalizers ?? [], undefined) ??
          invalidTemplate(draft.facts),
      );
    if (refused !== undefined) return refused;
    if (this.store.find(type, namespace, name) !== undefined) {
      return refusal(409, 'AlreadyExists', `${ResourceType.groupResource(type)} "${name}" already exists`);
    }
    const given = draft.owners ?? [];
    const owners = withoutDuplicates(given);
    const admitted = admitDraft(draft);
    const object = new KubeObject({
      ...admitted,
      // Objects are stored and watched in discovery's preferred version.
      type: this.discovery.catalog.preferredOf(type) ?? type,
      owners,
      uid: draft.uid ?? this.#newUid(),
      resourceVersion: this.#nextRevision(),
      creationTimestamp: wholeSeconds(this.#clock.now),
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
    });
    const denied = admit(object, undefined);
    if (denied !== undefined) return denied;
    if (!options.dryRun) this.write(object, undefined);
    const warnings = owners === given ? [] : ['.metadata.ownerReferences contains duplicate entries'];
    return { ...success(object, 201), warnings };
  }

  change(target: ObjectKey, request: ChangeRequest, current: KubeObject | undefined): ApiAnswer {
    const refused = unavailable(this.discovery, target.type);
    if (refused !== undefined) return refused;
    const found = this.#found(target, current);
    if (!found.ok) return found;
    const before = found.object;
    const failed = request.check(before) ?? staleVersion(before, request.resourceVersion);
    if (failed !== undefined) return failed;
    const change = request.change(before);
    const owners = withoutDuplicates(change.owners ?? before.owners);
    const finalizers = change.finalizers ?? before.finalizers;
    const error = invalidOwners(owners) ?? this.#invalidFinalizers(finalizers, before);
    if (error !== undefined) return invalid(target.type, target.name, error) ?? found;
    const after = revised(before, { ...change, owners, finalizers }, request.subresource === undefined);
    // Admission is also called for requests without changes.
    const denied = request.admit(after, before);
    if (denied !== undefined) return denied;
    if (isRemovedByUpdate(before, finalizers) && !isKeptBySpec(after)) {
      if (!request.dryRun) this.#removeStored(before);
      return { ...success(after), removed: true };
    }
    if (after === before) return found;
    const stored = revised(after, { resourceVersion: this.#nextRevision() });
    if (!request.dryRun) this.write(stored, before);
    return success(stored);
  }

  delete(target: ObjectKey, asked: DeleteOptions, current: KubeObject | undefined, admit: Admit): ApiAnswer {
    const options = this.#isFirst ? asFirstUnderstood(asked) : asked;
    const refused = unavailable(this.discovery, target.type) ?? refusedDelete(target);
    if (refused !== undefined) return refused;
    const found = this.#found(target, current);
    if (!found.ok) return found;
    const before = found.object;
    const error = invalidDeleteOptions(options);
    if (error !== undefined) {
      return refusal(422, 'Invalid', `DeleteOptions.meta.k8s.io "" is invalid: ${error}`);
    }
    const { uid, resourceVersion } = options.preconditions ?? {};
    if (uid !== undefined && uid !== before.uid) {
      return conflict(
        before,
        `the UID in the precondition (${uid}) does not match the UID in record (${before.uid})`,
      );
    }
    const stale = staleVersion(before, resourceVersion);
    if (stale !== undefined) return stale;
    // Namespaces had no propagation policies in v1.5 (pkg/registry/core/namespace/etcd/etcd.go, v1.5.8).
    const special = deleteSpecially(before, this.#isFirst ? {} : options, this.#clock.now);
    if (special === 'kept') return found;
    const mark = grace(before, options, this.#clock.now, this.#behaviour);
    // Admission isn't called either (store.go, Delete after BeforeDelete, v0.36).
    if (mark.kind === 'pending') return success(before);
    const denied = admit(undefined, before);
    if (denied !== undefined) return denied;
    if (special !== undefined) return success(this.#replace(before, special, options));
    return this.#deletePlainly(before, target.type, options, mark);
  }

  #deletePlainly(
    before: KubeObject,
    requested: ResourceType,
    options: DeleteOptions,
    mark: Exclude<Grace, { readonly kind: 'pending' }>,
  ): ApiAnswer {
    const { now } = this.#clock;
    const finalizers = this.#isFirst
      ? firstDeletionFinalizers(before.finalizers, options, requested)
      : deletionFinalizers(before.finalizers, options, defaultPolicy(requested));
    if (mark.kind === 'graceful') {
      const marked = this.#replace(
        before,
        revised(before, {
          finalizers,
          deletionTimestamp: mark.at,
          deletionGracePeriodSeconds: mark.seconds,
          generation: nextGeneration(before),
        }),
        options,
      );
      if (finalizers.length > 0 || mark.seconds > 0) return success(marked);
      return this.#removed(marked, options);
    }
    if (finalizers.length === 0) return this.#removed(before, options);
    const marked = revised(before, { finalizers, ...markAsDeleting(before, now) });
    const stored = marked === before ? before : this.#replace(before, marked, options);
    // The status differs only for the deprecated boolean.
    return success(stored, options.orphanDependents === false && !this.#isFirst ? 202 : 200);
  }

  #removed(object: KubeObject, options: DeleteOptions): ApiAnswer {
    if (!options.dryRun) this.#removeStored(object);
    return { ...success(object), removed: true };
  }

  #replace(before: KubeObject, after: KubeObject, options: DeleteOptions): KubeObject {
    const stored = revised(after, { resourceVersion: this.#nextRevision() });
    if (!options.dryRun) this.write(stored, before);
    return stored;
  }

  write(object: KubeObject, old: KubeObject | undefined): void {
    this.store.put(object, old);
    this.#emit(old === undefined ? { op: 'added', object } : { op: 'modified', object, old });
  }

  #removeStored(object: KubeObject): void {
    this.store.remove(object);
    this.#emit({ op: 'deleted', object, version: this.#nextRevision() });
  }

  #emit(event: StoreEvent): void {
    this.#clock.progressed();
    const { facts } = event.object;
    if (facts?.kind === 'CustomResourceDefinition') {
      if (event.op === 'deleted') this.discovery.undefine(facts);
      else this.discovery.define(facts);
    }
    if (facts?.kind === 'APIService') {
      const unavailable = event.op !== 'deleted' && specialStores.isUnavailable(facts);
      this.discovery.setBackend(
        joinApiVersion(facts.group, facts.version),
        unavailable ? 'unavailable' : 'available',
      );
    }
    for (const listener of this.#listeners) listener(event);
  }

  #nextRevision(): ResourceVersion {
    this.#revision++;
    return String(this.#revision) as ResourceVersion;
  }

  #newUid(): Uid {
    this.#uids++;
    return this.#identity.uid(this.#uids);
  }
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
