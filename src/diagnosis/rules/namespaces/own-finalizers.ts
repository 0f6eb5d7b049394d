/**
 * A namespace that has been emptied, or whose emptying isn't what holds it: its own finalizers do, in metadata as
 * on any object, or in spec beside the one of the namespace controller.
 */

import { blocksDeletion } from '../../../graph/deletion.ts';
import { identityOfObject } from '../../../graph/ownership-node.ts';
import type { NamespaceFacts } from '../../../model/facts/facts.ts';
import { FOREGROUND_FINALIZER, type KubeObject, ORPHAN_FINALIZER } from '../../../model/object.ts';
import { shownJson } from '../../../model/text/shown.ts';
import { objectTitle } from '../../../model/text/titles.ts';
import { NAMESPACE_FINALIZER } from '../../../simulation/api/special-stores.ts';
import { finalizersEvidence, specFinalizersEvidence } from '../../engine/evidence.ts';
import {
  advice,
  type ChainLink,
  chainLink,
  type FindingDraft,
  type OfferedRemedy,
} from '../../engine/finding.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';
import { enumerated } from '../../engine/words.ts';
import { chainInto } from '../../explain/chain.ts';
import { costOf, type Handler, handlerOf } from '../../finalizers/handler.ts';
import { removeFinalizer, removeForeground } from '../../remedies/deletion.ts';
import { clearBlock } from '../../remedies/references.ts';
import type { NamespaceCase } from './case.ts';
import { firstOf, isHeld, relatedTo } from './content.ts';

/** Milliseconds after the last news of its content. */
const PATIENCE = 60_000;
/** Dependents that are shown, and for which a remedy each is offered. */
const OFFERED = 5;

interface Keeper {
  readonly finalizer: string;
  /** Why it is still there, as a clause after its name. */
  readonly words: string;
  readonly forGood: boolean;
  readonly assumed: boolean;
  readonly evidence: readonly string[];
  readonly blockers: readonly KubeObject[];
  readonly remedies: () => OfferedRemedy[];
}

/** None while the namespace controller has still to do with it and no other finalizer is in its spec. */
export function ownFinalizerFinding({
  tracked,
  namespace,
  facts,
  since,
}: NamespaceCase): FindingDraft | undefined {
  const emptied = !facts.specFinalizers.includes(NAMESPACE_FINALIZER);
  const inSpec = facts.specFinalizers.filter(each => each !== NAMESPACE_FINALIZER);
  const inMetadata = namespace.finalizers;
  if (!emptied || inSpec.length + inMetadata.length === 0) return undefined;
  const keepers = [
    ...inSpec.map(finalizer => specKeeper(tracked, namespace, facts, finalizer)),
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
    : [first, { object, by: 'held by', finalizer: keeper.finalizer, because: keeper.words }];
}

/** Such a finalizer is removed through the subresource `finalize`, by whoever put it there. */
function specKeeper(
  tracked: TrackedView,
  namespace: KubeObject,
  facts: NamespaceFacts,
  finalizer: string,
): Keeper {
  const keeper = keeperOf(tracked, finalizer, () => [
    controllerBack(finalizer),
    finalize(namespace, facts, handlerOf(tracked, finalizer)),
  ]);
  return { ...keeper, words: `in its spec${keeper.words === '' ? '' : `, ${keeper.words}`}` };
}

/**
 * No PATCH is taken there, only the whole object: with the resourceVersion that was seen, so that it is refused where
 * anything has changed since (pkg/registry/core/namespace/storage/storage.go, v1.36).
 */
function finalize(
  { name, uid, resourceVersion, labels, finalizers }: KubeObject,
  { specFinalizers }: NamespaceFacts,
  handler: Handler,
): OfferedRemedy {
  const { finalizer } = handler;
  const body = {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name, uid, resourceVersion, labels: labelsJson(labels), finalizers },
    spec: { finalizers: specFinalizers.filter(each => each !== finalizer) },
  };
  return {
    ...advice(
      `finalize/${finalizer}`,
      `remove ${finalizer} from spec.finalizers of ${name} through its subresource finalize: ${costOf(handler)}; its annotations go too`,
      'dangerous',
    ),
    kubectl: [
      {
        words: ['kubectl', 'replace', '--raw', `/api/v1/namespaces/${name}/finalize`, '-f', '-'],
        input: shownJson(body),
      },
    ],
  };
}

function labelsJson(labels: KubeObject['labels']): Readonly<Record<string, string>> {
  const pairs: Record<string, string> = {};
  for (let i = 0; i < labels.length; i += 2) pairs[labels[i] ?? ''] = labels[i + 1] ?? '';
  return pairs;
}

function metadataKeeper(tracked: TrackedView, namespace: KubeObject, finalizer: string): Keeper {
  if (finalizer === FOREGROUND_FINALIZER) return foregroundKeeper(tracked, namespace);
  const orphaning =
    'see whether kube-controller-manager runs: its garbage collector removes the owner references from what the namespace owns';
  return keeperOf(tracked, finalizer, () =>
    finalizer === ORPHAN_FINALIZER
      ? [advice('check-controller-manager', orphaning)]
      : [controllerBack(finalizer), removeFinalizer(tracked, namespace, finalizer)],
  );
}

function keeperOf(tracked: TrackedView, finalizer: string, remedies: Keeper['remedies']): Keeper {
  const { presence, words, evidence } = handlerOf(tracked, finalizer);
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

/** What a namespace owns needn't be in it: cluster-scoped objects and those of other namespaces can block. */
function foregroundKeeper(tracked: TrackedView, namespace: KubeObject): Keeper {
  const node = tracked.node(namespace.uid);
  const owned = node === undefined ? [] : tracked.dependents(node);
  const blockers = owned.filter(each => blocksDeletion(each, namespace.uid));
  const held = blockers.filter(isHeld);
  const free = blockers.filter(each => !isHeld(each));
  const names = enumerated(blockers.map(objectTitle).sort());
  return {
    finalizer: FOREGROUND_FINALIZER,
    words:
      blockers.length === 0
        ? `which the garbage collector should have removed: nothing that ${tracked.view.completeEverywhere ? 'it owns blocks it' : 'can be seen blocks it, and what it owns elsewhere cannot be seen'}`
        : `because ${names} ${blockers.length === 1 ? 'is owned by it and has' : 'are owned by it and have'} to be deleted first`,
    forGood: held.some(each => each.finalizers.some(name => handlerOf(tracked, name).presence === 'absent')),
    assumed: blockers.length === 0 && !tracked.view.completeEverywhere,
    evidence: firstOf(blockers, OFFERED).map(
      each =>
        `${objectTitle(each)}: metadata.ownerReferences: blockOwnerDeletion: true; metadata.finalizers: [${each.finalizers.join(', ')}]`,
    ),
    blockers: [...firstOf(held, OFFERED), ...firstOf(free, OFFERED)],
    remedies: () =>
      blockers.length === 0
        ? [removeForeground(tracked, namespace)]
        : firstOf(blockers, OFFERED).map(each => clearBlock(tracked, namespace, each)),
  };
}

function controllerBack(finalizer: string): OfferedRemedy {
  return advice(
    `restore-controller/${finalizer}`,
    `bring the controller of ${finalizer} back, or see why it doesn't finish: it removes the finalizer, and the namespace is deleted`,
  );
}
