/**
 * Removes a finalizer from a deleting Namespace's spec, through the subresource `finalize`. `kubernetes` is only
 * offered once the namespace is empty: what is left could no longer be changed (docs/kubernetes.md §8).
 */
import { type ApplicableRemedy, patience, type Risk } from '../../forecast/index.ts';
import { isDeleting } from '../../graph/index.ts';
import { DeletionCondition, enumerated, type KubeObject, shownName } from '../../model/index.ts';
import { specialStores } from '../../simulation/index.ts';
import { namespaceContent } from '../cluster/namespace-content.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { costOf, handlerOf, riskOf } from '../finalizers/handler.ts';
import { finalization, remedy } from './remedy-requests.ts';

export const FINALIZE = 'finalize';

/** Lists a remedy for each finalizer in the spec that may be removed; empty unless a namespace is being deleted. */
export function finalizations(tracked: TrackedView, namespace: KubeObject): ApplicableRemedy[] {
  const { facts } = namespace;
  if (facts?.kind !== 'Namespace') return [];
  return facts.specFinalizers.flatMap(each => finalize(tracked, namespace, each) ?? []);
}

/** Returns undefined if the spec has no such finalizer, or if something in the namespace would be left behind. */
export function finalize(
  tracked: TrackedView,
  namespace: KubeObject,
  finalizer: string,
): ApplicableRemedy | undefined {
  const { facts } = namespace;
  if (facts?.kind !== 'Namespace' || !isDeleting(namespace)) return undefined;
  if (!facts.specFinalizers.includes(finalizer)) return undefined;
  const told =
    finalizer === specialStores.namespaceFinalizer
      ? inPlaceOfController(tracked, namespace)
      : byHand(tracked, namespace, finalizer);
  if (told === undefined) return undefined;
  const left = facts.specFinalizers.filter(each => each !== finalizer);
  return remedy({ id: `${FINALIZE}/${finalizer}`, ...told, acts: [finalization(namespace, left)] });
}

interface Told {
  readonly title: string;
  readonly risk: Risk;
}

function byHand(tracked: TrackedView, { name }: KubeObject, finalizer: string): Told {
  const handler = handlerOf(tracked, finalizer);
  return {
    title: `remove ${finalizer} from spec.finalizers of ${name}: ${costOf(handler)}`,
    risk: riskOf(handler),
  };
}

/** Allows it after a while: undiscoverable APIs are the reason to do it, but unseen kinds may hide content. */
function inPlaceOfController(tracked: TrackedView, namespace: KubeObject): Told | undefined {
  if (!tracked.lasted(patience.begins(namespace), patience.withNamespaces)) return undefined;
  const { pods, others, hidden, unseen } = namespaceContent(tracked, namespace);
  const apis = tracked.view.failedGroups.map(({ resource }) => resource);
  const isEmpty = pods.length + others.length + hidden.length === 0;
  if (!isEmpty || saysThatSomethingIsLeft(namespace)) return undefined;
  if (unseen.some(each => !apis.includes(each))) return undefined;
  const but =
    apis.length === 0
      ? ''
      : `; what ${enumerated(apis.map(shownName))}, which cannot be discovered, may have in it stays stored, and nothing deletes it`;
  return {
    title: `finalize ${namespace.name} in place of the namespace controller, which has nothing left to delete in it that can be seen${but}`,
    risk: 'dangerous',
  };
}

/** Checks the conditions, which may be outdated or name kinds unknown here; a running controller updates them. */
function saysThatSomethingIsLeft({ facts }: KubeObject): boolean {
  const conditions = facts?.kind === 'Namespace' ? facts.conditions : [];
  return (['NamespaceContentRemaining', 'NamespaceFinalizersRemaining'] as const).some(
    type => DeletionCondition.of(conditions, type) !== undefined,
  );
}
