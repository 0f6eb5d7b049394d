/**
 * A foreground deletion that waits for the collector: for a dependent with an owner reference that always fails
 * (docs/kubernetes.md §2.3, §10 rows 2, 3 and 8), or too long, because the collector is down, behind or refused, or
 * missed something.
 */

import { blockingDependents, type Hold, patience } from '../../../forecast/index.ts';
import { identityOfObject, isDeleting, objectDeletion } from '../../../graph/index.ts';
import {
  enumerated,
  FOREGROUND_FINALIZER,
  type KubeObject,
  nodeFacts,
  objectTitle,
  objectTitleIn,
  parseApiVersion,
  podFacts,
  ResourceType,
  textEscapes,
  tolerationRules,
} from '../../../model/index.ts';
import { deletionEvidence, evidenceOn, referenceEvidence } from '../../engine/evidence.ts';
import {
  advice,
  type Evidence,
  type EvidenceLine,
  type FindingDraft,
  type OfferedRemedy,
} from '../../engine/finding.ts';
import { worldOf } from '../../engine/live-holds.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { type Obstacle, obstaclesFor, POLICY_ADVICE, stoppedBy } from '../../manager/obstacles.ts';
import { clearBlock, pruneReference } from '../../remedies/change-reference.ts';
import { deleteObject, redelete, removeForeground } from '../../remedies/deletion-remedies.ts';
import { assumedReleases } from '../owners/owner-kinds.ts';
import { type ForegroundCase, lead, onCase, way, wayEvidence } from './foreground-case.ts';
import {
  readDependents,
  type UnseenDependents,
  unseenDependents,
  unseenEvidence,
  unseenWords,
} from './unseen-dependents.ts';

type Uncollected = Extract<Hold, { by: 'uncollected' }>;

export function blockedByUnresolvableOwner(at: ForegroundCase, { reference }: Uncollected): FindingDraft {
  const { tracked, object, decided, stuck, since } = at;
  const dependent = decided.object;
  const { apiVersion, kind, name } = textEscapes.asShown(reference);
  const { group, version } = parseApiVersion(reference.apiVersion);
  const outage = tracked.view.groupFailed(group, version);
  const why = outage
    ? `the API of ${apiVersion} cannot be reached now, so it is unknown whether its other owner ${kind} ${name} exists`
    : `nothing serves ${kind} of ${apiVersion}, so it is unknown whether its other owner ${name} exists`;
  const severity = outage ? (tracked.lasted(since, patience.usual) ? 'warning' : 'info') : 'error';
  return {
    ...onCase(at),
    code: 'ForegroundBlockedByUnresolvableOwner',
    severity,
    message: `${lead(at, severity !== 'info')} ${way(at)}, which the garbage collector doesn't delete: ${why}.`,
    brief: `waits for ${dependent.name}: ${outage ? `${apiVersion} doesn't answer` : `${kind} isn't served`}`,
    evidence: [
      ...wayEvidence(at),
      ...evidenceOn(dependent, referenceEvidence(dependent, reference)),
      outage ? `discovery of ${apiVersion}: fails` : `discovery: no ${kind} in ${apiVersion}`,
    ],
    certainty: outage ? 'assumed' : 'exact',
    remedies: () => [
      outage &&
        advice(
          'restore-api',
          `get the API of ${apiVersion} to answer again: the garbage collector then continues by itself`,
        ),
      ...stuck.slice(0, 5).map(each => clearBlock(tracked, object, each)),
      pruneReference(tracked, dependent, reference, {
        risk: 'caution',
        title: `remove the reference to ${kind} ${name} from ${dependent.name}: the garbage collector then deletes ${dependent.name}`,
      }),
    ],
  };
}

export function blockedByClusterScopedDependent(
  at: ForegroundCase,
  { reference }: Uncollected,
): FindingDraft {
  const { tracked, object, decided, stuck } = at;
  const dependent = decided.object;
  const { kind, name } = textEscapes.asShown(reference);
  const releases = assumedReleases(tracked);
  return {
    ...onCase(at),
    code: 'ForegroundBlockedByClusterScopedDependent',
    ...(releases !== undefined && { certainty: 'assumed' }),
    message: `${lead(at, true)} ${way(at)}, which the garbage collector${releases === undefined ? '' : ` of ${releases}`} never deletes: it lies outside of all namespaces, and its owner ${kind} ${name} is in one.`,
    brief: `waits for ${dependent.name}: never collected`,
    evidence: distinct([
      ...wayEvidence(at),
      ...evidenceOn(dependent, referenceEvidence(dependent, reference), 'cluster-scoped'),
    ]),
    remedies: () => [
      ...stuck.slice(0, 5).map(each => clearBlock(tracked, object, each)),
      pruneReference(tracked, dependent, reference, { risk: 'caution' }),
      deleteObject(tracked, dependent, 'background', { risk: 'caution' }),
    ],
  };
}

/** The path may end with the same reference. */
function distinct(lines: readonly EvidenceLine[]): EvidenceLine[] {
  return [...new Map(lines.map(line => [line.text, line])).values()];
}

/** Returns undefined while the collector may still be at work. */
export function staleForeground(at: ForegroundCase, hold: Hold): FindingDraft | undefined {
  const { tracked, object, decided, since } = at;
  const going = blockingDependents(worldOf(tracked), object).map(
    each => objectDeletion.requestedAt(each) ?? 0,
  );
  if (losesPods(tracked, decided.object) || losesPods(tracked, object)) return undefined;
  // The collector is at work as long as it deletes one dependent after another.
  if (!tracked.lasted(Math.max(since ?? 0, ...going), patience.usual)) return undefined;
  const { complete, scope } = tracked.view;
  const itself = decided.object.uid === object.uid;
  if (hold.by === 'collector') tracked.reliesOnDependents(identityOfObject(decided.object));
  const unseen = complete ? [] : unseenKinds(at);
  const elsewhere = complete && scope !== undefined;
  const hidden = elsewhere
    ? ', unless an object of another namespace blocks it, which -A would show'
    : unseen.length > 0
      ? `, unless something among ${enumerated(unseen)} blocks it, which cannot be seen`
      : '';
  const [obstacle] = obstaclesFor(tracked, decided.object);
  const isOpen = hold.by === 'collector' && hold.awaits === 'unblocked' && obstacle === undefined;
  const hiding = isOpen ? unseenDependents(tracked, decided.object) : undefined;
  if (hiding !== undefined) return waitsForUnseen(at, hiding);
  const base = onCase(at);
  return {
    ...base,
    chain: [...base.chain, ...stoppedBy(obstacle)],
    code: 'ForegroundStale',
    message: staleMessage(at, hold, hidden, obstacle),
    brief: `${itself ? 'nothing blocks it' : `waits for ${decided.object.name}`}: ${obstacle?.brief ?? 'the garbage collector is late'}`,
    evidence: [
      ...wayEvidence(at),
      ...(itself
        ? ['dependents that block (blockOwnerDeletion): none seen']
        : evidenceOn(decided.object, ...stateEvidence(decided.object))),
      ...(obstacle?.evidence ?? []),
      elsewhere && 'not read: other namespaces, which -A reads',
      unseen.length > 0 && `not seen: ${enumerated(unseen)}`,
    ],
    certainty: complete && !elsewhere && hold.by !== 'uncollected' ? 'exact' : 'assumed',
    remedies: () => [
      obstacle !== undefined && obstacle.advice,
      itself && underPolicy(removeForeground(tracked, object), obstacle),
      advice(
        'check-collector',
        'see whether kube-controller-manager runs (kubectl get lease -n kube-system kube-controller-manager -o yaml: renewTime) and what its log says of garbagecollector; a restart makes it look at everything again (kubectl gc-tree plan restart)',
      ),
      !itself && redelete(object, 'background'),
    ],
  };
}

function underPolicy<R extends OfferedRemedy>(remedy: R, obstacle: Obstacle | undefined): R {
  if (obstacle?.advice.id !== POLICY_ADVICE) return remedy;
  return { ...remedy, title: `${remedy.title}; the policy must let that pass, too` };
}

/** Unseen dependents may block it, so the collector's state is unknown and nothing is safe to remove. */
function waitsForUnseen(at: ForegroundCase, hiding: UnseenDependents): FindingDraft {
  const { object, decided } = at;
  const itself = decided.object.uid === object.uid;
  const dependents = itself ? 'its dependents' : `${way(at)}, which waits for its own dependents`;
  const where = hiding.inFiles ? "aren't in the files" : 'cannot be seen';
  const whose = itself ? 'dependents that' : `${decided.object.name}, whose dependents`;
  return {
    ...onCase(at),
    code: 'ForegroundStale',
    message: `${objectTitle(object)} is being deleted in the foreground and waits for ${dependents}, ${unseenWords(hiding)}.`,
    brief: `waits for ${whose} ${where}: most likely ${enumerated(hiding.likely)}`,
    evidence: [
      ...wayEvidence(at),
      ...(itself ? [] : evidenceOn(decided.object, ...stateEvidence(decided.object))),
      unseenEvidence(hiding),
    ],
    certainty: 'assumed',
    remedies: () => [readDependents(decided.object, hiding), !itself && redelete(object, 'background')],
  };
}

function stateEvidence(object: KubeObject): readonly Evidence[] {
  return isDeleting(object) ? deletionEvidence(object) : ['metadata.deletionTimestamp: none'];
}

function staleMessage(at: ForegroundCase, hold: Hold, hidden: string, obstacle?: Obstacle): string {
  const { object, decided } = at;
  const title = objectTitle(object);
  const itself = decided.object.uid === object.uid;
  if (obstacle !== undefined) {
    const waits = itself
      ? `nothing that can be seen blocks its foreground deletion${hidden}`
      : `its foreground deletion waits for ${way(at)}, which ${overdue(at, hold)}`;
    return `${title} is stuck ${obstacle.because}; ${waits}.`;
  }
  return itself
    ? `${title} is stuck with the finalizer ${FOREGROUND_FINALIZER} although nothing that can be seen blocks it: the garbage collector should have removed it by now${hidden}.`
    : `${title} is stuck: its foreground deletion waits for ${way(at)}, which ${overdue(at, hold)}.`;
}

/** Checks for a pod about to leave its node among object, dependents and owners: then the collector looks again. */
function losesPods(tracked: TrackedView, object: KubeObject): boolean {
  const node = tracked.node(object.uid);
  const owned = node === undefined ? [] : tracked.dependents(node);
  const owners = object.owners.flatMap(({ uid }) => tracked.node(uid)?.object ?? []);
  return [object, ...owned, ...owners].some(each => !isDeleting(each) && leavesItsNode(tracked, each));
}

/** Returns true for a pod that PodGC or the eviction from a tainted node deletes (docs/kubernetes.md §7). */
function leavesItsNode(tracked: TrackedView, pod: KubeObject): boolean {
  const facts = podFacts(pod);
  if (facts === undefined || facts.nodeName === '') return false;
  const node = tracked.findKind('v1', 'Node', '', facts.nodeName);
  if (node === undefined) return tracked.lacks(tracked.type('v1', 'Node'), '', facts.nodeName);
  const taints = tolerationRules.noExecute(nodeFacts(node)?.taints ?? []);
  return tolerationRules.toleratedFor(facts.tolerations, taints) !== Number.POSITIVE_INFINITY;
}

function overdue({ object, decided }: ForegroundCase, hold: Hold): string {
  if (hold.by === 'uncollected') {
    const { kind, name } = textEscapes.asShown(hold.reference);
    return `isn't being deleted, perhaps for the sake of its other owner ${kind} ${name}, which cannot be seen`;
  }
  if (hold.by === 'collector') {
    return hold.awaits === 'orphaning'
      ? 'waits for the garbage collector to remove the owner references from its dependents'
      : 'nothing blocks any more, so the garbage collector should have finished it by now';
  }
  const place = objectTitleIn(decided.object, object.namespace);
  return `the garbage collector should have deleted by now, and ${place} isn't even being deleted`;
}

function unseenKinds({ tracked }: ForegroundCase): string[] {
  const { view } = tracked;
  const spots = view.blindSpots().map(({ resource }) => resource);
  if (spots.length > 0) return spots;
  return view.catalog.types
    .filter(type => type.preferred && view.visibility(type) === 'listing')
    .map(type => ResourceType.groupResource(type));
}
