/** Which permissions the keys need that act on an object: for deleting it, and for what is recommended to unblock it. */

import { requestsOf } from '../../../actions/prepare/intent.ts';
import { type AccessQuestion, questionsOf } from '../../../actions/prepare/permissions.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { ClusterModel } from '../../cluster/model.ts';

export function accessQuestionsOf(
  object: KubeObject,
  { view, problems }: ClusterModel,
): { readonly deletion: readonly AccessQuestion[]; readonly unblocking: readonly AccessQuestion[] } {
  const needed = (requests: ReturnType<typeof requestsOf>): AccessQuestion[] =>
    questionsOf(requests, view.catalog).filter(({ onlyWith }) => onlyWith === undefined);
  const { diagnosis, diagnostics } = problems ?? {};
  const [remedy] =
    diagnosis === undefined || diagnostics === undefined
      ? []
      : diagnostics.recommendable(view, object, diagnostics.remediesOf(diagnosis, object));
  return {
    deletion: needed(requestsOf({ verb: 'delete', targets: [object], cascade: 'background' })),
    unblocking: remedy === undefined ? [] : needed(requestsOf({ verb: 'unblock', target: object, remedy })),
  };
}
