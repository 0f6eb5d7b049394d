/** Exports of src/graph for other folders of src. */
export { type ClusterSettings, ClusterView, type ViewChanges } from './cluster-view.ts';
export { cyclesAbove } from './cycles.ts';
export { isDeleting, objectDeletion } from './deletion.ts';
export { compareNodes, Forest } from './forest.ts';
export { OwnershipGraph } from './graph.ts';
export type { Absence } from './index/absences.ts';
export { type AbsentOwners, partitionDependents } from './index/claims.ts';
export { controllerManagers, type TellingFlag } from './manager-pods.ts';
export { compareBytes, type GraphChanges, type GraphEvent, type GraphNode, Identity } from './node.ts';
export { OwnerChanges } from './owner-changes.ts';
export { identityOfObject, OwnershipNode } from './ownership-node.ts';
export { behaviourOf } from './server-behaviour.ts';
