/**
 * A finalizer taken off the spec of a Namespace that is being deleted, through its subresource `finalize`. That of the
 * namespace controller itself, `kubernetes`, only where nothing is left in the namespace: what is left would stay stored, and
 * nobody could change it any more (docs/kubernetes.md §8).
 */
import type { ApplicableRemedy, Risk } from '../../forecast/action.ts';
import { lastNewsOf, NAMESPACE_PATIENCE } from '../../forecast/under-way.ts';
import { isDeleting } from '../../graph/deletion.ts';
import { deletionCondition } from '../../model/facts/namespace-conditions.ts';
import type { KubeObject } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import { enumerated } from '../../model/text/titles.ts';
import { NAMESPACE_FINALIZER } from '../../simulation/api/special-stores.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { costOf, handlerOf, riskOf } from '../finalizers/handler.ts';
import { namespaceContent } from '../rules/namespaces/content.ts';
import { finalization, remedy } from './request.ts';

/** What ids of these remedies begin with. */
export const FINALIZE = 'finalize';

/** One for each finalizer in its spec that may be taken off; none for anything but a namespace that is being deleted. */
export function finalizations(tracked: TrackedView, namespace: KubeObject): ApplicableRemedy[] {
  const { facts } = namespace;
  if (facts?.kind !== 'Namespace') return [];
  return facts.specFinalizers.flatMap(each => finalize(tracked, namespace, each) ?? []);
}

/** Undefined where its spec has no such finalizer, or where something in it would be left behind. */
export function finalize(
  tracked: TrackedView,
  namespace: KubeObject,
  finalizer: string,
): ApplicableRemedy | undefined {
  const { facts } = namespace;
  if (facts?.kind !== 'Namespace' || !isDeleting(namespace)) return undefined;
  if (!facts.specFinalizers.includes(finalizer)) return undefined;
  const told =
    finalizer === NAMESPACE_FINALIZER
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

/**
 * Once it had its time. APIs that cannot be discovered are why it is done at all; of kinds that this user may not see
 * something may be left.
 */
function inPlaceOfController(tracked: TrackedView, namespace: KubeObject): Told | undefined {
  if (!tracked.lasted(lastNewsOf(namespace), NAMESPACE_PATIENCE)) return undefined;
  const { pods, others, hidden, unseen } = namespaceContent(tracked, namespace);
  const apis = tracked.view.failedGroups.map(({ resource }) => resource);
  const isEmpty = pods.length + others.length + hidden.length === 0;
  if (!isEmpty || saysThatSomethingIsLeft(namespace)) return undefined;
  if (unseen.some(each => !apis.includes(each))) return undefined;
  const but =
    apis.length === 0
      ? ''
      : `; what ${enumerated(apis.map(shownName))}, which cannot be discovered, may have in it stays stored, and nobody deletes it`;
  return {
    title: `finalize ${namespace.name} in place of the namespace controller, which has nothing left to delete in it that can be seen${but}`,
    risk: 'dangerous',
  };
}

/** Its conditions may be of kinds that aren't known here, and old: a controller that runs brings them up to date. */
function saysThatSomethingIsLeft({ facts }: KubeObject): boolean {
  const conditions = facts?.kind === 'Namespace' ? facts.conditions : [];
  return (['NamespaceContentRemaining', 'NamespaceFinalizersRemaining'] as const).some(
    type => deletionCondition(conditions, type) !== undefined,
  );
}
