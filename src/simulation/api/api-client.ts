/** Requests and answers of the simulated API server. Refusals are values with HTTP statuses. */

import {
  type Facts,
  type KubeObject,
  type Labels,
  namespacedName,
  type ObjectInit,
  type OwnerReference,
  ResourceType,
  type ResourceVersion,
  type Uid,
} from '../../model/index.ts';
import type { Objection } from './admission/objections.ts';
import type { ObjectKey } from './object-store.ts';
import type { SimulatedDiscovery } from './simulated-discovery.ts';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export interface Preconditions {
  readonly uid?: Uid;
  readonly resourceVersion?: ResourceVersion;
}

export interface DeleteOptions {
  /** A string, because an unknown policy is answered with 422. */
  readonly propagationPolicy?: PropagationPolicy | (string & {});
  /** The deprecated boolean: true is Orphan, false Background. Excludes a policy. */
  readonly orphanDependents?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: Preconditions;
  readonly dryRun?: boolean;
  /** Skips admission, for requests within the API server. */
  readonly unadmitted?: boolean;
}

/** A new object. The server sets uid, resourceVersion and creation time; tests may choose the uid. */
export type ObjectDraft = Omit<ObjectInit, 'uid' | 'resourceVersion'> & { readonly uid?: Uid };

/** The fields that an update can change; missing ones stay. */
export interface ObjectChange {
  readonly owners?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly labels?: Labels;
  readonly facts?: Facts | undefined;
}

export interface WriteOptions {
  /** `status` and `binding` don't increment the generation; `finalize` writes a namespace's spec.finalizers. */
  readonly subresource?: 'status' | 'finalize' | 'binding';
  readonly dryRun?: boolean;
}

export interface PatchOptions extends WriteOptions, Preconditions {
  /** A strategic merge, which is refused with 415 for custom resources. */
  readonly strategic?: boolean;
}

export type Status = 400 | 403 | 404 | 405 | 409 | 415 | 422 | 429 | 500 | 503;

export type StatusReason =
  | 'AlreadyExists'
  | 'Conflict'
  | 'Forbidden'
  | 'InternalError'
  | 'Invalid'
  | 'MethodNotAllowed'
  | 'NamespaceTerminating'
  | 'NotFound'
  | 'ServiceUnavailable'
  | 'TooManyRequests'
  | 'UnsupportedMediaType';

export interface ApiRefusal {
  readonly ok: false;
  readonly status: Status;
  readonly reason: StatusReason;
  readonly message: string;
  readonly objection?: Objection;
}

export interface Success {
  readonly ok: true;
  readonly status: 200 | 201 | 202;
  /** The stored object, or the last state of a removed one. */
  readonly object: KubeObject;
  readonly removed: boolean;
  readonly warnings: readonly string[];
}

export type ApiAnswer = Success | ApiRefusal;

export type ListAnswer = { readonly ok: true; readonly items: readonly KubeObject[] } | ApiRefusal;

export interface ApiClient {
  get(target: ObjectKey): ApiAnswer;
  list(type: ResourceType, namespace?: string): ListAnswer;
  create(draft: ObjectDraft, options?: WriteOptions): ApiAnswer;
  /** PUT: refused with 409 unless `object` has the current resourceVersion. */
  update(object: KubeObject, options?: WriteOptions): ApiAnswer;
  /** PATCH: refused with 422 for a different uid (immutable field), with 409 for a different resourceVersion. */
  patch(
    target: ObjectKey,
    change: ObjectChange | ((current: KubeObject) => ObjectChange),
    options?: PatchOptions,
  ): ApiAnswer;
  delete(target: ObjectKey, options?: DeleteOptions): ApiAnswer;
  /** POST to the subresource `eviction`, which is refused with 429 if a PodDisruptionBudget allows none. */
  evict(pod: ObjectKey, options?: DeleteOptions): ApiAnswer;
  /** Deletes one object at a time, not atomically, and skips objects deleted meanwhile (docs/kubernetes.md §4.7). */
  deleteCollection(type: ResourceType, namespace: string, options?: DeleteOptions): ListAnswer;
  /** Yields after each object, so that others may act in between. */
  deletingCollection(
    type: ResourceType,
    namespace: string,
    options?: DeleteOptions,
  ): Generator<void, ListAnswer, void>;
  because(reason: string): ApiClient;
}

export type Verb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface LoggedRequest {
  readonly n: number;
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  /** The requesting component: `garbage-collector`, `kubelet`, `user`, … */
  readonly actor: string;
  readonly verb: Verb;
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
  readonly uid: Uid | undefined;
  /** `eviction`: sent as a POST, logged as the deletion that it is. */
  readonly subresource: WriteOptions['subresource'] | 'eviction';
  readonly options: DeleteOptions | undefined;
  readonly status: number;
  readonly because: string | undefined;
  /** Undefined if admission didn't refuse it. */
  readonly objection: Objection | undefined;
  /** The PodDisruptionBudget against which an eviction counts, or that refuses it. */
  readonly budget?: KubeObject | undefined;
  /** The object before and after a change; `after` is undefined if it was removed. */
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

export type StoreEvent =
  | { readonly op: 'added'; readonly object: KubeObject }
  | { readonly op: 'modified'; readonly object: KubeObject; readonly old: KubeObject }
  /** `version`: of the deletion itself; undefined if a list no longer holds the object. */
  | { readonly op: 'deleted'; readonly object: KubeObject; readonly version?: ResourceVersion };

const none: readonly string[] = Object.freeze([]);

export function success(object: KubeObject, status: Success['status'] = 200): Success {
  return { ok: true, status, object, removed: false, warnings: none };
}

export function refusal(status: Status, reason: StatusReason, message: string): ApiRefusal {
  return { ok: false, status, reason, message };
}

export function staleVersion(
  current: KubeObject,
  expected: ResourceVersion | undefined,
): ApiRefusal | undefined {
  return expected === undefined || expected === current.resourceVersion
    ? undefined
    : conflict(
        current,
        'the object has been modified; please apply your changes to the latest version and try again',
      );
}

export function conflict(current: KubeObject, detail: string): ApiRefusal {
  return refusal(409, 'Conflict', `Operation cannot be fulfilled on ${describe(current)}: ${detail}`);
}

export function invalid(type: ResourceType, name: string, error: string | undefined): ApiRefusal | undefined {
  return error === undefined
    ? undefined
    : refusal(422, 'Invalid', `${type.kind} "${name}" is invalid: ${error}`);
}

export function describe(object: KubeObject): string {
  return `${ResourceType.groupResource(object.type)} "${namespacedName(object)}"`;
}

export function unavailable(discovery: SimulatedDiscovery, type: ResourceType): ApiRefusal | undefined {
  switch (discovery.availability(type)) {
    case 'served':
    case 'unlistable':
      return undefined;
    case 'gone':
      return refusal(404, 'NotFound', 'the server could not find the requested resource');
    case 'failing':
      return refusal(
        500,
        'InternalError',
        `conversion webhook for ${ResourceType.groupResource(type)} failed`,
      );
    case 'undiscoverable':
      return refusal(503, 'ServiceUnavailable', 'the server is currently unable to handle the request');
  }
}

export function unlistable(discovery: SimulatedDiscovery, type: ResourceType): ApiRefusal | undefined {
  return discovery.availability(type) === 'unlistable'
    ? refusal(500, 'InternalError', `listing ${ResourceType.groupResource(type)} failed`)
    : undefined;
}
