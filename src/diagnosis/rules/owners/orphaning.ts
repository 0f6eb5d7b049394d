/** Deleted owners whose dependents stay, for now or on purpose (docs/kubernetes.md §2.3, §3.2, §10 rows 9 to 11). */

import { patience } from '../../../forecast/index.ts';
import { identityOfObject, isDeleting, objectDeletion } from '../../../graph/index.ts';
import {
  counted,
  enumerated,
  FOREGROUND_FINALIZER,
  isoTime,
  type KubeObject,
  ORPHAN_FINALIZER,
  type OwnerReference,
  objectTitle,
  objectTitleIn,
} from '../../../model/index.ts';
import { deletionEvidence, evidenceOn, fieldEvidence, referenceEvidence } from '../../engine/evidence.ts';
import {
  advice,
  type Evidence,
  type EvidenceLine,
  type FindingDraft,
  type OfferedRemedy,
} from '../../engine/finding.ts';
import type { Rule, Subject } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { obstaclesFor } from '../../manager/obstacles.ts';
import { pruneReference } from '../../remedies/change-reference.ts';
import { redelete, removeFinalizer } from '../../remedies/deletion-remedies.ts';
import { handlerAdvice, removal } from '../../remedies/handler-remedies.ts';
import { actingHandler, chainOf } from '../../waits/chain.ts';
import { cleanupsFor } from '../../waits/cleanups.ts';
import {
  readDependents,
  unseenDependents,
  unseenEvidence,
  unseenWords,
} from '../foreground/unseen-dependents.ts';

/** Milliseconds, long enough for a cloud provider. */
const SOLID_PATIENCE = 300_000;

function isOrphaning({ deleting, object }: Subject): boolean {
  return deleting && object.finalizers.includes(ORPHAN_FINALIZER);
}

const pending: Rule = {
  appliesTo: isOrphaning,
  judge: ({ object, node }, tracked) => {
    if (!tracked.lasted(objectDeletion.requestedAt(object), patience.usual)) return [];
    return [orphanPending(tracked, object, tracked.dependents(node))];
  },
};

const late: Rule = {
  appliesTo: isOrphaning,
  judge: ({ object, node }, tracked) => {
    const since = objectDeletion.requestedAt(object) ?? 0;
    const newer = tracked.dependents(node).filter(({ creationTimestamp }) => creationTimestamp > since);
    return newer.length === 0 ? [] : [willMiss(tracked, object, newer.sort(byName))];
  },
};

const solid: Rule = {
  appliesTo: ({ deleting, object, node }) =>
    deleting &&
    node.dependents.size > 0 &&
    !object.finalizers.includes(ORPHAN_FINALIZER) &&
    !object.finalizers.includes(FOREGROUND_FINALIZER) &&
    objectDeletion.foreignFinalizers(object).length > 0,
  judge: ({ object, node }, tracked) => {
    const cleanups = cleanupsFor(tracked, object);
    const kept = tracked
      .dependents(node)
      .filter(each => !isDeleting(each) && !cleanups.includes(each) && isSolid(tracked, each, object));
    return kept.length === 0 ? [] : [stillSolid(tracked, object, kept.sort(byName))];
  },
};

export const orphaningRules: readonly Rule[] = [pending, late, solid];

function orphanPending(
  tracked: TrackedView,
  object: KubeObject,
  dependents: readonly KubeObject[],
): FindingDraft {
  const left = [...dependents].sort(byName);
  if (left.length === 0) tracked.reliesOnDependents(identityOfObject(object));
  const { complete } = tracked.view;
  const [obstacle] = obstaclesFor(tracked, object);
  const why =
    obstacle === undefined
      ? ": it isn't running, is far behind, or its change is refused, or undone by a controller"
      : ` ${obstacle.because}`;
  const many = left.length === 0 ? 'its dependents' : counted(left.length, 'dependent');
  const hiding = left.length === 0 ? unseenDependents(tracked, object) : undefined;
  const delayed =
    hiding !== undefined
      ? `removed the owner references from its dependents, ${unseenWords(hiding)}`
      : left.length === 0
        ? 'confirmed that none refers to it any more'
        : `removed the owner reference from ${many}`;
  return {
    code: 'OrphanPending',
    since: objectDeletion.requestedAt(object),
    message: `${objectTitle(object)} is stuck: it was deleted so that its dependents stay, and the garbage collector hasn't ${delayed}${hiding === undefined ? why : obstacle === undefined ? '' : `; it is stuck ${obstacle.because}`}.`,
    brief: `${left.length === 0 ? 'waits for the garbage collector' : `owner reference still on ${many}`}${obstacle === undefined ? '' : `: ${obstacle.brief}`}`,
    evidence: [
      ...deletionEvidence(object),
      ...(obstacle?.evidence ?? []),
      hiding !== undefined && unseenEvidence(hiding),
      ...evidenceOnDependents(object, left),
    ],
    related: left,
    certainty: complete ? 'exact' : 'assumed',
    chain: chainOf(tracked, object),
    remedies: () => [
      obstacle !== undefined && obstacle.advice,
      advice(
        'check-collector',
        'see whether kube-controller-manager runs, and whether a webhook or policy refuses its changes (kubectl gc-tree why --probe): it continues by itself',
      ),
      hiding !== undefined && readDependents(object, hiding),
      left.length === 0 &&
        removeFinalizer(tracked, object, ORPHAN_FINALIZER, {
          risk: complete ? 'caution' : 'dangerous',
          title: complete
            ? `finish the deletion of ${object.name}: no dependent that can be seen refers to it any more`
            : `finish the deletion of ${object.name}: dependents that cannot be seen here are deleted after it`,
        }),
      redelete(object, 'background', {
        risk: 'dangerous',
        title: `delete ${object.name} again without keeping what it owns: ${many} that ${left.length === 1 ? 'was' : 'were'} to stay ${left.length === 1 ? 'is' : 'are'} deleted too`,
      }),
    ],
  };
}

function willMiss(tracked: TrackedView, object: KubeObject, newer: readonly KubeObject[]): FindingDraft {
  const since = objectDeletion.requestedAt(object) ?? 0;
  const titles = enumerated(newer.map(each => objectTitleIn(each, object.namespace)));
  const were = newer.length === 1 ? 'was' : 'were';
  const first = newer[0];
  const reference = first && referencesTo(object, first)[0];
  return {
    code: 'OrphanWillMissDependent',
    since,
    message: `${objectTitle(object)} is being deleted so that its dependents stay, but ${titles} ${were} created after that began: the garbage collector may not notice in time, and then deletes ${newer.length === 1 ? 'it' : 'them'} once ${object.name} is gone.`,
    brief: `may lose ${titles}, created too late to be kept`,
    evidence: [
      ...deletionEvidence(object),
      ...evidenceOnDependents(object, newer, each =>
        fieldEvidence(each, 'metadata.creationTimestamp', isoTime(each.creationTimestamp)),
      ),
    ],
    related: newer,
    // The collector's progress isn't recorded anywhere.
    certainty: 'assumed',
    chain: chainOf(tracked, object),
    remedies: () =>
      first === undefined || reference === undefined
        ? []
        : [pruneReference(tracked, first, reference, { risk: 'caution' })],
  };
}

function stillSolid(tracked: TrackedView, object: KubeObject, kept: readonly KubeObject[]): FindingDraft {
  const since = objectDeletion.requestedAt(object);
  const handler = actingHandler(tracked, object, objectDeletion.foreignFinalizers(object));
  const titles = enumerated(kept.map(each => objectTitleIn(each, object.namespace)));
  const stay = kept.length === 1 ? 'stays' : 'stay';
  return {
    code: 'DeletingOwnerStillSolid',
    // A cleanup by a cloud provider takes minutes.
    severity: handler?.presence === 'absent' || tracked.lasted(since, SOLID_PATIENCE) ? 'warning' : 'info',
    since,
    message: `${objectTitle(object)} is being deleted, but as long as ${objectDeletion.foreignFinalizers(object).join(' and ')} holds it, it counts as an existing owner: ${titles} ${stay} until it is really deleted.`,
    brief: `still owns ${titles} until ${objectDeletion.foreignFinalizers(object).join(', ')} goes`,
    evidence: [
      ...deletionEvidence(object),
      ...evidenceOnDependents(object, kept, () => 'metadata.deletionTimestamp: none'),
    ],
    related: kept,
    chain: chainOf(tracked, object),
    remedies: () => remediesOfSolid(tracked, object, handler),
  };
}

function remediesOfSolid(
  tracked: TrackedView,
  object: KubeObject,
  handler: ReturnType<typeof actingHandler>,
): OfferedRemedy[] {
  if (handler === undefined) return [];
  return [...handlerAdvice(handler), redelete(object, 'foreground'), ...removal(tracked, object, handler)];
}

/** Shows the references of the first ten; `first` adds a line about each. */
function evidenceOnDependents(
  owner: KubeObject,
  dependents: readonly KubeObject[],
  first?: (dependent: KubeObject) => Evidence,
): EvidenceLine[] {
  return dependents.slice(0, 10).flatMap(each => {
    const references = referencesTo(owner, each).map(reference => referenceEvidence(each, reference));
    return evidenceOn(each, ...(first === undefined ? [] : [first(each)]), ...references);
  });
}

function isSolid(tracked: TrackedView, dependent: KubeObject, owner: KubeObject): boolean {
  const node = tracked.node(dependent.uid);
  return (
    node !== undefined &&
    referencesTo(owner, dependent).some(each => tracked.ownerStatus(node, each) === 'Solid')
  );
}

function referencesTo(owner: KubeObject, dependent: KubeObject): OwnerReference[] {
  return dependent.owners.filter(({ uid }) => uid === owner.uid);
}

function byName(a: KubeObject, b: KubeObject): number {
  return objectTitle(a) < objectTitle(b) ? -1 : 1;
}
