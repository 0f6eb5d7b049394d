/** AdmissionReviews (admission.k8s.io/v1) as the API server sends them. Of objects, only metadata is kept. */
import { type JsonRecord, jsonValue, list, record, text, texts } from '../../../model/index.ts';
import type { Caller } from '../http/reviews.ts';

const API_VERSION = 'admission.k8s.io/v1';

type Operation = 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';

interface ReviewedMetadata {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly finalizers: readonly string[];
  /** Uids of its owners. */
  readonly owners: readonly string[];
  readonly annotations: JsonRecord;
}

export interface Review {
  readonly uid: string;
  readonly operation: Operation;
  readonly resource: { readonly group: string; readonly version: string; readonly resource: string };
  readonly subresource: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly caller: Caller;
  /** Undefined without one. */
  readonly object: ReviewedMetadata | undefined;
  readonly oldObject: ReviewedMetadata | undefined;
  readonly dryRun: boolean;
  /** DeleteOptions; of an eviction, those in its body. */
  readonly options: JsonRecord;
}

export interface Verdict {
  readonly allowed: boolean;
  readonly warnings: readonly string[];
  /** Why it is refused. */
  readonly message?: string;
}

/** Returns a sentence for anything else. */
function parse(body: string): Review | string {
  let json: unknown;
  try {
    json = jsonValue(body);
  } catch {
    return 'the body is no JSON';
  }
  const { apiVersion, kind, request } = record(json);
  if (apiVersion !== API_VERSION || kind !== 'AdmissionReview')
    return `the body is no AdmissionReview of ${API_VERSION}`;
  const asked = record(request);
  const operation = text(asked['operation']);
  if (text(asked['uid']) === '' || !isOperation(operation))
    return 'the AdmissionReview has no request with uid and operation';
  const { group, version, resource } = record(asked['resource']);
  const subresource = text(asked['subResource']);
  const isEviction = subresource === 'eviction';
  return {
    uid: text(asked['uid']),
    operation,
    resource: { group: text(group), version: text(version), resource: text(resource) },
    subresource,
    kind: text(record(asked['kind'])['kind']),
    namespace: text(asked['namespace']),
    name: text(asked['name']),
    caller: callerOf(record(asked['userInfo'])),
    object: metadataOf(asked['object']),
    oldObject: metadataOf(asked['oldObject']),
    dryRun: asked['dryRun'] === true,
    options: record(isEviction ? record(asked['object'])['deleteOptions'] : asked['options']),
  };
}

function isOperation(word: string): word is Operation {
  return word === 'CREATE' || word === 'UPDATE' || word === 'DELETE' || word === 'CONNECT';
}

function callerOf(user: JsonRecord): Caller {
  const extra = Object.entries(record(user['extra'])).map(([key, values]) => [key, texts(values)] as const);
  return {
    username: text(user['username']),
    uid: text(user['uid']),
    groups: texts(user['groups']),
    extra: Object.fromEntries(extra),
  };
}

function metadataOf(object: unknown): ReviewedMetadata | undefined {
  const metadata = record(record(object)['metadata']);
  if (text(metadata['uid']) === '') return undefined;
  return {
    uid: text(metadata['uid']),
    resourceVersion: text(metadata['resourceVersion']),
    finalizers: texts(metadata['finalizers']),
    owners: list(metadata['ownerReferences']).map(each => text(record(each)['uid'])),
    annotations: record(metadata['annotations']),
  };
}

function answerTo({ uid }: Review, { allowed, warnings, message }: Verdict): string {
  const response = {
    uid,
    allowed,
    ...(warnings.length === 0 ? {} : { warnings }),
    ...(message === undefined ? {} : { status: { code: 403, reason: 'Forbidden', message } }),
  };
  return JSON.stringify({ apiVersion: API_VERSION, kind: 'AdmissionReview', response });
}

export const Review = { parse, answerTo };
