import type { StepRequest } from '../../collector/index.ts';
import type { Identity } from '../../graph/index.ts';
import type { DeleteOptions, LoggedRequest } from '../api/api-client.ts';

/** `body` is the sender's, if given; a deletion's follows from its options. */
export function stepRequest(request: LoggedRequest, body: unknown): StepRequest {
  const { actor, verb, subresource, status, because, objection, options } = request;
  const sent = body ?? (options === undefined ? undefined : deleteBody(options));
  return {
    actor,
    verb,
    object: identityOf(request),
    ...(subresource === undefined ? {} : { subresource }),
    ...(sent === undefined ? {} : { body: sent }),
    status,
    result: resultOf(request),
    ...(because === undefined || because === '' ? {} : { because }),
    ...(objection === undefined ? {} : { refused: objection.because }),
  };
}

function identityOf({ type, namespace, name, uid, before, after }: LoggedRequest): Identity {
  const { apiVersion, kind } = type;
  // Empty if no object has the requested name.
  const known = uid ?? before?.uid ?? after?.uid ?? ('' as Identity['uid']);
  return { apiVersion, kind, namespace, name: after?.name ?? name, uid: known };
}

function resultOf({ status, before, after }: LoggedRequest): StepRequest['result'] {
  if (status >= 400) return 'refused';
  if (before === undefined) return after === undefined ? 'unchanged' : 'created';
  if (after === undefined) return 'removed';
  const begins = before.deletionTimestamp === undefined && after.deletionTimestamp !== undefined;
  return begins ? 'deleting' : 'changed';
}

function deleteBody(options: DeleteOptions): object {
  const { propagationPolicy, orphanDependents, gracePeriodSeconds, preconditions, dryRun } = options;
  return {
    apiVersion: 'v1',
    kind: 'DeleteOptions',
    ...(propagationPolicy === undefined ? {} : { propagationPolicy }),
    ...(orphanDependents === undefined ? {} : { orphanDependents }),
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    ...(preconditions === undefined ? {} : { preconditions }),
    ...(dryRun === true ? { dryRun: ['All'] } : {}),
  };
}
