/** The requests of an action, each bound to the very object that was seen, and refused by the API server otherwise. */
import type { Cascade } from '../../forecast/action.ts';
import { preconditionsOf } from '../../forecast/preconditions.ts';
import { objectPath } from '../../forecast/requests.ts';
import type { ActRequest } from '../../model/exchange/act.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Intent } from '../prepare/intent.ts';

const policies: Readonly<Record<Cascade, string>> = {
  background: 'Background',
  foreground: 'Foreground',
  orphan: 'Orphan',
};

/** In the order in which they are sent. */
export function requestsOf(intent: Intent): readonly ActRequest[] {
  if (intent.verb === 'delete') {
    return intent.targets.map(target => deletion(target, intent.cascade, intent.gracePeriodSeconds));
  }
  if (intent.verb === 'undo') return intent.requests;
  return intent.remedy.requests.map(({ verb, path, contentType = 'application/json', body = {} }) => ({
    method: verb,
    path,
    contentType,
    body,
  }));
}

function deletion(target: KubeObject, cascade: Cascade, gracePeriodSeconds: number | undefined): ActRequest {
  return {
    method: 'DELETE',
    path: objectPath(target),
    contentType: 'application/json',
    body: {
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      propagationPolicy: policies[cascade],
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
      preconditions: preconditionsOf(target, cascade),
    },
  };
}
