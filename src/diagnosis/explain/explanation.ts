/** Explains why an object exists or will be deleted: by its findings, its survival, or its state. */

import { patience, requestWords } from '../../forecast/index.ts';
import { type GraphNode, isDeleting, objectDeletion } from '../../graph/index.ts';
import { type KubeObject, type LookUp, objectTitleIn } from '../../model/index.ts';
import { chainInDoubt, doubtEvidence, withDoubt } from '../engine/assumed-findings.ts';
import type { FindingCode } from '../engine/codes.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import {
  adviceToLook,
  adviceToLookFurther,
  type ChainLink,
  type Finding,
  type OfferedRemedy,
} from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { offeredRemedies } from '../offers/offered-remedies.ts';
import { chainOf, ownersChain } from '../waits/chain.ts';
import { explainDeletion } from './deletion-course.ts';
import { type ManagedBy, managedBy } from './managed-by.ts';
import { type ActsToo, contextOf } from './other-actors.ts';
import { stateSentence } from './state-sentence.ts';
import type { SurvivalWay } from './survival/ownerless.ts';
import { survivalOf } from './survival/survival.ts';

/** All texts are verbatim: callers sanitise them for output. */
export interface Explanation {
  readonly summary: string;
  /** The summary's finding; undefined if the state alone explains it. */
  readonly telling: Finding | undefined;
  /** From the object to the deciding leaf; at least the object. */
  readonly chain: readonly ChainLink[];
  readonly survived: SurvivalWay | undefined;
  /** Evidence for the summary: fields and values, or clauses. */
  readonly because: readonly string[];
  /** Clauses on each actor's actions and omissions for a survivor, or on the cause of a deletion. */
  readonly course: readonly string[];
  /** A survivor's future; the forecast covers other objects (`prospect.ts`). */
  readonly next: string | undefined;
  /** Absences that the answer assumes and no look-up has confirmed. */
  readonly assumed: readonly LookUp[];
  readonly managedBy: readonly ManagedBy[];
  readonly context: readonly ActsToo[];
  readonly findings: readonly Finding[];
  /** Made on demand, without effects. */
  readonly remedies: () => readonly OfferedRemedy[];
}

/** Findings that don't explain why an object is here. */
const asides: ReadonlySet<FindingCode> = new Set([
  'ControllerDoesNotBlock',
  'PartlyDangling',
  'VolumeClaimOwnedByWorkload',
]);

/** Matches a finding that says why an object is being deleted, not what keeps it. */
function isCauseOfDeletion({ code }: Finding): boolean {
  return code === 'OwnerRecreated';
}

function joinMessages(telling: Finding | undefined, cause: Finding | undefined): string | undefined {
  return cause === undefined || cause === telling ? telling?.message : `${cause.message} ${telling?.message}`;
}

function joinEvidence(
  telling: Finding | undefined,
  cause: Finding | undefined,
): readonly string[] | undefined {
  return cause === undefined || cause === telling
    ? telling?.evidence
    : [...cause.evidence, ...(telling?.evidence ?? [])];
}

/** Accepts virtual nodes: owners known only from references. */
export function explain(diagnosis: Diagnosis, node: GraphNode): Explanation {
  const { tracked } = diagnosis;
  const { object } = node;
  const findings = diagnosis.of(node.identity.uid);
  const managers = managedBy(tracked.view, node);
  const main = findings.filter(({ code }) => !asides.has(code));
  const cause = object !== undefined && isDeleting(object) ? main.find(isCauseOfDeletion) : undefined;
  const telling = main.find(each => each !== cause) ?? cause;
  const { value: plain, assumed } = tracked.noting(() => {
    const survival = object && survivalOf(tracked, object);
    return {
      survival,
      sentence: telling === undefined && survival === undefined ? stateSentence(tracked, node) : '',
      chain: telling !== undefined && telling.chain.length > 0 ? [] : plainChain(diagnosis, node),
    };
  });
  const { survival, sentence, chain } = plain;
  const way = telling !== undefined && telling.chain.length > 0 ? telling.chain : doubted(chain, assumed);
  return {
    summary: joinMessages(telling, cause) ?? withDoubt(survival?.summary ?? sentence, assumed, tracked.view),
    telling,
    chain: way,
    survived: survival?.way,
    because: joinEvidence(telling, cause) ?? [
      ...(survival?.because ?? []),
      ...doubtEvidence(assumed, tracked.view),
    ],
    course: survival === undefined ? describeCourse(tracked, node, managers) : (survival.course ?? []),
    // The forecast shows how a deletion continues.
    next:
      survival === undefined || (object !== undefined && isDeleting(object))
        ? undefined
        : assumed.length === 0
          ? survival.next
          : `If that is so: ${survival.next}`,
    assumed: telling === undefined ? assumed : diagnosis.assumptionsOf(node.identity.uid),
    managedBy: managers,
    context: contextOf(tracked.view, node),
    findings,
    remedies: () => (object === undefined ? [] : remediesAlong(diagnosis, object, way)),
  };
}

/** Adds advice for an overdue deletion without remedies. */
function remediesAlong(
  diagnosis: Diagnosis,
  object: KubeObject,
  way: readonly ChainLink[],
): readonly OfferedRemedy[] {
  const { tracked } = diagnosis;
  const offered = offeredRemedies.of(diagnosis, object);
  const end = way.at(-1)?.object;
  if (offered.length > 0 || end === undefined || end.uid === object.uid) return offered;
  if (!isDeleting(object) || !tracked.lasted(objectDeletion.requestedAt(object), patience.usual))
    return offered;
  const { view } = tracked;
  const target = tracked.node(end.uid)?.object;
  const title = objectTitleIn(end, object.namespace);
  if (target !== undefined && isDeleting(target)) return [adviceToLookFurther(view, target, title)];
  const words = target === undefined ? [undefined] : requestWords.onObject(view.catalog, target);
  return [adviceToLook('look-further', `look at ${title}, which decides`, ['describe', ...words])];
}

/** Returns nothing that rests on an unconfirmed absence. */
function describeCourse(
  tracked: TrackedView,
  node: GraphNode,
  managers: readonly ManagedBy[],
): readonly string[] {
  const { value, assumed } = tracked.noting(() => explainDeletion(tracked, node, managers));
  return assumed.length === 0 ? value : [];
}

function doubted(chain: readonly ChainLink[], assumed: readonly LookUp[]): readonly ChainLink[] {
  return assumed.length === 0 ? chain : chainInDoubt(chain, assumed);
}

function plainChain({ tracked }: Diagnosis, node: GraphNode): readonly ChainLink[] {
  const { object } = node;
  return object !== undefined && isDeleting(object) ? chainOf(tracked, object) : ownersChain(tracked, node);
}
