/** The remedy that keeps the volumes of a StatefulSet when it is deleted or scaled down. */
import type { ApplicableRemedy } from '../../forecast/action.ts';
import type { KubeObject } from '../../model/object.ts';
import type { Operation } from '../../simulation/api/json-patch.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { patch, remedy } from './request.ts';

const FIELD = '/spec/persistentVolumeClaimRetentionPolicy';

/** Sets both retention policies to Retain; the StatefulSet's controller then takes its references off the claims. */
export function retainClaims(tracked: TrackedView, statefulSet: KubeObject): ApplicableRemedy {
  const { facts } = statefulSet;
  const policies: readonly (readonly [string, string])[] =
    facts?.kind === 'Workload'
      ? [
          ['whenDeleted', facts.claimsWhenDeleted],
          ['whenScaled', facts.claimsWhenScaled],
        ]
      : [];
  const operations = policies.flatMap(([field, value]): Operation[] =>
    value === 'Retain'
      ? []
      : [
          { op: 'test', path: `${FIELD}/${field}`, value },
          { op: 'replace', path: `${FIELD}/${field}`, value: 'Retain' },
        ],
  );
  return remedy({
    id: 'retain-claims',
    title: `let ${statefulSet.name} keep its claims when it is deleted or scaled down`,
    risk: 'safe',
    acts: [patch(tracked.view.catalog, statefulSet, operations)],
  });
}
