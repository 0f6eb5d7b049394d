/** All owner references of an object together: none decides alone (docs/kubernetes.md §2.3, §2.4). */
import { type Judgement, OwnerStatus, type Verdict } from '../../../collector/index.ts';
import type { GraphNode, Identity } from '../../../graph/index.ts';
import {
  enumerated,
  type KubeObject,
  type OwnerReference,
  objectTitleIn,
  shownName,
  textEscapes,
} from '../../../model/index.ts';
import { fieldEvidence, referenceFact } from '../../engine/evidence.ts';
import type { EvidenceLine } from '../../engine/finding.ts';
import { ownerTitle } from '../../engine/kind-words.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

export interface SurveyedReference {
  readonly reference: OwnerReference;
  readonly index: number;
  readonly status: OwnerStatus;
  /** The live object with this uid, of any kind and in any namespace. */
  readonly owner: KubeObject | undefined;
  /** The live object with the reference's kind and name but another uid. */
  readonly namesake: KubeObject | undefined;
}

/** The collector's next action on the object. */
export type OwnerOutcome =
  | 'stays'
  | 'deleted'
  | 'pruned'
  /** All references are removed, even a right one, because two name the same uid. */
  | 'ownerless'
  /** An owner that cannot be seen decides whether it is deleted or loses references. */
  | 'unseen'
  /** The collector retries forever and does nothing. */
  | 'undecided'
  | 'never';

export interface OwnerSurvey {
  readonly tracked: TrackedView;
  readonly object: KubeObject;
  readonly node: GraphNode;
  readonly references: readonly SurveyedReference[];
  readonly judgement: Judgement;
  readonly outcome: OwnerOutcome;
}

export function surveyOwners(tracked: TrackedView, node: GraphNode, object: KubeObject): OwnerSurvey {
  const references = object.owners.map((reference, index): SurveyedReference => {
    const status = tracked.ownerStatus(node, reference);
    const owner = tracked.node(reference.uid)?.object;
    return { reference, index, status, owner, namesake: namesakeOf(tracked, object, reference) };
  });
  const { verdict, certainty } = tracked.verdict(node);
  const judgement = {
    verdict,
    certainty: kindsAreKnown(tracked, references) ? certainty : 'assumed',
  } as const;
  return { tracked, object, node, references, judgement, outcome: outcomeOf(references, judgement) };
}

/** Files may lack a kind only because they lack its definition. */
function kindsAreKnown(tracked: TrackedView, references: readonly SurveyedReference[]): boolean {
  return (
    references.every(({ status }) => status !== 'Unresolvable') ||
    tracked.sees(tracked.type('apiextensions.k8s.io/v1', 'CustomResourceDefinition'), '')
  );
}

function namesakeOf(
  tracked: TrackedView,
  object: KubeObject,
  reference: OwnerReference,
): KubeObject | undefined {
  const type = tracked.type(reference.apiVersion, reference.kind);
  if (type === undefined || (type.namespaced && object.namespace === '')) return undefined;
  const found = tracked.find(type, type.namespaced ? object.namespace : '', reference.name);
  return found === undefined || found.uid === reference.uid ? undefined : found;
}

const outcomes: Readonly<Partial<Record<Verdict, OwnerOutcome>>> = {
  DeleteBackground: 'deleted',
  DeleteForeground: 'deleted',
  DeleteOrphan: 'deleted',
  UnblockAndDelete: 'deleted',
  RetryForever: 'undecided',
  NeverCollected: 'never',
};

function outcomeOf(references: readonly SurveyedReference[], { verdict }: Judgement): OwnerOutcome {
  return verdict === 'PruneReferences' ? prunedTo(references) : (outcomes[verdict] ?? 'stays');
}

/** References are removed by uid, so a right one may be removed with a wrong one (docs/kubernetes.md §2.4). */
function prunedTo(references: readonly SurveyedReference[]): OwnerOutcome {
  const pruned = new Set(references.filter(isPruned).map(({ reference }) => reference.uid));
  if (!references.some(({ status }) => status === 'Solid')) return 'unseen';
  return references.every(({ reference }) => pruned.has(reference.uid)) ? 'ownerless' : 'pruned';
}

function isPruned({ status }: SurveyedReference): boolean {
  return OwnerStatus.isDangling(status) || status === 'WaitingForDependents';
}

export function keepersOf({ references }: OwnerSurvey): readonly SurveyedReference[] {
  const pruned = new Set(references.filter(isPruned).map(({ reference }) => reference.uid));
  return references.filter(
    ({ status, reference }) => (status === 'Solid' || status === 'Unknown') && !pruned.has(reference.uid),
  );
}

export function ofStatus(survey: OwnerSurvey, ...statuses: readonly OwnerStatus[]): SurveyedReference[] {
  return survey.references.filter(({ status }) => statuses.includes(status));
}

export function claimed({ reference }: SurveyedReference): string {
  return ownerTitle(reference);
}

export function claimedOwners(references: readonly SurveyedReference[]): string {
  return enumerated([...new Set(references.map(claimed))]);
}

/** Returns the identity that the reference claims; its namespace is a guess if the kind isn't served. */
export function claimedBy(tracked: TrackedView, object: KubeObject, reference: OwnerReference): Identity {
  const { apiVersion, kind, name, uid } = reference;
  const namespaced = tracked.type(apiVersion, kind)?.namespaced ?? true;
  return { apiVersion, kind, namespace: namespaced ? object.namespace : '', name, uid };
}

export function surveyedEvidence(
  { object }: OwnerSurvey,
  { reference, index }: SurveyedReference,
  more = '',
): EvidenceLine {
  const { apiVersion, kind, name, uid } = textEscapes.asShown(reference);
  return {
    text: `metadata.ownerReferences[${index}]: ${apiVersion} ${kind} ${name}, uid ${shownName(uid)}${more}`,
    facts: [referenceFact(object, reference)],
  };
}

/** Returns the reference, and the uid of the object that has its name now. */
export function namesakeEvidence(
  survey: OwnerSurvey,
  each: SurveyedReference,
  namesake: KubeObject,
): readonly EvidenceLine[] {
  const title = objectTitleIn(namesake, survey.object.namespace);
  return [
    surveyedEvidence(survey, each),
    fieldEvidence(namesake, 'metadata.uid', namesake.uid, `${title}: metadata.uid: ${namesake.uid}`),
  ];
}

/** Returns the earliest possible start: all objects exist. In milliseconds since the epoch; undefined if unknown. */
export function sinceBoth(...objects: readonly (KubeObject | undefined)[]): number | undefined {
  let since = 0;
  for (const object of objects) since = Math.max(since, object?.creationTimestamp ?? 0);
  return since === 0 ? undefined : since;
}
