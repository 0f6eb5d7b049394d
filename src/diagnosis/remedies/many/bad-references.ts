/**
 * Removes or repairs one kind of bad owner reference (its status and its owner's kind) on many objects of a kind. Each
 * gets the request that its own finding offers, so that nothing unproven is changed.
 */
import type { OwnerStatus } from '../../../collector/index.ts';
import { type ApplicableRemedy, requestWords } from '../../../forecast/index.ts';
import { isDeleting } from '../../../graph/index.ts';
import {
  type KubeObject,
  type OwnerReference,
  type ResourceType,
  textEscapes,
} from '../../../model/index.ts';
import { adoptionsOf, withoutReference } from '../../cluster/adoption.ts';
import type { Diagnosis } from '../../engine/diagnosis.ts';
import { isApplicable, worstRisk } from '../../engine/finding.ts';
import { inTurn } from '../remedy-requests.ts';
import { type Extent, PRUNE_FROM_ALL, REPAIR_FROM_ALL, takenFrom } from './extent.ts';

const badStatuses = [
  'Absent',
  'Mismatched',
  'OtherNamespace',
  'ClusterScopeViolation',
  'Unresolvable',
] as const satisfies readonly OwnerStatus[];

type BadStatus = (typeof badStatuses)[number];

export interface BadReferences extends Pick<OwnerReference, 'apiVersion' | 'kind'> {
  readonly type: ResourceType;
  readonly status: BadStatus;
}

/** Each change's id prefix for one object and for many. */
export const referenceChanges = [
  { one: 'prune-reference', many: PRUNE_FROM_ALL },
  { one: 'repair-reference', many: REPAIR_FROM_ALL },
] as const;

type ReferenceChange = (typeof referenceChanges)[number];

/** Lists the distinct kinds of bad references on one object. */
export function badReferencesOf({ tracked }: Diagnosis, object: KubeObject): BadReferences[] {
  const found = new Map<string, BadReferences>();
  for (const { apiVersion, kind, status } of statusesOf(tracked, object)) {
    const bad = badStatuses.find(each => each === status);
    if (bad !== undefined)
      found.set(`${bad} ${apiVersion} ${kind}`, { type: object.type, status: bad, apiVersion, kind });
  }
  return [...found.values()];
}

function statusesOf(
  tracked: Diagnosis['tracked'],
  object: KubeObject,
): (OwnerReference & { readonly status: OwnerStatus })[] {
  const node = tracked.node(object.uid);
  // An object that is being deleted is deleted whatever its owners are.
  if (node === undefined || isDeleting(object)) return [];
  return object.owners.map(each => ({ ...each, status: tracked.ownerStatus(node, each) }));
}

/** Returns undefined if this change fits no such reference in the extent. */
export function changeReferences(
  diagnosis: Diagnosis,
  extent: Extent,
  bad: BadReferences,
  change: ReferenceChange,
): ApplicableRemedy | undefined {
  const { tracked } = diagnosis;
  const { type, status, apiVersion, kind } = bad;
  const parts = new Map<KubeObject, readonly Part[]>();
  const fits = (object: KubeObject): boolean => {
    const found = partsOn(diagnosis, object, bad, change);
    if (found.length > 0) parts.set(object, found);
    return found.length > 0;
  };
  const taken = takenFrom(extent, type, fits);
  if (taken === undefined) return undefined;
  const steps = taken.objects.flatMap(each => parts.get(each) ?? []);
  const title =
    change.many === PRUNE_FROM_ALL
      ? `remove ${wordsOf(bad)} from ${taken.words}${taken.inTurn}${leftAlone(diagnosis, steps) ? `: ${taken.inTurn === '' ? 'it' : 'each'} then stays until a user deletes it` : ''}`
      : `make ${wordsOf(bad)} name what is there, in ${taken.words}${taken.inTurn}`;
  return inTurn(
    {
      id: `${change.many}/${requestWords.kubectlType(tracked.view.catalog, type)}/${status}/${apiVersion}/${kind}`,
      title,
      risk: worstRisk(steps.map(({ remedy }) => remedy.risk)),
    },
    steps.map(({ remedy }) => remedy),
  );
}

interface Part {
  readonly object: KubeObject;
  readonly reference: OwnerReference;
  readonly remedy: ApplicableRemedy;
}

/** Lists the object's parts from the last on, so that the indexes of the others stay as they were seen. */
function partsOn(
  diagnosis: Diagnosis,
  object: KubeObject,
  { status, apiVersion, kind }: BadReferences,
  { one }: ReferenceChange,
): Part[] {
  const { owners } = object;
  const meant = statusesOf(diagnosis.tracked, object).flatMap((each, index) =>
    each.status === status && each.apiVersion === apiVersion && each.kind === kind
      ? (owners[index] ?? [])
      : [],
  );
  if (meant.length === 0) return [];
  const offered = diagnosis.of(object.uid).flatMap(finding => finding.remedies().filter(isApplicable));
  return meant.toReversed().flatMap(reference => {
    const { uid } = reference;
    // Two references with the same uid are left to the user.
    if (owners.some(each => each !== reference && each.uid === uid)) return [];
    const same = offered.filter(({ id }) => id === `${one}/${uid}`);
    const risk = worstRisk(same.map(each => each.risk));
    return same.slice(0, 1).map(remedy => ({ object, reference, remedy: { ...remedy, risk } }));
  });
}

/** Returns true if the change leaves every object without an owner, and without a controller that adopts it. */
function leftAlone({ tracked }: Diagnosis, parts: readonly Part[]): boolean {
  return parts.every(
    ({ object, reference }) =>
      object.owners.length === 1 && adoptionsOf(tracked, withoutReference(object, reference)).by.length === 0,
  );
}

/** `references to a Deployment that doesn't exist` */
function wordsOf({ status, ...reference }: BadReferences): string {
  const { apiVersion, kind } = textEscapes.asShown({ ...reference, name: '' });
  switch (status) {
    case 'Absent':
      return `references to a ${kind} that doesn't exist`;
    case 'Mismatched':
      return `references to a ${kind} by the uid of another object`;
    case 'OtherNamespace':
      return `references to a ${kind} in another namespace`;
    case 'ClusterScopeViolation':
      return `references to a ${kind}, which lives in a namespace while they don't`;
    case 'Unresolvable':
      return `references to ${apiVersion} ${kind}, which isn't served,`;
  }
}

/** Parses the part of an id after its first word: `replicaset/Absent/apps/v1/Deployment`. */
export function badReferencesBy({ tracked }: Diagnosis, rest: string): BadReferences | undefined {
  const [typeWord = '', statusWord, ...owner] = rest.split('/');
  const word = tracked.view.catalog.resolveWord(typeWord);
  const type = word.known ? word.types[0] : undefined;
  const status = badStatuses.find(each => each === statusWord);
  const kind = owner.at(-1);
  if (type === undefined || status === undefined || kind === undefined || owner.length < 2) return undefined;
  return { type, status, apiVersion: owner.slice(0, -1).join('/'), kind };
}
