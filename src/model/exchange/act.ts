/** A request that changes the cluster, as plain data. */
import { list, record } from '../json/json.ts';
import { nameInPath, prose } from '../text/shown.ts';

export interface ActRequest {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the server's own base path, without a query: `/api/v1/namespaces/shop/pods/web-0`. */
  readonly path: string;
  readonly contentType: string;
  readonly body: unknown;
  /** Of the object that a POST recreates: owner references of later requests follow to its new uid. Not sent. */
  readonly formerUid?: string;
  /**
   * Name of the definition that serves what it is about, where an earlier request creates that: until it is served, nobody
   * can tell what would be answered. Not sent.
   */
  readonly definition?: string;
}

export interface ActAnswer {
  /** The HTTP status. */
  readonly status: number;
  /** The parsed JSON: the object as it is then, or a `Status`. Undefined where it is none. */
  readonly body: unknown;
  /** Milliseconds that the API server asks to wait before the request is sent again, where it was too busy for it. */
  readonly retryAfterMs?: number;
}

/**
 * Whether an error that a source rejected with says that the API server didn't look at the request: it wasn't reached,
 * or it refused to. Of any other error nobody knows whether the request took effect.
 */
export function isUnsent(error: unknown): boolean {
  return error instanceof Error && 'unsent' in error && error.unsent === true;
}

/** Whether a source's error says that this user can never read an object, or not one by one (403, 405). */
export function isUnreadable(error: unknown): boolean {
  return error instanceof Error && 'status' in error && (error.status === 403 || error.status === 405);
}

/**
 * Whether an answer leaves it open if the request took effect: the API server says 500 and 504 where the storage or a
 * webhook didn't answer it, proxies and load balancers say 502 to 504 where they have lost the API server.
 */
export function leavesOpen({ status }: Pick<ActAnswer, 'status'>): boolean {
  return status === 408 || status >= 500;
}

/** Whether a request only asks: the API server answers a review and stores nothing, so it may be asked twice. */
export function isReview({ method, path }: ActRequest): boolean {
  if (method !== 'POST') return false;
  const { group, resource } = placeOf(path) ?? {};
  return (
    group === 'authorization.k8s.io' || (group === 'authentication.k8s.io' && resource === 'tokenreviews')
  );
}

/** What the API server said where it refused, on one line; else undefined. */
export function refusalOf({ status, body, retryAfterMs = 0 }: ActAnswer): string | undefined {
  if (status >= 200 && status < 300) return undefined;
  const { message } = record(body) as { message?: unknown };
  const said = typeof message === 'string' && message !== '' ? prose(message) : `HTTP ${status}`;
  return retryAfterMs < LONG_WAIT_MS
    ? said
    : `${said} (it asks to wait ${Math.round(retryAfterMs / 1_000)} s)`;
}

/** Nobody waits for so long. */
const LONG_WAIT_MS = 10_000;

/** Where an object or a collection is, read from a request's path; undefined where it is neither. */
export interface RequestPlace {
  readonly group: string;
  readonly version: string;
  /** `''` for cluster-scoped ones. */
  readonly namespace: string;
  readonly resource: string;
  /** `''` for a collection. */
  readonly name: string;
  readonly subresource: string;
}

export function placeOf(path: string): RequestPlace | undefined {
  const parts = path.split('/').slice(1).map(nameInPath);
  const core = parts[0] === 'api';
  if (!core && parts[0] !== 'apis') return undefined;
  const group = core ? '' : (parts[1] ?? '');
  const version = parts[core ? 1 : 2] ?? '';
  const rest = parts.slice(core ? 2 : 3);
  // `/api/v1/namespaces/shop` is the Namespace itself, and so is `…/shop/finalize` (requestinfo.go in apiserver, v0.36).
  const namespaced = rest[0] === 'namespaces' && rest.length > 2 && !isOfNamespace(rest[2]);
  const [resource = '', name = '', subresource = ''] = namespaced ? rest.slice(2) : rest;
  if (version === '' || resource === '') return undefined;
  return { group, version, namespace: namespaced ? (rest[1] ?? '') : '', resource, name, subresource };
}

function isOfNamespace(part: string | undefined): boolean {
  return part === 'finalize' || part === 'status';
}

/** A request that the API server checks and admits without storing anything. Its path has a query with `dryRun=All`. */
export type DryRunRequest = Pick<ActRequest, 'method' | 'path' | 'contentType' | 'body'>;

/** `body`: the object as it would become, or a `Status`. */
export type DryRunAnswer = Pick<ActAnswer, 'status' | 'body'>;

/**
 * Whether the API server would store nothing. It reads the options of a DELETE that has a body from the body
 * alone, and those of a PATCH, POST or PUT from the query (apiserver pkg/endpoints/handlers/delete.go, patch.go, create.go
 * and update.go, v0.36).
 */
export function changesNothing({ method, path, body }: DryRunRequest): boolean {
  const question = path.indexOf('?');
  const query = new URLSearchParams(question < 0 ? '' : path.slice(question));
  const asked = query.getAll('dryRun');
  if (asked.length !== 1 || asked[0] !== 'All') return false;
  if (method !== 'DELETE') return true;
  const inBody = list(record(body)['dryRun']);
  return inBody.length === 1 && inBody[0] === 'All';
}
