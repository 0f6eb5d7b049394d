/**
 * Cluster API: the deletion of a Cluster. Most of its tree has owner references, but the controller deletes in its own
 * order, including objects without owners yet and the provider's machines. Source: `reconcileDelete` in
 * cluster_controller.go of cluster-api: internal/controllers/cluster (v1.10), core/reconcilers/cluster since.
 */

import type { GraphNode } from '../../graph/index.ts';
import { type KubeObject, Labels, record, truth } from '../../model/index.ts';
import type { CascadeContext, CascadeRule, Managing } from './cascade-context.ts';
import {
  deletedByHandler,
  deletedOnRequest,
  type Fate,
  kept,
  keptIfLost,
  keptWithoutFinalizer,
} from './fates.ts';
import { referred } from './tool-marks.ts';

const GROUP = 'cluster.x-k8s.io';
const FINALIZER = 'cluster.cluster.x-k8s.io';
const PAUSED = 'cluster.x-k8s.io/paused';

function clusterCascade(context: CascadeContext, { node, object, by, json }: Managing): void {
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
    const stays = kept(`they have the label ${GROUP}/cluster-name and no owner in the cluster`);
    context.tell({ object: found.identity, by, ...stays });
  }
}

function isGoing(context: CascadeContext, node: GraphNode | undefined): boolean {
  return node !== undefined && context.goes(node.uid);
}

/** Excludes objects that are reported with their owner. */
function hasOwnerIn({ view }: CascadeContext, { owners }: GraphNode): boolean {
  return owners.some(({ uid }) => view.graph.get(uid)?.object !== undefined);
}

/** Matches objects that represent a provider's machine or network. */
function isInfrastructure({ type, finalizers }: KubeObject): boolean {
  return type.group === `infrastructure.${GROUP}` && finalizers.length > 0 && !type.kind.endsWith('Template');
}

function infrastructureCascade(context: CascadeContext, { node, object }: Managing): void {
  const { identity } = node;
  const finalizer = object.finalizers.find(each => each.endsWith(`.${GROUP}`));
  if (finalizer === undefined) return;
  const because = 'their finalizers have the provider delete what they stand for';
  const fate =
    keptIfLost(context, node.uid, 'their finalizers, and the provider') ??
    deletedByHandler(context, node, finalizer, because);
  context.tell({ object: identity, by: 'Cluster API', part: 'infrastructure at the provider', ...fate });
}

function fateOf(context: CascadeContext, object: KubeObject, paused: boolean): Fate {
  const because = `its finalizer ${FINALIZER} has Cluster API delete its machines, its control plane and its infrastructure`;
  const stays = keptWithoutFinalizer(context, object, { finalizer: FINALIZER, tool: 'Cluster API' });
  if (stays !== undefined) return stays;
  return paused || Labels.value(object.annotations, PAUSED) !== undefined
    ? deletedOnRequest(`${because}, once it is no longer paused`)
    : deletedByHandler(context, object, FINALIZER, because);
}

function isOfClusterApi({ type }: KubeObject): boolean {
  return type.group === GROUP || type.group.endsWith(`.${GROUP}`);
}

export const clusterApiRules: readonly CascadeRule[] = [
  { tool: 'Cluster API', of: `${GROUP}/Cluster`, cascade: clusterCascade },
  { tool: 'Cluster API', of: isInfrastructure, unread: true, cascade: infrastructureCascade },
];
