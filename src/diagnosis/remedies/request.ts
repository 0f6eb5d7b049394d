/**
 * The two kinds of request that remedies are made of, each bound to the very object that was seen: a JSON Patch
 * that tests first, and a DELETE with preconditions. What is sent, what is pasted and what is tried on a simulated
 * cluster come from one description, so that they cannot differ.
 */

import {
  type ApplicableRemedy,
  propagationPolicies,
  type RemedyRequest,
  type Risk,
} from '../../forecast/action.ts';
import { kubectlTarget, namespaceFlag, objectPath, preconditionsOf } from '../../forecast/requests.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ShellCommand } from '../../model/text/shell-line.ts';
import { shownJson } from '../../model/text/shown.ts';
import type { TypeCatalog } from '../../model/types/type-catalog.ts';
import { type Operation, tryPatch } from '../../simulation/api/rest.ts';
import type { ApiAnswer, ApiClient, DeleteOptions } from '../../simulation/api/types.ts';

/** One request in its three forms. */
interface Act {
  readonly request: RemedyRequest;
  readonly kubectl: ShellCommand;
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

export interface Offer {
  readonly id: string;
  readonly title: string;
  readonly risk: Risk;
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
    kubectl: acts.map(({ kubectl }) => kubectl),
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
