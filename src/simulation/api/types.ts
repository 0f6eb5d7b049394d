/** What is asked of the simulated API server and what it answers. Refusals are values, with HTTP's statuses. */

import type { Facts } from '../../model/facts/facts.ts';
import {
  type KubeObject,
  type Labels,
  namespacedName,
  type ObjectInit,
  type OwnerReference,
  type ResourceVersion,
  type Uid,
} from '../../model/object.ts';
import { groupResource, type ResourceType } from '../../model/types/resource-type.ts';
import type { Objection } from './admission/objections.ts';
import type { SimulatedDiscovery } from './discovery.ts';
import type { ObjectKey } from './store.ts';

export type PropagationPolicy = 'Background' | 'Foreground' | 'Orphan';

export interface Preconditions {
  readonly uid?: Uid;
  readonly resourceVersion?: ResourceVersion;
}

export interface DeleteOptions {
  /** A string and not a policy, because an unknown one is answered with 422. */
  readonly propagationPolicy?: PropagationPolicy | (string & {});
  /** The deprecated boolean: true is Orphan, false Background. Not together with a policy. */
  readonly orphanDependents?: boolean;
  readonly gracePeriodSeconds?: number;
  readonly preconditions?: Preconditions;
  /** Answers with the would-be object and changes nothing. */
  readonly dryRun?: boolean;
  /** Within the API server, where admission isn't asked. */
  readonly unadmitted?: boolean;
}

/** A new object. The server gives it its uid, resourceVersion and creation time; a uid may be chosen in tests. */
export type ObjectDraft = Omit<ObjectInit, 'uid' | 'resourceVersion'> & { readonly uid?: Uid };

/** The fields that an update can change; those left out stay. */
export interface ObjectChange {
  readonly owners?: readonly OwnerReference[];
  readonly finalizers?: readonly string[];
  readonly labels?: Labels;
  readonly facts?: Facts | undefined;
}

export interface WriteOptions {
  /**
   * `status` and `binding`, which gives a pod its node, don't count as a new generation; `finalize` is a namespace's
   * spec.finalizers.
   */
  readonly subresource?: 'status' | 'finalize' | 'binding';
  readonly dryRun?: boolean;
}

export interface PatchOptions extends WriteOptions, Preconditions {
  /** A strategic merge, which is refused with 415 for custom resources. */
  readonly strategic?: boolean;
}

export type Status = 400 | 403 | 404 | 405 | 409 | 415 | 422 | 500 | 503;

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
  | 'UnsupportedMediaType';

export interface ApiRefusal {
  readonly ok: false;
  readonly status: Status;
  readonly reason: StatusReason;
  readonly message: string;
  /** Of admission, where that refuses. */
  readonly objection?: Objection;
}

export interface Success {
  readonly ok: true;
  readonly status: 200 | 201 | 202;
  /** As stored after the request; for a removed object as it was last. */
  readonly object: KubeObject;
  /** The request removed the object. */
  readonly removed: boolean;
  readonly warnings: readonly string[];
}

export type ApiAnswer = Success | ApiRefusal;

export type ListAnswer = { readonly ok: true; readonly items: readonly KubeObject[] } | ApiRefusal;

/** The API server as one component sees it: every request is logged under its name. */
export interface ApiClient {
  get(target: ObjectKey): ApiAnswer;
  /** By namespace and name, as stored. Without a namespace all namespaces. */
  list(type: ResourceType, namespace?: string): ListAnswer;
  create(draft: ObjectDraft, options?: WriteOptions): ApiAnswer;
  /** PUT: refused with 409 unless `object` carries the current resourceVersion. */
  update(object: KubeObject, options?: WriteOptions): ApiAnswer;
  /**
   * PATCH: the change is computed from the stored object, as the server merges. Another uid than the stored
   * one's is refused with 422 as a change of an immutable field, another resourceVersion with 409.
   */
  patch(
    target: ObjectKey,
    change: ObjectChange | ((current: KubeObject) => ObjectChange),
    options?: PatchOptions,
  ): ApiAnswer;
  delete(target: ObjectKey, options?: DeleteOptions): ApiAnswer;
  /** One by one and not atomic; objects that are gone meanwhile are passed over (docs/kubernetes.md §4.7). */
  deleteCollection(type: ResourceType, namespace: string, options?: DeleteOptions): ListAnswer;
  /** The same with a step after each object, so that others may act in between. */
  deletingCollection(
    type: ResourceType,
    namespace: string,
    options?: DeleteOptions,
  ): Generator<void, ListAnswer, void>;
  /** A client of the same name whose requests are logged with this reason. */
  because(reason: string): ApiClient;
}

export type Verb = 'get' | 'list' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

export interface LoggedRequest {
  readonly n: number;
  /** Virtual milliseconds since the epoch. */
  readonly at: number;
  /** The component that asked: `garbage-collector`, `kubelet`, `user`, … */
  readonly actor: string;
  readonly verb: Verb;
  readonly type: ResourceType;
  readonly namespace: string;
  /** `''` for lists and collections. */
  readonly name: string;
  readonly uid: Uid | undefined;
  readonly subresource: WriteOptions['subresource'];
  readonly options: DeleteOptions | undefined;
  readonly status: number;
  readonly because: string | undefined;
  /** Who refused it; undefined where admission didn't. */
  readonly objection: Objection | undefined;
  /** The object before and after, where the request changed it; `after` is undefined where it was removed. */
  readonly before: KubeObject | undefined;
  readonly after: KubeObject | undefined;
}

export type StoreEvent =
  | { readonly op: 'added'; readonly object: KubeObject }
  | { readonly op: 'modified'; readonly object: KubeObject; readonly old: KubeObject }
  /** `object` is the last state. */
  /** `version`: of the deletion itself; undefined where a list no longer holds the object. */
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
  return `${groupResource(object.type)} "${namespacedName(object)}"`;
}

/** Why no request on this type can be served now. */
export function unavailable(discovery: SimulatedDiscovery, type: ResourceType): ApiRefusal | undefined {
  switch (discovery.availability(type)) {
    case 'served':
    case 'unlistable':
      return undefined;
    case 'gone':
      return refusal(404, 'NotFound', 'the server could not find the requested resource');
    case 'failing':
      return refusal(500, 'InternalError', `conversion webhook for ${groupResource(type)} failed`);
    case 'undiscoverable':
      return refusal(503, 'ServiceUnavailable', 'the server is currently unable to handle the request');
  }
}

export function unlistable(discovery: SimulatedDiscovery, type: ResourceType): ApiRefusal | undefined {
  return discovery.availability(type) === 'unlistable'
    ? refusal(500, 'InternalError', `listing ${groupResource(type)} failed`)
    : undefined;
}
