/** Foreground deletions whose dependents are recreated faster than they are deleted (docs/kubernetes.md §10 row 52). */

import { recreatedDependents } from '../../../forecast/index.ts';
import { isoTime, type KubeObject, objectTitle, objectTitleIn } from '../../../model/index.ts';
import { evidenceOn, fieldEvidence } from '../../engine/evidence.ts';
import { advice, adviceToLookFurther, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import { worldOf } from '../../engine/live-holds.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { workloadsOf } from '../../finalizers/controller-signs.ts';
import { redelete } from '../../remedies/deletion-remedies.ts';
import { type ForegroundCase, onCase, wayEvidence } from './foreground-case.ts';

/** An owner in foreground deletion, and the dependent that was created after it began. */
interface Recreation {
  readonly owner: KubeObject;
  readonly dependent: KubeObject;
  /** The owner's controller, if a workload looks like it. */
  readonly controller: KubeObject | undefined;
}

export function reportRecreation(at: ForegroundCase): FindingDraft | undefined {
  const { tracked, object } = at;
  const recreation = recreationIn(at);
  if (recreation === undefined) return undefined;
  const { owner, dependent, controller } = recreation;
  const { namespace } = object;
  const later = recreatedDependents.formatDelay(owner, dependent);
  const title = objectTitleIn(dependent, namespace);
  const waits =
    owner === object
      ? `${title}, which it waits for, was created ${later} after the deletion began`
      : `it waits for ${objectTitleIn(owner, namespace)}, whose ${title} was created ${later} after that one's deletion began`;
  const unseen = owner === object ? 'its controller' : `the controller of ${owner.name}`;
  const who = controller === undefined ? unseen : objectTitleIn(controller, namespace);
  return {
    ...onCase(at),
    code: 'ForegroundDependentsRecreated',
    ...(recreatedDependents.isEarly(owner, dependent) && { severity: 'info' }),
    message: `${objectTitle(object)} is being deleted in the foreground, which may never end: ${waits}, so ${who} seems to go on recreating what is deleted.`,
    brief: `${dependent.name} is recreated`,
    evidence: [
      ...wayEvidence(at),
      ...evidenceOn(
        dependent,
        fieldEvidence(dependent, 'metadata.creationTimestamp', isoTime(dependent.creationTimestamp)),
      ),
      controller && `${objectTitle(controller)}: by its name or labels, the controller of ${owner.type.kind}`,
    ],
    related: [dependent, controller],
    remedies: () => remedies(tracked, object, recreation),
  };
}

function recreationIn({ tracked, object, dependents }: ForegroundCase): Recreation | undefined {
  const world = worldOf(tracked);
  for (const owner of [object, ...dependents]) {
    const recreated = recreatedDependents.find(world, owner);
    const dependent = recreated.find(each => dependents.includes(each)) ?? recreated[0];
    if (dependent === undefined) continue;
    const { group } = owner.type;
    const [controller] = group.includes('.') ? workloadsOf(tracked, `${group}/`) : [];
    return { owner, dependent, controller: controller?.object };
  }
  return undefined;
}

function remedies(
  tracked: TrackedView,
  object: KubeObject,
  { owner, controller }: Recreation,
): readonly OfferedRemedy[] {
  const who = controller === undefined ? `the controller of ${owner.name}` : objectTitle(controller);
  return [
    redelete(object, 'background', {
      title: `delete ${object.name} again in the background: it no longer waits for what it owns, which is deleted after it`,
    }),
    ...(owner === object ? [] : [adviceToLookFurther(tracked.view, owner)]),
    advice(
      'stop-controller',
      `stop ${who} until ${owner.name} is gone: what else it manages is left alone for that time`,
      'caution',
    ),
  ];
}
