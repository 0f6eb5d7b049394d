/**
 * The kinds of request that remedies are made of, each bound to the very object that was seen: a JSON Patch
 * that tests first, a DELETE with preconditions, and a PUT of one version of a Namespace. What is sent, what is pasted and what is tried on a simulated
 * cluster come from one description, so that they cannot differ.
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

/** One request in its three forms. */
interface Act {
  readonly request: RemedyRequest;
  /** Left out where kubectl has none that does the same. */
  readonly kubectl?: ShellCommand;
  apply(api: ApiClient): ApiAnswer;
}

/**
 * A JSON Patch (RFC 6902) that begins by testing the uid. The operations have to test what they rely on: a failed
 * test changes nothing and is answered with 422.
 */
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
  /** Refuse (409) where anything about the object has changed since it was seen, as far as the API server can tell. */
  readonly unchanged: boolean;
}

/**
 * A DELETE of the object with this uid and no other. As a command it is `kubectl delete --raw`, because kubectl has no
 * flag for preconditions.
 */
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
 * A PUT to the subresource `finalize` of a Namespace, which leaves these in its `spec.finalizers`. The API server takes no
 * PATCH there, only a whole object: with the uid and the resourceVersion that were seen it is refused (409) where anything
 * has changed since (pkg/registry/core/namespace/storage/storage.go, v1.36). What isn't known here of the rest of it, such
 * as its annotations, is added when it is sent (`wholeRequest` in actions/run). kubectl has no command that would.
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

/** The remedy that does these acts in order and stops at the first that is refused, as its command does. */
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

/** Several remedies as one: one after the other, up to the first request that is refused. */
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
