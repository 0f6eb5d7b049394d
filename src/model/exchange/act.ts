import { list, record } from '../json/json.ts';
import type { Uid } from '../object.ts';
import { nameInPath, prose } from '../text/shown.ts';

export interface ActRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path below the server's base path, without a query: `/api/v1/namespaces/shop/pods/web-0`. */
  readonly path: string;
  readonly contentType: string;
  readonly body: unknown;
  /** Old uid of an object that a POST recreates: owner references in later requests get its new uid. Not sent. */
  readonly formerUid?: string;
  /** True if that object is still to go first; its backup then completes the body. Not sent. */
  readonly replaces?: true;
  /** Objects with the pod template of a StatefulSet, Deployment or ReplicaSet; the first has `formerUid`. Not sent. */
  readonly rebuiltFrom?: {
    readonly kind: 'ControllerRevision' | 'ReplicaSet' | 'Pod';
    readonly names: readonly string[];
  };
  /** Name of the definition that an earlier request creates for this kind; no answer is predictable yet. Not sent. */
  readonly definition?: string;
}

export interface ActAnswer {
  readonly status: number;
  /** Parsed JSON, the object or a `Status`; undefined if the answer is no JSON. */
  readonly body: unknown;
  /** Milliseconds that a busy API server asks to wait before a retry. */
  readonly retryAfterMs?: number;
}

/** Reports whether the API server didn't process the request. After any other error it may have taken effect. */
function isUnsent(error: unknown): boolean {
  return error instanceof Error && 'unsent' in error && error.unsent === true;
}

/** Reports whether the user can never read the object, or not one by one (403, 405). */
function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'status' in error && (error.status === 403 || error.status === 405);
}

/** Reports whether the request may have taken effect: storage, a webhook or a proxy didn't answer in time. */
function leavesOpen({ status }: Pick<ActAnswer, 'status'>): boolean {
  return status === 408 || status >= 500;
}

/** Reports whether a request stores nothing: the API server only answers a review, so it can be repeated. */
function isReview({ method, path }: ActRequest): boolean {
  if (method !== 'POST') return false;
  const { group, resource } = placeOf(path) ?? {};
  return (
    group === 'authorization.k8s.io' || (group === 'authentication.k8s.io' && resource === 'tokenreviews')
  );
}

/** Returns the API server's refusal on one line; undefined if it accepted. */
function refusalOf({ status, body, retryAfterMs = 0 }: ActAnswer): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  const { message } = record(body) as { message?: unknown };
  const said = typeof message === 'string' && message !== '' ? prose(message) : `HTTP ${status}`;
  return retryAfterMs < LONG_WAIT_MS
    ? said
    : `${said} (it asks to wait ${Math.round(retryAfterMs / 1_000)} s)`;
}

/** Waits from here on are reported to the user. */
const LONG_WAIT_MS = 10_000;

export interface RequestPlace {
  readonly group: string;
  readonly version: string;
  readonly namespace: string;
  readonly resource: string;
  /** `''` for a collection. */
  readonly name: string;
  readonly subresource: string;
}

function placeOf(path: string): RequestPlace | undefined {
  const parts = path.split('/').slice(1).map(nameInPath);
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const group = core ? '' : (parts[1] ?? '');
  const version = parts[core ? 1 : 2] ?? '';
  const rest = parts.slice(core ? 2 : 3);
  // `/api/v1/namespaces/shop` is the Namespace itself, and so is `…/shop/finalize` (requestinfo.go in apiserver,
  // v0.36).
  const namespaced = rest[0] === 'namespaces' && rest.length > 2 && !isOfNamespace(rest[2]);
  const [resource = '', name = '', subresource = ''] = namespaced ? rest.slice(2) : rest;
  if (version === '' || resource === '') return undefined;
  return { group, version, namespace: namespaced ? (rest[1] ?? '') : '', resource, name, subresource };
}

function isOfNamespace(part: string | undefined): boolean {
  return part === 'finalize' || part === 'status';
}

/** A request that the API server checks and admits but doesn't store. The query of its path has `dryRun=All`. */
export type DryRunRequest = Pick<ActRequest, 'method' | 'path' | 'contentType' | 'body'>;

export type DryRunAnswer = Pick<ActAnswer, 'status' | 'body'>;

/**
 * Reports whether the API server would store nothing. It reads the options of a DELETE with a body only from the body, and
 * those of PATCH, POST and PUT from the query (apiserver pkg/endpoints/handlers/delete.go, patch.go, create.go and
 * update.go, v0.36).
 */
function changesNothing({ method, path, body }: DryRunRequest): boolean {
  const question = path.indexOf('?');
  const query = new URLSearchParams(question < 0 ? '' : path.slice(question));
  const asked = query.getAll('dryRun');
  if (asked.length !== 1 || asked[0] !== 'All') return false;
  if (method !== 'DELETE') return true;
  const inBody = list(record(body)['dryRun']);
  return inBody.length === 1 && inBody[0] === 'All';
}

export const ActAnswer = { leavesOpen, refusal: refusalOf, isUnreadable, isUnsent };

/** Returns a placeholder uid for an object to be recreated; the new one isn't known yet. */
function newUid(formerUid: string): Uid {
  return `again-${formerUid}` as Uid;
}

export const ActRequest = { placeOf, isReview, changesNothing, newUid };
