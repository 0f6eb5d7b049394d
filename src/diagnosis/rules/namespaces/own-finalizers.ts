/** A namespace held by its own finalizers: in metadata as on any object, or in spec next to its controller's. */

import { identityOfObject, objectDeletion } from '../../../graph/index.ts';
import {
  enumerated,
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  objectTitle,
} from '../../../model/index.ts';
import { specialStores } from '../../../simulation/index.ts';
import { firstOf, isHeld, relatedTo } from '../../cluster/namespace-content.ts';
import { finalizersEvidence, specFinalizersEvidence } from '../../engine/evidence.ts';
import {
  advice,
  type ChainLink,
  chainLink,
  type FindingDraft,
  type OfferedRemedy,
} from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { type Handler, handlerOf } from '../../finalizers/handler.ts';
import { clearBlock } from '../../remedies/change-reference.ts';
import { removeForeground } from '../../remedies/deletion-remedies.ts';
import { finalize } from '../../remedies/finalize.ts';
import { removal } from '../../remedies/handler-remedies.ts';
import { chainInto, waitingHandler } from '../../waits/chain.ts';
import { readDependents, unseenDependents, unseenWords } from '../foreground/unseen-dependents.ts';
import { controllerRemedies } from './content-holds.ts';
import type { NamespaceCase } from './namespace-case.ts';

/** Milliseconds after the last change of its conditions. */
const PATIENCE = 60_000;
const OFFERED = 5;

interface Keeper {
  readonly finalizer: string;
  /** The reason it is still there, as a clause after its name. */
  readonly words: string;
  readonly forGood: boolean;
  readonly assumed: boolean;
  readonly evidence: readonly string[];
  readonly blockers: readonly KubeObject[];
  readonly remedies: () => OfferedRemedy[];
}

export function ownFinalizerFinding({
  tracked,
  namespace,
  facts,
  since,
}: NamespaceCase): FindingDraft | undefined {
  const emptied = !facts.specFinalizers.includes(specialStores.namespaceFinalizer);
  const inSpec = facts.specFinalizers.filter(each => each !== specialStores.namespaceFinalizer);
  const inMetadata = namespace.finalizers;
  if (!emptied || inSpec.length + inMetadata.length === 0) return undefined;
  const keepers = [
    ...inSpec.map(finalizer => specKeeper(tracked, namespace, finalizer)),
    ...inMetadata.map(finalizer => metadataKeeper(tracked, namespace, finalizer)),
  ];
  const lastNews = Math.max(since, ...facts.conditions.map(condition => condition.since ?? 0));
  const lasting = tracked.lasted(lastNews, PATIENCE);
  const forGood = keepers.some(each => each.forGood);
  const [deciding] = keepers.flatMap(({ blockers }) => blockers);
  const names = keepers.map(({ finalizer }) => finalizer);
  const reasons = keepers.map(({ finalizer, words }) => `${finalizer}${words === '' ? '' : `, ${words}`}`);
  return {
    code: 'NamespaceHeldByOwnFinalizer',
    severity: forGood || lasting ? 'error' : 'info',
    since,
    message: `Namespace ${namespace.name} has been emptied and is held by ${names.length === 1 ? 'its own finalizer' : 'its own finalizers'} ${reasons.join('; ')}.`,
    brief: `emptied, held by its own ${enumerated(names)}`,
    evidence: [
      finalizersEvidence(namespace),
      specFinalizersEvidence(namespace, facts.specFinalizers),
      ...keepers.flatMap(({ evidence }) => evidence),
    ],
    related: relatedTo(
      deciding === undefined ? [] : [deciding],
      keepers.flatMap(({ blockers }) => blockers),
    ),
    certainty: keepers.some(({ assumed }) => assumed) ? 'assumed' : 'exact',
    chain: ownChain(tracked, namespace, deciding, keepers),
    remedies: () => keepers.flatMap(({ remedies }) => remedies()),
  };
}

function ownChain(
  tracked: TrackedView,
  namespace: KubeObject,
  deciding: KubeObject | undefined,
  keepers: readonly Keeper[],
): ChainLink[] {
  if (deciding !== undefined)
    return chainInto(tracked, namespace, deciding, 'emptied, deleting in the foreground');
  const object = identityOfObject(namespace);
  const first = chainLink(object, '', 'emptied, deleting', namespace.deletionTimestamp);
  const [keeper] = keepers;
  return keeper === undefined
    ? [first]
    : [
        first,
        { object, by: 'held by', finalizer: keeper.finalizer, because: keeper.words.replace(/^and /u, '') },
      ];
}

/** Such a finalizer is removed through the `finalize` subresource by the component that set it. */
function specKeeper(tracked: TrackedView, namespace: KubeObject, finalizer: string): Keeper {
  const handler = waitingHandler(tracked, namespace, finalizer);
  const keeper = keeperOf(handler, () => [
    ...controllerRemedies(handler),
    ...[finalize(tracked, namespace, finalizer) ?? []].flat(),
  ]);
  return { ...keeper, words: `in its spec${keeper.words === '' ? '' : `, ${keeper.words}`}` };
}

function metadataKeeper(tracked: TrackedView, namespace: KubeObject, finalizer: string): Keeper {
  if (finalizer === FOREGROUND_FINALIZER) return foregroundKeeper(tracked, namespace);
  const orphaning =
    'see whether kube-controller-manager runs: its garbage collector removes the owner references from what the namespace owns';
  const handler = waitingHandler(tracked, namespace, finalizer);
  return keeperOf(handler, () =>
    finalizer === ORPHAN_FINALIZER
      ? [advice('check-controller-manager', orphaning)]
      : [...controllerRemedies(handler), ...removal(tracked, namespace, handler)],
  );
}

function keeperOf({ finalizer, presence, words, evidence }: Handler, remedies: Keeper['remedies']): Keeper {
  return {
    finalizer,
    words: words === '' ? '' : `and ${words}`,
    forGood: presence === 'absent',
    assumed: presence === 'unknown',
    evidence,
    blockers: [],
    remedies,
  };
}

/** A namespace may own cluster-scoped objects and objects in other namespaces, which can block it. */
function foregroundKeeper(tracked: TrackedView, namespace: KubeObject): Keeper {
  const node = tracked.node(namespace.uid);
  const owned = node === undefined ? [] : tracked.dependents(node);
  const blockers = owned.filter(each => objectDeletion.isBlockedBy(each, namespace.uid));
  const held = blockers.filter(isHeld);
  const free = blockers.filter(each => !isHeld(each));
  const names = enumerated(blockers.map(objectTitle).sort());
  const hiding = blockers.length === 0 ? unseenDependents(tracked, namespace) : undefined;
  return {
    finalizer: FOREGROUND_FINALIZER,
    words:
      blockers.length === 0
        ? hiding !== undefined
          ? `while the garbage collector waits for what it owns, ${unseenWords(hiding)}`
          : `which the garbage collector should have removed: nothing that ${tracked.view.completeEverywhere ? 'it owns blocks it' : 'can be seen blocks it, and what it owns elsewhere cannot be seen'}`
        : `because ${names} ${blockers.length === 1 ? 'is owned by it and has' : 'are owned by it and have'} to be deleted first`,
    forGood: held.some(({ type, finalizers }) =>
      finalizers.some(name => handlerOf(tracked, name, type).presence === 'absent'),
    ),
    assumed: blockers.length === 0 && !tracked.view.completeEverywhere,
    evidence: firstOf(blockers, OFFERED).map(
      each =>
        `${objectTitle(each)}: metadata.ownerReferences: blockOwnerDeletion: true; metadata.finalizers: [${each.finalizers.join(', ')}]`,
    ),
    blockers: [...firstOf(held, OFFERED), ...firstOf(free, OFFERED)],
    remedies: () =>
      blockers.length === 0
        ? [
            ...(hiding === undefined ? [] : [readDependents(namespace, hiding)]),
            removeForeground(tracked, namespace),
          ]
        : firstOf(blockers, OFFERED).map(each => clearBlock(tracked, namespace, each)),
  };
}
