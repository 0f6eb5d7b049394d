/**
 * Dry runs of the requests that the collector, the namespace controller and finalizer handlers would send for an
 * object: they reveal webhooks and policies that reject one. Sent only on request.
 */
import { requestWords } from '../../forecast/index.ts';
import {
  type GraphNode,
  type Identity,
  identityOfObject,
  isDeleting,
  objectDeletion,
} from '../../graph/index.ts';
import {
  type DryRunRequest,
  FOREGROUND_FINALIZER,
  type KubeObject,
  namespacedName,
  ORPHAN_FINALIZER,
  type OwnerReference,
  objectTitle,
  type Uid,
} from '../../model/index.ts';
import { firstOf, namespaceContent } from '../cluster/namespace-content.ts';
import { ownFinalizers } from '../engine/live-holds.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import type { Handler } from '../finalizers/handler.ts';
import { handlerOn } from '../finalizers/on-object.ts';
import { type Gatekeeper, gatekeepersOf } from './gatekeepers.ts';

export interface Probe {
  readonly object: Identity;
  /** The action, worded to follow "would": `delete Pod shop/web-2`. */
  readonly wanted: string;
  /** The controller that would send it: `the garbage collector`, `Deployment tools/drain-operator`. */
  readonly actor: string;
  readonly request: DryRunRequest;
  /** Those that are asked about it; only known for removals of finalizers. */
  readonly gatekeepers?: readonly Gatekeeper[];
  /** Retry after a 415: custom resources don't support strategic merge patches (docs/kubernetes.md §2.6). */
  readonly fallback?: DryRunRequest;
}

const COLLECTOR = 'the garbage collector';

/** Limits how many dependents, or objects in a namespace, are probed. */
const ASKED = 10;

/** Lists the requests due for an object, its blockers or its content (docs/kubernetes.md §2.4 to §2.6, §3). */
export function probesOf(tracked: TrackedView, node: GraphNode): readonly Probe[] {
  const { object } = node;
  if (object === undefined) return [];
  if (isDeleting(object) && object.facts?.kind === 'Namespace' && object.facts.specFinalizers.length > 0) {
    return emptyingProbes(tracked, object);
  }
  const own = ownProbes(tracked, node, object);
  if (own.length > 0 || !objectDeletion.isForeground(object)) return own;
  const blocking = tracked.dependents(node).filter(each => objectDeletion.isBlockedBy(each, object.uid));
  const found: Probe[] = [];
  for (const dependent of blocking.sort(byName).slice(0, ASKED)) {
    const at = tracked.node(dependent.uid);
    if (at !== undefined) found.push(...ownProbes(tracked, at, dependent));
  }
  return found;
}

function ownProbes(tracked: TrackedView, node: GraphNode, object: KubeObject): readonly Probe[] {
  const due = collectorProbes(tracked, node, object);
  return isDeleting(object) ? [...due, ...handlerProbes(tracked, object)] : due;
}

/** Probes the finalizers that nothing else explains, except those whose handler is absent. */
function handlerProbes(tracked: TrackedView, object: KubeObject): readonly Probe[] {
  return ownFinalizers(tracked, object).flatMap(finalizer => {
    const handler = handlerOn(tracked, object, finalizer);
    const isCarried = object.finalizers.includes(finalizer);
    return handler.presence === 'absent' || !isCarried
      ? []
      : {
          ...finalizerRemoval(object, finalizer, actorOf(handler)),
          gatekeepers: gatekeepersOf(tracked, object, finalizer),
        };
  });
}

function actorOf({ entry, name, workloads: [workload] }: Handler): string {
  return entry === undefined && workload !== undefined ? objectTitle(workload) : name;
}

function collectorProbes(tracked: TrackedView, node: GraphNode, object: KubeObject): readonly Probe[] {
  switch (tracked.verdict(node).verdict) {
    case 'DeleteBackground':
      return [deletion(object, 'Background', COLLECTOR)];
    case 'DeleteForeground':
      return [deletion(object, 'Foreground', COLLECTOR)];
    case 'DeleteOrphan':
      return [deletion(object, 'Orphan', COLLECTOR)];
    case 'PruneReferences':
      return [dropping(object, uselessOwners(tracked, node))];
    case 'UnblockAndDelete':
      return [unblocking(object), deletion(object, 'Foreground', COLLECTOR)];
    case 'RemoveForegroundFinalizer':
      return [finalizerRemoval(object, FOREGROUND_FINALIZER)];
    case 'OrphanDependents': {
      const dependents = tracked.dependents(node).sort(byName).slice(0, ASKED);
      const orphaned = new Set([object.uid]);
      return [
        ...dependents.map(each => dropping(each, orphaned)),
        finalizerRemoval(object, ORPHAN_FINALIZER),
      ];
    }
    case 'None':
    case 'WaitForDependents':
    case 'RetryForever':
    case 'NeverCollected':
      return [];
  }
}

/** Probes pods alone while any exist: the namespace controller deletes them first (docs/kubernetes.md §8). */
function emptyingProbes(tracked: TrackedView, namespace: KubeObject): readonly Probe[] {
  const { pods, others } = namespaceContent(tracked, namespace);
  const next = pods.length > 0 ? pods : others;
  const due = next.filter(each => !isDeleting(each));
  const held = next.filter(isDeleting);
  return [
    ...firstOf(due, ASKED).map(each => deletion(each, 'Background', 'the namespace controller')),
    ...firstOf(held, ASKED).flatMap(each => handlerProbes(tracked, each)),
  ];
}

function uselessOwners(tracked: TrackedView, node: GraphNode): ReadonlySet<Uid> {
  const useless = new Set<Uid>();
  for (const reference of node.owners) {
    const status = tracked.ownerStatus(node, reference);
    if (status !== 'Solid' && status !== 'Unknown') useless.add(reference.uid);
  }
  return useless;
}

function deletion(object: KubeObject, propagationPolicy: string, actor: Probe['actor']): Probe {
  return {
    object: identityOfObject(object),
    wanted: `delete ${titled(object)}`,
    actor,
    request: {
      method: 'DELETE',
      path: dryRunPath(object),
      contentType: 'application/json',
      body: {
        apiVersion: 'v1',
        kind: 'DeleteOptions',
        propagationPolicy,
        preconditions: { uid: object.uid },
        dryRun: ['All'],
      },
    },
  };
}

function dropping(object: KubeObject, uids: ReadonlySet<Uid>): Probe {
  const dropped = [...uids].map(uid => ({ $patch: 'delete', uid }));
  const left = object.owners.filter(({ uid }) => !uids.has(uid));
  return {
    object: identityOfObject(object),
    wanted: `remove owner references from ${titled(object)}`,
    actor: COLLECTOR,
    ...ownersPatch(object, dropped, left),
  };
}

function unblocking(object: KubeObject): Probe {
  const unblocked = (owner: OwnerReference): OwnerReference => ({ ...owner, blockOwnerDeletion: false });
  const blocking = object.owners.filter(({ blockOwnerDeletion }) => blockOwnerDeletion === true);
  return {
    object: identityOfObject(object),
    wanted: `make the owner references of ${titled(object)} non-blocking`,
    actor: COLLECTOR,
    ...ownersPatch(object, blocking.map(unblocked), object.owners.map(unblocked)),
  };
}

function ownersPatch(
  object: KubeObject,
  changed: readonly object[],
  whole: readonly OwnerReference[],
): Required<Pick<Probe, 'request' | 'fallback'>> {
  const { uid, resourceVersion } = object;
  return {
    request: patch(object, 'application/strategic-merge-patch+json', { uid, ownerReferences: changed }),
    fallback: patch(object, 'application/merge-patch+json', {
      resourceVersion,
      ownerReferences: whole.length === 0 ? null : whole,
    }),
  };
}

function patch(object: KubeObject, contentType: string, metadata: object): DryRunRequest {
  return { method: 'PATCH', path: dryRunPath(object), contentType, body: { metadata } };
}

function finalizerRemoval(object: KubeObject, finalizer: string, actor = COLLECTOR): Probe {
  const left = object.finalizers.filter(each => each !== finalizer);
  const { resourceVersion } = object;
  return {
    object: identityOfObject(object),
    wanted: `remove the finalizer ${finalizer} from ${titled(object)}`,
    actor,
    request: patch(object, 'application/merge-patch+json', {
      resourceVersion,
      finalizers: left.length === 0 ? null : left,
    }),
  };
}

function dryRunPath(object: KubeObject): string {
  return `${requestWords.objectPath(object)}?dryRun=All`;
}

function titled(object: KubeObject): string {
  return `${object.type.kind} ${namespacedName(object)}`;
}

function byName(a: KubeObject, b: KubeObject): number {
  const [x, y] = [`${a.type.kind} ${namespacedName(a)}`, `${b.type.kind} ${namespacedName(b)}`];
  return x === y ? 0 : x < y ? -1 : 1;
}
