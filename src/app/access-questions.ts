/** Which permissions the keys need that act on an object: for deleting it, and for what is recommended to unblock it. */
import { type AccessQuestion, questionsOf } from '../actions/permissions.ts';
import { requestsOf } from '../actions/requests.ts';
import { isApplicable } from '../diagnosis/finding.ts';
import type { KubeObject } from '../model/object.ts';
import type { ClusterModel } from './cluster-model.ts';

export function accessQuestionsOf(
  object: KubeObject,
  { view, problems }: ClusterModel,
): { readonly deletion: readonly AccessQuestion[]; readonly unblocking: readonly AccessQuestion[] } {
  const needed = (requests: ReturnType<typeof requestsOf>): AccessQuestion[] =>
    questionsOf(requests, view.catalog).filter(({ onlyWith }) => onlyWith === undefined);
  const remedy = problems?.diagnostics.remediesOf(problems.diagnosis, object).find(isApplicable);
  return {
    deletion: needed(requestsOf({ verb: 'delete', targets: [object], cascade: 'background' })),
    unblocking:
      remedy && isApplicable(remedy) ? needed(requestsOf({ verb: 'unblock', target: object, remedy })) : [],
  };
}
