/**
 * Cluster API: the deletion of a Cluster. Most of its tree has owner references, but the controller deletes in its own
 * order, including objects without owners yet and the provider's machines. Source: `reconcileDelete` in
 * cluster_controller.go of cluster-api: internal/controllers/cluster (v1.10), core/reconcilers/cluster since.
 */
import type { GraphNode } from '../../graph/node.ts';
import { record, truth } from '../../model/json/json.ts';
import { type KubeObject, labelValue } from '../../model/object.ts';
import { byTitle, type CascadeContext } from './context.ts';
import { finalizerOf, referred } from './parts.ts';

const GROUP = 'cluster.x-k8s.io';
const FINALIZER = 'cluster.cluster.x-k8s.io';
const PAUSED = 'cluster.x-k8s.io/paused';

export function isCluster({ type }: KubeObject): boolean {
  return type.group === GROUP && type.kind === 'Cluster';
}

export function clusterCascade(context: CascadeContext, node: GraphNode): void {
  const by = byTitle('Cluster API', node);
  const { object } = node;
  const json = context.wholeOf(node, by);
  if (object === undefined || json === undefined) return;
  const { namespace, name } = object;
  const spec = record(json['spec']);
  const fate = fateOf(context, object, truth(spec['paused']));
  for (const reference of [spec['controlPlaneRef'], spec['infrastructureRef']]) {
    const found = referred(context, reference, namespace);
    // The collector's forecast covers these.
    if (found === undefined || found.state === 'absent' || isGoing(context, found.node)) continue;
    context.tell({ object: found.identity, by, ...fate }, found.node);
  }
  for (const found of context.labelled(`${GROUP}/cluster-name`, name)) {
    if (found.object?.namespace !== namespace || !isOfClusterApi(found.object)) continue;
    if (found === node || isGoing(context, found) || hasOwnerIn(context, found)) continue;
    context.tell({
      object: found.identity,
      by,
      effect: 'kept',
      when: undefined,
      because: `they have the label ${GROUP}/cluster-name and no owner in the cluster`,
    });
  }
}

function isGoing({ going }: CascadeContext, node: GraphNode | undefined): boolean {
  return node !== undefined && going.has(node.uid);
}

/** Excludes objects that are reported with their owner. */
function hasOwnerIn({ view }: CascadeContext, { owners }: GraphNode): boolean {
  return owners.some(({ uid }) => view.graph.get(uid)?.object !== undefined);
}

/** Matches objects that represent a provider's machine or network. */
export function isInfrastructure({ type, finalizers }: KubeObject): boolean {
  return type.group === `infrastructure.${GROUP}` && finalizers.length > 0 && !type.kind.endsWith('Template');
}

export function infrastructureCascade(context: CascadeContext, node: GraphNode): void {
  const { object, identity } = node;
  const finalizer = object?.finalizers.find(each => each.endsWith(`.${GROUP}`));
  if (object === undefined || finalizer === undefined) return;
  const told = { object: identity, by: 'Cluster API', part: 'infrastructure at the provider' } as const;
  if (context.loses(node.uid))
    return context.tell({
      ...told,
      effect: 'kept',
      when: undefined,
      because: 'the action takes off their finalizers, and the provider is not waited for',
    });
  const unhandled = context.unhandled(node.uid, finalizer);
  const because = 'their finalizers have the provider delete what they stand for';
  context.tell({
    ...told,
    effect: 'deleted',
    when: unhandled === undefined ? 'automatically' : 'unknown',
    because: unhandled === undefined ? because : `${because}, but ${unhandled}`,
  });
}

function fateOf(context: CascadeContext, object: KubeObject, paused: boolean) {
  const because = `its finalizer ${FINALIZER} has Cluster API delete its machines, its control plane and its infrastructure`;
  if (finalizerOf(object, [FINALIZER]) === undefined)
    return { effect: 'kept', when: undefined, because: `it has no finalizer ${FINALIZER}` } as const;
  if (context.loses(object.uid))
    return {
      effect: 'kept',
      when: undefined,
      because: `the action takes off the finalizer ${FINALIZER}, and Cluster API is not waited for`,
    } as const;
  if (paused || labelValue(object.annotations, PAUSED) !== undefined)
    return {
      effect: 'deleted',
      when: 'onRequest',
      because: `${because}, once it is no longer paused`,
    } as const;
  const unhandled = context.unhandled(object.uid, FINALIZER);
  return unhandled === undefined
    ? ({ effect: 'deleted', when: 'automatically', because } as const)
    : ({ effect: 'deleted', when: 'unknown', because: `${because}, but ${unhandled}` } as const);
}

function isOfClusterApi({ type }: KubeObject): boolean {
  return type.group === GROUP || type.group.endsWith(`.${GROUP}`);
}
