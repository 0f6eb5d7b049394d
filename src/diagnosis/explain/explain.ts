/** Why an object is still there, survived, or will be deleted: from its findings, else from whom it survived or its state. */
import { isDeleting } from '../../graph/deletion.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { LookUp } from '../../model/exchange/changes.ts';
import { chainInDoubt, doubtEvidence, withDoubt } from '../engine/assumed.ts';
import type { FindingCode } from '../engine/codes.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import type { ChainLink, Finding, OfferedRemedy } from '../engine/finding.ts';
import { remediesOf } from '../remedies/offered.ts';
import { chainOf, ownersChain } from './chain.ts';
import { stateSentence } from './state-sentence.ts';
import { survivalOf } from './survival/survival.ts';

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
  /** The absences that this goes by and that no look-up has confirmed. */
  readonly assumed: readonly LookUp[];
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
  const { tracked } = diagnosis;
  const { object } = node;
  const findings = diagnosis.of(node.identity.uid);
  const telling = findings.find(({ code }) => !asides.has(code));
  const { value: plain, assumed } = tracked.noting(() => {
    const survival = object && survivalOf(tracked, object);
    return {
      survival,
      // What is printed is looked up: what the finding tells isn't made again.
      sentence: telling === undefined && survival === undefined ? stateSentence(tracked, node) : '',
      chain: telling !== undefined && telling.chain.length > 0 ? [] : plainChain(diagnosis, node),
    };
  });
  const { survival, sentence, chain } = plain;
  return {
    summary: telling?.message ?? withDoubt(survival?.summary ?? sentence, assumed, tracked.view),
    telling,
    chain: telling !== undefined && telling.chain.length > 0 ? telling.chain : doubted(chain, assumed),
    because: telling?.evidence ?? [...(survival?.because ?? []), ...doubtEvidence(assumed, tracked.view)],
    course: survival?.course ?? [],
    next: survival && (assumed.length === 0 ? survival.next : `If that is so: ${survival.next}`),
    assumed: telling === undefined ? assumed : diagnosis.assumptionsOf(node.identity.uid),
    findings,
    remedies: () => (object === undefined ? [] : remediesOf(diagnosis, object)),
  };
}

function doubted(chain: readonly ChainLink[], assumed: readonly LookUp[]): readonly ChainLink[] {
  return assumed.length === 0 ? chain : chainInDoubt(chain, assumed);
}

function plainChain({ tracked }: Diagnosis, node: GraphNode): readonly ChainLink[] {
  const { object } = node;
  return object !== undefined && isDeleting(object) ? chainOf(tracked, object) : ownersChain(tracked, node);
}
