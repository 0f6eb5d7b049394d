/** Pods and ReplicaSets left without their controller and its reference (docs/kubernetes.md §10 rows 26 and 27). */

import { isDeleting } from '../../../graph/index.ts';
import {
  controllerOf,
  type KubeObject,
  objectIds,
  objectState,
  objectTitleIn,
  workloadFacts,
} from '../../../model/index.ts';
import { type FormerKind, type FormerOwner, formerOwnerOf, namesakeOf } from '../../cluster/former-owner.ts';
import type { FindingCode, Severity } from '../../engine/codes.ts';
import { advice, chainLink, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import { kindAndNames, ownerTitle } from '../../engine/kind-words.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import {
  isFellow,
  type OwnerlessSurvival,
  type SurvivalWay,
  survivalOfOwnerless,
} from '../../explain/survival/ownerless.ts';
import { adoptByNewOwner } from '../../remedies/adopt-survivors.ts';
import { deleteObject, deleteObjects } from '../../remedies/deletion-remedies.ts';

/** Pods of a DaemonSet have no code; `why` still explains them. */
const codes: Readonly<Record<FormerKind, FindingCode | undefined>> = {
  StatefulSet: 'StatefulSetSurvivor',
  ReplicaSet: 'ReplicaSetSurvivor',
  Deployment: 'ReplicaSetSurvivor',
  Job: 'JobSurvivor',
  DaemonSet: undefined,
};

/** Other findings cover a coming adoption or deletion; an orphaning in progress is soon over. */
const left: ReadonlySet<SurvivalWay> = new Set(['orphaned', 'detached', 'released']);

export const survivorRule: Rule = {
  appliesTo: ({ object, deleting, oddOwners }) =>
    !deleting &&
    !oddOwners &&
    object.labels.length > 0 &&
    (object.type.kind === 'Pod' || object.type.kind === 'ReplicaSet') &&
    controllerOf(object) === undefined,
  *judge({ object }: Subject, tracked: TrackedView): Iterable<FindingDraft> {
    const former = formerOwnerOf(object);
    const code = former && codes[former.kind];
    if (former === undefined || code === undefined) return;
    const survival = survivalOfOwnerless(tracked, object, former);
    if (!left.has(survival.way) || isOwnerGoing(tracked, object, former)) return;
    yield {
      code,
      // Other controllers would have adopted it by now, so the former owner's kind alone has to be seen.
      severity: isOwnerUnseen(tracked, object, former) ? 'info' : severityOf(object, former, survival),
      message: survival.summary,
      brief: survival.brief,
      evidence: [owners(object), ...former.evidence, ...standing(survival)],
      related: survival.related,
      certainty: survival.certainty,
      chain: [chainLink(object, '', survival.brief)],
      remedies: () => remedies(tracked, object, former, survival),
    };
  },
};

/** An object released by a controller that is being deleted is reported once that is gone. */
function isOwnerGoing(tracked: TrackedView, object: KubeObject, former: FormerOwner): boolean {
  const { object: namesake } = namesakeOf(tracked, former, object.namespace);
  // An owner without a real uid is compared by name.
  const isFormer =
    former.uid === undefined || objectIds.isSynthetic(namesake?.uid ?? '') || former.uid === namesake?.uid;
  return namesake !== undefined && isFormer && isDeleting(namesake);
}

function isOwnerUnseen(tracked: TrackedView, { namespace }: KubeObject, former: FormerOwner): boolean {
  return !namesakeOf(tracked, former, namespace).seen;
}

function severityOf(object: KubeObject, former: FormerOwner, { way }: OwnerlessSurvival): Severity {
  if (object.type.kind === 'ReplicaSet') return workloadFacts(object)?.desired === 0 ? 'info' : 'warning';
  if (objectState.isFinished(object)) return 'info';
  // Relabelling a pod to take it out of its ReplicaSet is a usual way to debug it.
  return way === 'released' && former.kind !== 'StatefulSet' ? 'info' : 'warning';
}

function owners({ owners }: KubeObject): string {
  return owners.length === 0
    ? 'metadata.ownerReferences: none'
    : `metadata.ownerReferences: ${owners.map(ownerTitle).join(', ')}, none with controller: true`;
}

/** Drops the first line, which is about the object's own fields. */
function standing({ because }: OwnerlessSurvival): readonly string[] {
  return because.slice(1);
}

function remedies(
  tracked: TrackedView,
  object: KubeObject,
  former: FormerOwner,
  survival: OwnerlessSurvival,
): readonly OfferedRemedy[] {
  const { kind, name } = former;
  if (survival.way === 'released') return releasedRemedies(tracked, object, former);
  const all = survivorsOf(tracked, object, former);
  const adoption = adoptByNewOwner(tracked, former, all);
  if (object.type.kind === 'ReplicaSet') {
    return [
      adoption ??
        advice(
          `recreate/deployment/${name}`,
          `recreate Deployment ${name} with the same selector and pod template: it adopts ${object.name} and its pods`,
        ),
      deleteObject(tracked, object, 'background', {
        risk: 'caution',
        title: `delete ReplicaSet ${object.name}, and its pods with it`,
      }),
    ];
  }
  const offered: OfferedRemedy[] = [];
  if (kind === 'StatefulSet') {
    const them = all.length === 1 ? 'it' : 'them';
    offered.push(
      adoption ??
        advice(
          `recreate/statefulset/${name}`,
          survival.changed === undefined
            ? `recreate StatefulSet ${name} with the same selector and pod template: it adopts ${kindAndNames(all)} and doesn't restart ${them}`
            : `recreate StatefulSet ${name}, and give ${kindAndNames(all)} the labels of its selector again: it adopts ${them} and doesn't restart ${them}`,
        ),
    );
  }
  if (kind === 'ReplicaSet') {
    offered.push(
      adoption ??
        advice(
          'let-adopt',
          `create a controller whose selector matches its labels: it adopts ${object.name} without a restart`,
        ),
    );
  }
  // The id doesn't depend on the number of survivors, so the finding stays the same as others come and go.
  offered.push(
    deleteObjects(all, 'background', {
      id: `delete-survivors/${kind.toLowerCase()}/${name}`,
      title: `delete ${kindAndNames(all)}`,
      risk: 'caution',
    }),
  );
  return offered;
}

function releasedRemedies(
  tracked: TrackedView,
  object: KubeObject,
  former: FormerOwner,
): readonly OfferedRemedy[] {
  const { object: namesake } = namesakeOf(tracked, former, object.namespace);
  const owner = namesake === undefined ? former.name : objectTitleIn(namesake, object.namespace);
  return [
    advice(
      'restore-labels',
      `put the labels back that the selector of ${owner} wants: it adopts ${object.name} again`,
    ),
    deleteObject(tracked, object, 'background', { risk: 'caution' }),
  ];
}

function survivorsOf(tracked: TrackedView, object: KubeObject, former: FormerOwner): KubeObject[] {
  const found: KubeObject[] = [];
  for (const each of tracked.list(object.type, object.namespace)) {
    if (isFellow(each, former)) found.push(each);
  }
  const order = new Intl.Collator('en', { numeric: true });
  return found.sort((a, b) => order.compare(a.name, b.name));
}
