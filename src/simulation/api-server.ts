/**
 * The API server in memory: stored objects, the requests that components make of them, and the watch events
 * that follow from writes. What a DELETE means is in `api-deletion.ts`; namespaces and definitions, whose
 * stores differ, are in `api-special-stores.ts`.
 */
import { KubeObject, type ResourceVersion, type Uid } from '../model/object.ts';
import { groupResource, type ResourceType } from '../model/resource-type.ts';
import {
  conflict,
  describe,
  invalid,
  refusal,
  staleVersion,
  success,
  unavailable,
  unlistable,
} from './api-answers.ts';
import {
  defaultPolicy,
  deletionFinalizers,
  grace,
  isRemovedByUpdate,
  markAsDeleting,
  nextGeneration,
  wholeSeconds,
} from './api-deletion.ts';
import { RequestLog } from './api-log.ts';
import {
  admitDraft,
  deleteSpecially,
  isCustom,
  isKeptBySpec,
  refusedByNamespace,
  refusedDelete,
} from './api-special-stores.ts';
import type {
  Answer,
  ApiClient,
  DeleteOptions,
  Draft,
  ListAnswer,
  ObjectChange,
  PatchOptions,
  Refusal,
  WatchEvent,
  WriteOptions,
} from './api-types.ts';
import {
  invalidDeleteOptions,
  invalidFinalizers,
  invalidOwners,
  withoutDuplicates,
} from './api-validation.ts';
import type { VirtualClock } from './clock.ts';
import type { Discovery } from './discovery.ts';
import { revised } from './revise.ts';
import type { ObjectKey, ObjectStore } from './store.ts';

export interface ApiServerOptions {
  readonly store: ObjectStore;
  readonly clock: VirtualClock;
  readonly discovery: Discovery;
  /** Logs reads too, for tests and for stepping. */
  readonly logReads?: boolean;
  /** Requests into namespaces that don't exist are refused; left off where namespaces may be unknown. */
  readonly namespacesKnown?: boolean;
}

/** Above every resourceVersion of a real cluster, so that none of them comes up again. */
const FIRST_REVISION = 10 ** 15;

/** A request and the component that makes it. */
interface Caller {
  readonly actor: string;
  readonly because: string | undefined;
}

export class SimulatedApiServer {
  readonly store: ObjectStore;
  readonly clock: VirtualClock;
  readonly discovery: Discovery;
  readonly log: RequestLog;
  private readonly namespacesKnown: boolean;
  private readonly listeners: ((event: WatchEvent) => void)[] = [];
  private revision = FIRST_REVISION;
  private uids = 0;

  constructor(options: ApiServerOptions) {
    this.store = options.store;
    this.clock = options.clock;
    this.discovery = options.discovery;
    this.namespacesKnown = options.namespacesKnown ?? false;
    this.log = new RequestLog(options.logReads ?? false);
  }

  /** The server as this component sees it. */
  as(actor: string, because?: string): ApiClient {
    const caller: Caller = { actor, because };
    return {
      get: target => this.get(caller, target),
      list: (type, namespace) => this.list(caller, type, namespace),
      create: (draft, options) => this.create(caller, draft, options),
      update: (object, options) => this.update(caller, object, options),
      patch: (target, change, options) => this.patch(caller, target, change, options),
      delete: (target, options) => this.delete(caller, target, options),
      deleteCollection: (type, namespace, options) => this.deleteCollection(caller, type, namespace, options),
      because: reason => this.as(actor, reason),
    };
  }

  /** Told of every write at once; informers deliver it later. */
  onWrite(listener: (event: WatchEvent) => void): void {
    this.listeners.push(listener);
  }

  /** Writes past all rules, as a test or a scenario sets up a state. */
  seed(object: KubeObject): void {
    const old = this.store.byUid(object.uid);
    this.store.put(object);
    this.emit(old === undefined ? { op: 'added', object } : { op: 'modified', object, old });
  }

  private get(caller: Caller, target: ObjectKey): Answer {
    const answer = unavailable(this.discovery, target.type) ?? this.stored(target);
    this.log.read(this.clock.now, caller, 'get', target, answer);
    return answer;
  }

  private list(caller: Caller, type: ResourceType, namespace: string | undefined): ListAnswer {
    const refused = unavailable(this.discovery, type) ?? unlistable(this.discovery, type);
    const answer: ListAnswer = refused ?? { ok: true, items: this.sorted(type, namespace) };
    this.log.read(
      this.clock.now,
      caller,
      'list',
      { type, namespace: namespace ?? '', name: '' },
      refused ?? { status: 200 },
    );
    return answer;
  }

  /** In etcd's order. */
  private sorted(type: ResourceType, namespace: string | undefined): readonly KubeObject[] {
    const items = this.store.list(type, namespace);
    return items.sort((a, b) => compare(a.namespace, b.namespace) || compare(a.name, b.name));
  }

  private create(caller: Caller, draft: Draft, options: WriteOptions = {}): Answer {
    const answer = this.tryCreate(draft, options);
    this.log.write(this.clock.now, caller, {
      verb: 'create',
      target: draft,
      answer,
      ...(answer.ok && !options.dryRun ? { after: answer.object } : {}),
    });
    return answer;
  }

  private tryCreate(draft: Draft, options: WriteOptions): Answer {
    const { type, name } = draft;
    const namespace = draft.namespace ?? '';
    const refused =
      unavailable(this.discovery, type) ??
      refusedByNamespace(this, { type, namespace, name }, this.namespacesKnown) ??
      invalid(
        type,
        name,
        invalidOwners(draft.owners ?? []) ?? invalidFinalizers(draft.finalizers ?? [], undefined),
      );
    if (refused !== undefined) return refused;
    if (this.store.find(type, namespace, name) !== undefined) {
      return refusal(409, 'AlreadyExists', `${groupResource(type)} "${name}" already exists`);
    }
    const given = draft.owners ?? [];
    const owners = withoutDuplicates(given);
    const admitted = admitDraft(draft);
    const object = new KubeObject({
      ...admitted,
      // Objects are stored, and watched, in the version that discovery prefers.
      type: this.discovery.catalog.preferredOf(type) ?? type,
      owners,
      uid: draft.uid ?? this.newUid(),
      resourceVersion: this.nextRevision(),
      creationTimestamp: wholeSeconds(this.clock.now),
      deletionTimestamp: undefined,
      deletionGracePeriodSeconds: undefined,
    });
    if (!options.dryRun) this.write(object, undefined);
    const warnings = owners === given ? [] : ['.metadata.ownerReferences contains duplicate entries'];
    return { ...success(object, 201), warnings };
  }

  private update(caller: Caller, object: KubeObject, options: WriteOptions = {}): Answer {
    const { owners, finalizers, labels, facts, uid, resourceVersion } = object;
    return this.change(caller, 'update', object, {
      ...options,
      // An update with another uid fails its precondition, a patch changes an immutable field.
      check: current => (current.uid === uid ? undefined : conflict(current, 'the UID does not match')),
      resourceVersion,
      change: () => ({ owners, finalizers, labels, facts }),
    });
  }

  private patch(
    caller: Caller,
    target: ObjectKey,
    change: ObjectChange | ((current: KubeObject) => ObjectChange),
    options: PatchOptions = {},
  ): Answer {
    const { uid, strategic = false } = options;
    if (strategic && isCustom(this, target.type)) {
      const answer = refusal(415, 'UnsupportedMediaType', 'the body of the request was in an unknown format');
      this.log.write(this.clock.now, caller, { verb: 'patch', target, answer });
      return answer;
    }
    return this.change(caller, 'patch', target, {
      ...options,
      check: current =>
        uid === undefined || current.uid === uid
          ? undefined
          : refusal(422, 'Invalid', `${describe(current)} is invalid: metadata.uid: field is immutable`),
      change: typeof change === 'function' ? change : () => change,
    });
  }

  private change(
    caller: Caller,
    verb: 'update' | 'patch',
    target: ObjectKey,
    request: ChangeRequest,
  ): Answer {
    const before = this.store.find(target.type, target.namespace, target.name);
    const answer = this.tryChange(target, request);
    const changed = answer.ok && !request.dryRun && (answer.removed || answer.object !== before);
    this.log.write(this.clock.now, caller, {
      verb,
      target,
      answer,
      subresource: request.subresource,
      ...(changed ? { before, ...(answer.removed ? {} : { after: answer.object }) } : {}),
    });
    return answer;
  }

  private tryChange(target: ObjectKey, request: ChangeRequest): Answer {
    const refused = unavailable(this.discovery, target.type);
    if (refused !== undefined) return refused;
    const found = this.stored(target);
    if (!found.ok) return found;
    const before = found.object;
    const failed = request.check(before) ?? staleVersion(before, request.resourceVersion);
    if (failed !== undefined) return failed;
    const change = request.change(before);
    const owners = withoutDuplicates(change.owners ?? before.owners);
    const finalizers = change.finalizers ?? before.finalizers;
    const error = invalidOwners(owners) ?? invalidFinalizers(finalizers, before);
    if (error !== undefined) return invalid(target.type, target.name, error) ?? found;
    const after = revised(before, { ...change, owners, finalizers }, request.subresource === undefined);
    if (isRemovedByUpdate(before, finalizers) && !isKeptBySpec(after)) {
      if (!request.dryRun) this.removeStored(before);
      return { ...success(after), removed: true };
    }
    if (after === before) return found;
    const stored = revised(after, { resourceVersion: this.nextRevision() });
    if (!request.dryRun) this.write(stored, before);
    return success(stored);
  }

  private delete(caller: Caller, target: ObjectKey, options: DeleteOptions = {}): Answer {
    const before = this.store.find(target.type, target.namespace, target.name);
    const answer = this.tryDelete(target, options);
    const changed = answer.ok && !options.dryRun && (answer.removed || answer.object !== before);
    this.log.write(this.clock.now, caller, {
      verb: 'delete',
      target,
      answer,
      options,
      uid: before?.uid,
      ...(changed ? { before, ...(answer.removed ? {} : { after: answer.object }) } : {}),
    });
    return answer;
  }

  private tryDelete(target: ObjectKey, options: DeleteOptions): Answer {
    const refused = unavailable(this.discovery, target.type) ?? refusedDelete(target);
    if (refused !== undefined) return refused;
    const found = this.stored(target);
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
    const special = deleteSpecially(before, options, this.clock.now);
    if (special === 'kept') return found;
    if (special !== undefined) return success(this.replace(before, special, options));
    return this.deletePlainly(before, target.type, options);
  }

  private deletePlainly(before: KubeObject, requested: ResourceType, options: DeleteOptions): Answer {
    const { now } = this.clock;
    const mark = grace(before, options, now);
    if (mark.kind === 'pending') return success(before);
    const finalizers = deletionFinalizers(before.finalizers, options, defaultPolicy(requested));
    if (mark.kind === 'graceful') {
      const marked = this.replace(
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
      return this.removed(marked, options);
    }
    if (finalizers.length === 0) return this.removed(before, options);
    const marked = revised(before, { finalizers, ...markAsDeleting(before, now) });
    const stored = marked === before ? before : this.replace(before, marked, options);
    // The status only differs for clients that ask by the deprecated boolean.
    return success(stored, options.orphanDependents === false ? 202 : 200);
  }

  private removed(object: KubeObject, options: DeleteOptions): Answer {
    if (!options.dryRun) this.removeStored(object);
    return { ...success(object), removed: true };
  }

  private deleteCollection(
    caller: Caller,
    type: ResourceType,
    namespace: string,
    options: DeleteOptions = {},
  ): ListAnswer {
    const refused =
      unavailable(this.discovery, type) ??
      (type.verbs.includes('deletecollection')
        ? undefined
        : refusal(405, 'MethodNotAllowed', `deletecollection is not supported on ${groupResource(type)}`));
    const target = { type, namespace, name: '' };
    this.log.write(this.clock.now, caller, {
      verb: 'deletecollection',
      target,
      answer: refused ?? { status: 200 },
      options,
    });
    if (refused !== undefined) return refused;
    const items = this.sorted(type, type.namespaced ? namespace : undefined);
    for (const item of items) {
      const answer = this.delete(caller, item, options);
      if (!answer.ok && answer.status !== 404) return answer;
    }
    return { ok: true, items };
  }

  private stored(target: ObjectKey): Answer {
    const object = this.store.find(target.type, target.namespace, target.name);
    return object === undefined
      ? refusal(404, 'NotFound', `${groupResource(target.type)} "${target.name}" not found`)
      : success(object);
  }

  private replace(before: KubeObject, after: KubeObject, options: DeleteOptions): KubeObject {
    const stored = revised(after, { resourceVersion: this.nextRevision() });
    if (!options.dryRun) this.write(stored, before);
    return stored;
  }

  private write(object: KubeObject, old: KubeObject | undefined): void {
    this.store.put(object);
    this.emit(old === undefined ? { op: 'added', object } : { op: 'modified', object, old });
  }

  private removeStored(object: KubeObject): void {
    this.store.remove(object);
    this.emit({ op: 'deleted', object });
  }

  private emit(event: WatchEvent): void {
    this.clock.progressed();
    const { facts } = event.object;
    if (facts?.kind === 'CustomResourceDefinition') {
      if (event.op === 'deleted') this.discovery.undefine(facts);
      else this.discovery.define(facts);
    }
    for (const listener of this.listeners) listener(event);
  }

  private nextRevision(): ResourceVersion {
    this.revision++;
    return String(this.revision) as ResourceVersion;
  }

  private newUid(): Uid {
    this.uids++;
    return `new-${this.uids}` as Uid;
  }
}

interface ChangeRequest extends WriteOptions {
  readonly resourceVersion?: ResourceVersion;
  readonly check: (current: KubeObject) => Refusal | undefined;
  readonly change: (current: KubeObject) => ObjectChange;
}

function compare(a: string, b: string): number {
  return a === b ? 0 : a < b ? -1 : 1;
}
