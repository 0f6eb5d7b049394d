/**
 * Why an object is still here, survived, or will go: the answer for one object, from its findings where it has
 * some, else from whom it survived or from its state. What `why` prints and the details of the screen show.
 */
import { isDeleting } from '../graph/deletion.ts';
import type { GraphNode } from '../graph/node.ts';
import { chainOf } from './chain.ts';
import type { FindingCode } from './codes.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { ChainLink, Finding, OfferedRemedy } from './finding.ts';
import { ownersChain } from './owners-chain.ts';
import { remediesOf } from './remedies/offered.ts';
import { stateSentence } from './state-sentence.ts';
import { survivalOf } from './survival.ts';

/** All texts are verbatim: whoever prints them sanitises them. */
export interface Explanation {
  /** The answer in one sentence. */
  readonly summary: string;
  /** The finding that the summary is from; undefined where it is from the state alone. */
  readonly telling: Finding | undefined;
  /** From the object to the leaf that decides; at least the object itself. */
  readonly chain: readonly ChainLink[];
  /** What the summary rests on: fields and values, or clauses. */
  readonly because: readonly string[];
  /** Who did what, and what nobody did, for an object that survived; a clause each. */
  readonly course: readonly string[];
  /** What happens to a survivor next. Of other objects the forecast tells it (`prospect.ts`). */
  readonly next: string | undefined;
  /** Worst first. */
  readonly findings: readonly Finding[];
  /** Of all findings, each once, the safest first. Made when asked for, without effects. */
  readonly remedies: () => readonly OfferedRemedy[];
}

/** Worth knowing about an object, yet no answer to why it is here. */
const asides: ReadonlySet<FindingCode> = new Set([
  'ControllerDoesNotBlock',
  'PartlyDangling',
  'VolumeClaimOwnedByWorkload',
]);

/** The node may be virtual: an owner that is only heard of. */
export function explain(diagnosis: Diagnosis, node: GraphNode): Explanation {
  const { scene } = diagnosis;
  const { object } = node;
  const findings = diagnosis.of(node.identity.uid);
  const telling = findings.find(({ code }) => !asides.has(code));
  const survival = object && survivalOf(scene, object);
  return {
    summary: telling?.message ?? survival?.summary ?? stateSentence(scene, node),
    telling,
    chain: telling !== undefined && telling.chain.length > 0 ? telling.chain : plainChain(diagnosis, node),
    because: telling?.evidence ?? survival?.because ?? [],
    course: survival?.course ?? [],
    next: survival?.next,
    findings,
    remedies: () => (object === undefined ? [] : remediesOf(diagnosis, object)),
  };
}

function plainChain({ scene }: Diagnosis, node: GraphNode): readonly ChainLink[] {
  const { object } = node;
  return object !== undefined && isDeleting(object) ? chainOf(scene, object) : ownersChain(scene, node);
}
