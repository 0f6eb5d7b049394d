/**
 * The requests of remedies, each bound to the very object that was seen. One description yields what is sent, pasted
 * and simulated, so the three can't differ.
 */

import { type ApplicableRemedy, Cascade, type RemedyRequest, requestWords } from '../../forecast/index.ts';
import {
  ActRequest,
  type KubeObject,
  objectJson,
  record,
  type ShellCommand,
  type TypeCatalog,
  textEscapes,
} from '../../model/index.ts';
import {
  type ApiAnswer,
  type ApiClient,
  type DeleteOptions,
  Operation,
  restRequests,
} from '../../simulation/index.ts';

interface Act {
  readonly request: RemedyRequest;
  /** Omitted if kubectl has no equivalent command. */
  readonly kubectl?: ShellCommand;
  /** An object that has to be gone before it is applied. */
  readonly former?: KubeObject;
  apply(api: ApiClient): ApiAnswer;
}

/** Builds a JSON Patch (RFC 6902) that tests the uid first. A failed test changes nothing and returns 422. */
export function patch(catalog: TypeCatalog, object: KubeObject, operations: readonly Operation[]): Act {
  const body: readonly Operation[] = [
    { op: 'test', path: '/metadata/uid', value: object.uid },
    ...operations,
  ];
  return {
    request: {
      verb: 'PATCH',
      path: requestWords.objectPath(object),
      contentType: 'application/json-patch+json',
      body,
    },
    kubectl: {
      words: [
        'kubectl',
        'patch',
        ...requestWords.onObject(catalog, object),
        '--type=json',
        '-p',
        textEscapes.json(body),
      ],
    },
    apply: api => Operation.tryPatch(api, object, body),
  };
}

export interface DeletionParameters {
  readonly cascade: keyof typeof Cascade.policies;
  /** Seconds; only pods heed it. */
  readonly gracePeriodSeconds?: number | undefined;
  /** If true, the API server refuses (409) after any change to the object that it detects. */
  readonly unchanged: boolean;
}

/** Builds a DELETE bound to the uid, with `--raw` as kubectl has no flag for preconditions. */
export function deletion(
  object: KubeObject,
  { cascade, gracePeriodSeconds, unchanged }: DeletionParameters,
): Act {
  const options = {
    propagationPolicy: Cascade.policies[cascade],
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    preconditions: unchanged ? requestWords.preconditions(object, cascade) : { uid: object.uid },
  } satisfies DeleteOptions;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
  const path = requestWords.objectPath(object);
  return {
    request: { verb: 'DELETE', path, contentType: 'application/json', body },
    kubectl: { words: ['kubectl', 'delete', '--raw', path, '-f', '-'], input: textEscapes.json(body) },
    apply: api => api.delete(object, options),
  };
}

/**
 * Builds a PUT to a Namespace's subresource `finalize`, which takes a whole object. The seen uid and resourceVersion
 * make it refuse (409) after any change (pkg/registry/core/namespace/storage/storage.go, v1.36). Unknown parts, such as
 * annotations, are added on sending (`wholeRequest` in actions/run). kubectl has no such command.
 */
export function finalization(namespace: KubeObject, left: readonly string[]): Act {
  const { apiVersion, kind, metadata } = objectJson.write(namespace);
  const body = { apiVersion, kind, metadata, spec: { finalizers: left } };
  const path = `${requestWords.objectPath(namespace)}/finalize`;
  return {
    request: { verb: 'PUT', path, contentType: 'application/json', body },
    apply: api => Operation.tryFinalize(api, namespace, body),
  };
}

/**
 * Builds a POST that creates an object anew once it is gone. The backup adds fields that aren't known here, such as
 * annotations (`wholeRequest` in actions/run), so there is no kubectl command for it.
 */
export function recreation(catalog: TypeCatalog, object: KubeObject): Act {
  const { apiVersion, kind, metadata, spec } = objectJson.write(object);
  const { name, namespace, labels } = record(metadata);
  const about = { name, namespace, ...(labels === undefined ? {} : { labels }) };
  const body = { apiVersion, kind, metadata: about, spec };
  const path = requestWords.objectPath({ type: object.type, namespace: object.namespace, name: '' });
  const contentType = 'application/json';
  const newUid = ActRequest.newUid(object.uid);
  return {
    request: { verb: 'POST', path, contentType, body, formerUid: object.uid },
    former: object,
    apply: api =>
      restRequests.play(api, { method: 'POST', path, contentType, body }, { types: catalog.types, newUid }),
  };
}

export interface Offer extends Pick<ApplicableRemedy, 'id' | 'title' | 'risk'> {
  readonly acts: readonly Act[];
}

/**
 * Builds a remedy that performs these acts in order and stops at the first refusal, as its command does. Acts that wait
 * for an object's end come last.
 */
export function remedy({ id, title, risk, acts }: Offer): ApplicableRemedy {
  const late = acts.filter(({ former }) => former !== undefined);
  const early = acts.filter(each => !late.includes(each));
  return {
    id,
    title,
    risk,
    effect: '',
    requests: acts.map(({ request }) => request),
    kubectl: late.length > 0 ? [] : acts.flatMap(({ kubectl }) => kubectl ?? []),
    apply: api => applyInTurn(early, api.because(`remedy ${id}`)),
    ...(late.length > 0 && {
      finish: (api: ApiClient) =>
        late.some(({ former }) => former !== undefined && isThere(former, api))
          ? undefined
          : applyInTurn(late, api.because(`remedy ${id}`)),
    }),
  };
}

function isThere(object: KubeObject, api: ApiClient): boolean {
  const found = api.get(object);
  return found.ok && found.object.uid === object.uid;
}

function applyInTurn(parts: readonly Pick<ApplicableRemedy, 'apply'>[], api: ApiClient): ApiAnswer[] {
  const answers: ApiAnswer[] = [];
  for (const part of parts) {
    answers.push(...[part.apply(api)].flat());
    if (answers.at(-1)?.ok === false) break;
  }
  return answers;
}

export function inTurn(
  { id, title, risk }: Omit<Offer, 'acts'>,
  parts: readonly ApplicableRemedy[],
): ApplicableRemedy {
  return {
    id,
    title,
    risk,
    effect: '',
    requests: parts.flatMap(({ requests }) => requests),
    kubectl: parts.flatMap(({ kubectl }) => kubectl),
    apply: api => applyInTurn(parts, api),
  };
}
