/**
 * Why an object is still here, survived, or will go: the answer for one object, from its findings where it has
 * some, else from its state. What `why` prints and the details of the screen show.
 */
import { isDeleting } from '../graph/deletion.ts';
import type { GraphNode } from '../graph/node.ts';
import type { FindingCode } from './codes.ts';
import type { Diagnosis } from './diagnosis.ts';
import type { ChainLink, Finding, OfferedRemedy } from './finding.ts';
import { ownersChain } from './owners-chain.ts';
import { stateSentence } from './state-sentence.ts';

export interface Explanation {
  /** One sentence, verbatim: whoever prints it sanitises it. */
  readonly summary: string;
  /** From the object to the leaf that decides; at least the object itself. */
  readonly chain: readonly ChainLink[];
  /** Worst first. */
  readonly findings: readonly Finding[];
  /** Of all findings, each once, the safest first. Made when asked for. */
  readonly remedies: () => readonly OfferedRemedy[];
}

/** Worth knowing about an object, yet no answer to why it is here. */
const asides: ReadonlySet<FindingCode> = new Set(['ControllerDoesNotBlock', 'PartlyDangling']);

/** The node may be virtual: an owner that is only heard of. */
export function explain(diagnosis: Diagnosis, node: GraphNode): Explanation {
  const { scene } = diagnosis;
  const findings = diagnosis.of(node.identity.uid);
  const telling = findings.find(({ code }) => !asides.has(code));
  return {
    summary: telling?.message ?? stateSentence(scene, node),
    chain: telling !== undefined && telling.chain.length > 0 ? telling.chain : chainOf(diagnosis, node),
    findings,
    remedies: () => remediesOf(findings),
  };
}

function chainOf({ scene }: Diagnosis, node: GraphNode): readonly ChainLink[] {
  const { object } = node;
  if (object !== undefined && isDeleting(object)) return ownersChain(scene, node).slice(0, 1);
  return ownersChain(scene, node);
}

const order: readonly OfferedRemedy['risk'][] = ['safe', 'caution', 'dangerous'];

/** A remedy that several findings offer stands where the worst of them has it. */
function remediesOf(findings: readonly Finding[]): OfferedRemedy[] {
  const byId = new Map<string, OfferedRemedy>();
  for (const finding of findings) {
    for (const remedy of finding.remedies()) if (!byId.has(remedy.id)) byId.set(remedy.id, remedy);
  }
  return [...byId.values()].sort((a, b) => order.indexOf(a.risk) - order.indexOf(b.risk));
}
