/** Volume claims that are deleted with a workload that owns them (docs/kubernetes.md §9, §10 row 42). */

import type { ApplicableRemedy } from '../../../forecast/index.ts';
import {
  BuiltInKind,
  controllerOf,
  type KubeObject,
  type OwnerReference,
  objectTitle,
  objectTitleIn,
  podFacts,
  shownName,
  workloadFacts,
} from '../../../model/index.ts';
import type { Operation } from '../../../simulation/index.ts';
import { referenceFact } from '../../engine/evidence.ts';
import { chainLink, type FindingDraft, type OfferedRemedy } from '../../engine/finding.ts';
import type { Rule } from '../../engine/rule.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { pruneReference } from '../../remedies/change-reference.ts';
import { patch, remedy } from '../../remedies/remedy-requests.ts';
import { sinceBoth } from '../owners/owner-survey.ts';

/** Lower-case kinds: references may have them in another case. */
const workloads: ReadonlySet<string> = new Set([
  'pod',
  'statefulset',
  'deployment',
  'replicaset',
  'replicationcontroller',
  'daemonset',
  'job',
  'cronjob',
]);

export const claimOwnerRule: Rule = {
  appliesTo: ({ object, deleting }) =>
    !deleting &&
    BuiltInKind.of(object.type) === 'PersistentVolumeClaim' &&
    object.owners.some(({ kind }) => workloads.has(kind.toLowerCase())),
  *judge({ object, node }, tracked) {
    for (const reference of object.owners) {
      if (!workloads.has(reference.kind.toLowerCase()) || tracked.ownerStatus(node, reference) !== 'Solid')
        continue;
      const owner = tracked.node(reference.uid)?.object;
      if (owner === undefined || isEphemeral(owner, object)) continue;
      yield found(tracked, object, reference, owner);
      // One owner explains the claim's fate; with several, the claim is deleted with the last.
      return;
    }
  },
};

/** A generic ephemeral volume is meant to be deleted with its pod. */
function isEphemeral(owner: KubeObject, claim: KubeObject): boolean {
  return podFacts(owner)?.ephemeralVolumes.some(volume => claim.name === `${owner.name}-${volume}`) ?? false;
}

function found(
  tracked: TrackedView,
  claim: KubeObject,
  reference: OwnerReference,
  owner: KubeObject,
): FindingDraft {
  const set = setOf(tracked, owner);
  const { when, brief, policy } = loss(owner, set);
  const others = claim.owners.length - 1;
  const last = others === 0 ? '' : ', as soon as its other owners are gone as well';
  return {
    code: 'VolumeClaimOwnedByWorkload',
    since: sinceBoth(claim, owner),
    message: `${objectTitle(claim)} is deleted, with the data on its volume unless that is retained, when ${when}${last}: ${objectTitleIn(owner, claim.namespace)} owns it${policy}.`,
    brief,
    evidence: [
      {
        text: `metadata.ownerReferences[${claim.owners.indexOf(reference)}]: ${reference.apiVersion} ${reference.kind} ${shownName(reference.name)}, uid ${reference.uid}`,
        facts: [referenceFact(claim, reference)],
      },
      ...policyEvidence(claim, set),
    ],
    related: [owner, ...(set === undefined || set === owner ? [] : [set])],
    chain: [
      chainLink(claim, '', 'there', sinceBoth(claim)),
      chainLink(owner, 'owned by', `there; the claim is deleted when ${when}`),
    ],
    remedies: () => keeping(tracked, claim, reference, set),
  };
}

/** Returns the StatefulSet whose policy set the reference: the owner itself, or the pod's controller. */
function setOf(tracked: TrackedView, owner: KubeObject): KubeObject | undefined {
  if (BuiltInKind.of(owner.type) === 'StatefulSet') return owner;
  const controller = BuiltInKind.of(owner.type) === 'Pod' ? controllerOf(owner) : undefined;
  const set = controller === undefined ? undefined : tracked.node(controller.uid)?.object;
  return set !== undefined && BuiltInKind.of(set.type) === 'StatefulSet' ? set : undefined;
}

function loss(
  owner: KubeObject,
  set: KubeObject | undefined,
): { readonly when: string; readonly brief: string; readonly policy: string } {
  const facts = set && workloadFacts(set);
  const { kind } = owner.type;
  if (facts === undefined || set === undefined) {
    return {
      when: `${kind} ${owner.name} is deleted`,
      brief: `deleted when ${owner.name} is deleted`,
      policy: '',
    };
  }
  if (owner !== set) {
    const policy = `, because ${set.name} is being scaled down and its persistentVolumeClaimRetentionPolicy says whenScaled: ${facts.claimsWhenScaled}`;
    return { when: `Pod ${owner.name} is gone`, brief: `deleted when Pod ${owner.name} is gone`, policy };
  }
  const scaled = facts.claimsWhenScaled === 'Delete' ? ' or scaled down' : '';
  const stale =
    facts.claimsWhenDeleted === 'Delete'
      ? `, because its persistentVolumeClaimRetentionPolicy says whenDeleted: Delete`
      : `, although its persistentVolumeClaimRetentionPolicy says whenDeleted: ${facts.claimsWhenDeleted || 'Retain'}`;
  return {
    when: `StatefulSet ${set.name} is deleted${scaled}`,
    brief: `deleted when ${set.name} is deleted${scaled}`,
    policy: stale,
  };
}

function policyEvidence(claim: KubeObject, set: KubeObject | undefined): string[] {
  const facts = set && workloadFacts(set);
  if (facts === undefined || set === undefined || facts.claimsWhenDeleted === '') return [];
  const field = `${objectTitleIn(set, claim.namespace)}: spec.persistentVolumeClaimRetentionPolicy`;
  return [
    `${field}.whenDeleted: ${facts.claimsWhenDeleted}`,
    `${field}.whenScaled: ${facts.claimsWhenScaled}`,
  ];
}

/** A reference that the controller writes returns after removal, so the policy has to change. */
function keeping(
  tracked: TrackedView,
  claim: KubeObject,
  reference: OwnerReference,
  set: KubeObject | undefined,
): readonly OfferedRemedy[] {
  const facts = set && workloadFacts(set);
  const writes = facts?.claimsWhenDeleted === 'Delete' || facts?.claimsWhenScaled === 'Delete';
  if (set !== undefined && writes) return [retainClaims(tracked, set)];
  return [
    pruneReference(tracked, claim, reference, {
      risk: 'caution',
      title: `remove the reference to ${reference.kind} ${shownName(reference.name)} from ${claim.name}, which then outlives it`,
    }),
  ];
}

const FIELD = '/spec/persistentVolumeClaimRetentionPolicy';

/** Sets both retention policies to Retain; the StatefulSet controller then removes its references from the claims. */
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
