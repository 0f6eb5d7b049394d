/** Why an object is still there, survived, or will be deleted: from its findings, else from whom it survived or its state. */

import { kubectlTarget, namespaceFlag } from '../../forecast/requests.ts';
import { PATIENCE } from '../../forecast/under-way.ts';
import { deletionRequestedAt, isDeleting } from '../../graph/deletion.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { LookUp } from '../../model/exchange/changes.ts';
import type { KubeObject } from '../../model/object.ts';
import { objectTitleIn } from '../../model/text/titles.ts';
import { chainInDoubt, doubtEvidence, withDoubt } from '../engine/assumed.ts';
import type { FindingCode } from '../engine/codes.ts';
import type { Diagnosis } from '../engine/diagnosis.ts';
import { adviceToLook, type ChainLink, type Finding, type OfferedRemedy } from '../engine/finding.ts';
import { remediesOf } from '../remedies/offered.ts';
import { chainOf, ownersChain } from './chain.ts';
import { type ActsToo, contextOf } from './context.ts';
import { type ManagedBy, managedBy } from './managed-by.ts';
import { stateSentence } from './state-sentence.ts';
import type { SurvivalWay } from './survival/ownerless.ts';
import { survivalOf } from './survival/survival.ts';

/** All texts are verbatim: whoever prints them sanitises them. */
export interface Explanation {
  /** The answer in one sentence. */
  readonly summary: string;
  /** The finding that the summary is from; undefined where it is from the state alone. */
  readonly telling: Finding | undefined;
  /** From the object to the leaf that decides; at least the object itself. */
  readonly chain: readonly ChainLink[];
  /** How it lost its owner, where it survived one. */
  readonly survived: SurvivalWay | undefined;
  /** What the summary rests on: fields and values, or clauses. */
  readonly because: readonly string[];
  /** Who did what, and what nobody did, for an object that survived; a clause each. */
  readonly course: readonly string[];
  /** What happens to a survivor next. Of other objects the forecast tells it (`prospect.ts`). */
  readonly next: string | undefined;
  /** The absences that this goes by and that no look-up has confirmed. */
  readonly assumed: readonly LookUp[];
  /** The tools that manage it beside its owners, or the one that owns it. */
  readonly managedBy: readonly ManagedBy[];
  /** Who else acts on it, though no owner reference says so. */
  readonly context: readonly ActsToo[];
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
  const way = telling !== undefined && telling.chain.length > 0 ? telling.chain : doubted(chain, assumed);
  return {
    summary: telling?.message ?? withDoubt(survival?.summary ?? sentence, assumed, tracked.view),
    telling,
    chain: way,
    survived: survival?.way,
    because: telling?.evidence ?? [...(survival?.because ?? []), ...doubtEvidence(assumed, tracked.view)],
    course: survival?.course ?? [],
    next: survival && (assumed.length === 0 ? survival.next : `If that is so: ${survival.next}`),
    assumed: telling === undefined ? assumed : diagnosis.assumptionsOf(node.identity.uid),
    managedBy: managedBy(tracked.view, node),
    context: contextOf(tracked.view, node),
    findings,
    remedies: () => (object === undefined ? [] : remediesAlong(diagnosis, object, way)),
  };
}

/** Where nothing is offered for what has been going for long, at least whom to ask next. */
function remediesAlong(
  diagnosis: Diagnosis,
  object: KubeObject,
  way: readonly ChainLink[],
): readonly OfferedRemedy[] {
  const { tracked } = diagnosis;
  const offered = remediesOf(diagnosis, object);
  const end = way.at(-1)?.object;
  if (offered.length > 0 || end === undefined || end.uid === object.uid) return offered;
  if (!isDeleting(object) || !tracked.lasted(deletionRequestedAt(object), PATIENCE)) return offered;
  const { catalog } = tracked.view;
  const target = tracked.node(end.uid)?.object;
  const title = objectTitleIn(end, object.namespace);
  const words = [target && kubectlTarget(catalog, target), ...namespaceFlag(end.namespace)];
  return [
    target !== undefined && isDeleting(target)
      ? adviceToLook('look-further', `see why ${title} is still there`, ['gc-tree', 'why', ...words])
      : adviceToLook('look-further', `look at ${title}, which decides`, ['describe', ...words]),
  ];
}

function doubted(chain: readonly ChainLink[], assumed: readonly LookUp[]): readonly ChainLink[] {
  return assumed.length === 0 ? chain : chainInDoubt(chain, assumed);
}

function plainChain({ tracked }: Diagnosis, node: GraphNode): readonly ChainLink[] {
  const { object } = node;
  return object !== undefined && isDeleting(object) ? chainOf(tracked, object) : ownersChain(tracked, node);
}
