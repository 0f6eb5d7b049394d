/**
 * The requests of remedies, each bound to the very object that was seen. One description yields what is sent, pasted
 * and simulated, so the three can't differ.
 */

import { type ApplicableRemedy, propagationPolicies, type RemedyRequest } from '../../forecast/action.ts';
import { kubectlTarget, namespaceFlag, objectPath, preconditionsOf } from '../../forecast/requests.ts';
import { objectToJson } from '../../model/json/to-json.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ShellCommand } from '../../model/text/shell-line.ts';
import { shownJson } from '../../model/text/shown.ts';
import type { TypeCatalog } from '../../model/types/type-catalog.ts';
import { type Operation, tryFinalize, tryPatch } from '../../simulation/api/rest.ts';
import type { ApiAnswer, ApiClient, DeleteOptions } from '../../simulation/api/types.ts';

interface Act {
  readonly request: RemedyRequest;
  /** Omitted if kubectl has no equivalent command. */
  readonly kubectl?: ShellCommand;
  apply(api: ApiClient): ApiAnswer;
}

/** Builds a JSON Patch (RFC 6902) that tests the uid first. A failed test changes nothing and returns 422. */
export function patch(catalog: TypeCatalog, object: KubeObject, operations: readonly Operation[]): Act {
  const body: readonly Operation[] = [
    { op: 'test', path: '/metadata/uid', value: object.uid },
    ...operations,
  ];
  return {
    request: { verb: 'PATCH', path: objectPath(object), contentType: 'application/json-patch+json', body },
    kubectl: {
      words: [
        'kubectl',
        'patch',
        kubectlTarget(catalog, object),
        ...namespaceFlag(object.namespace),
        '--type=json',
        '-p',
        shownJson(body),
      ],
    },
    apply: api => tryPatch(api, object, body),
  };
}

export interface Deletion {
  readonly cascade: keyof typeof propagationPolicies;
  /** Seconds; only pods heed it. */
  readonly gracePeriodSeconds?: number | undefined;
  /** If true, any change to the object makes the API server refuse (409), as far as it can tell. */
  readonly unchanged: boolean;
}

/** Builds a DELETE bound to the uid, with `--raw` as kubectl has no flag for preconditions. */
export function deletion(object: KubeObject, { cascade, gracePeriodSeconds, unchanged }: Deletion): Act {
  const options = {
    propagationPolicy: propagationPolicies[cascade],
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    preconditions: unchanged ? preconditionsOf(object, cascade) : { uid: object.uid },
  } satisfies DeleteOptions;
  const body = { apiVersion: 'v1', kind: 'DeleteOptions', ...options };
  const path = objectPath(object);
  return {
    request: { verb: 'DELETE', path, contentType: 'application/json', body },
    kubectl: { words: ['kubectl', 'delete', '--raw', path, '-f', '-'], input: shownJson(body) },
    apply: api => api.delete(object, options),
  };
}

/**
 * Builds a PUT to a Namespace's subresource `finalize`, which takes a whole object. The seen uid and resourceVersion
 * make it refuse (409) after any change (pkg/registry/core/namespace/storage/storage.go, v1.36). Unknown parts, such as
 * annotations, are added on sending (`wholeRequest` in actions/run). kubectl has no such command.
 */
export function finalization(namespace: KubeObject, left: readonly string[]): Act {
  const { apiVersion, kind, metadata } = objectToJson(namespace);
  const body = { apiVersion, kind, metadata, spec: { finalizers: left } };
  const path = `${objectPath(namespace)}/finalize`;
  return {
    request: { verb: 'PUT', path, contentType: 'application/json', body },
    apply: api => tryFinalize(api, namespace, body),
  };
}

export interface Offer extends Pick<ApplicableRemedy, 'id' | 'title' | 'risk'> {
  readonly acts: readonly Act[];
}

/** Builds a remedy that performs these acts in order and stops at the first refusal, as its command does. */
export function remedy({ id, title, risk, acts }: Offer): ApplicableRemedy {
  return {
    id,
    title,
    risk,
    effect: '',
    requests: acts.map(({ request }) => request),
    kubectl: acts.flatMap(({ kubectl }) => kubectl ?? []),
    apply: api => {
      const asked = api.because(`remedy ${id}`);
      const answers: ApiAnswer[] = [];
      for (const act of acts) {
        const answer = act.apply(asked);
        answers.push(answer);
        if (!answer.ok) break;
      }
      return answers;
    },
  };
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
    apply: api => {
      const answers: ApiAnswer[] = [];
      for (const part of parts) {
        answers.push(...[part.apply(api)].flat());
        if (answers.at(-1)?.ok === false) break;
      }
      return answers;
    },
  };
}
