/**
 * The remedy for a node that will not come back: a taint that lets others take over its pods and volumes
 * (docs/kubernetes.md §7).
 */

import type { ApplicableRemedy } from '../../forecast/action.ts';
import { outOfServiceTaint, taintOperations } from '../../forecast/nodes/out-of-service.ts';
import type { KubeObject } from '../../model/object.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { patch, remedy } from './request.ts';

/**
 * Declares the node out of service. Dangerous: every pod on it that doesn't tolerate the taint is deleted without
 * its kubelet's word, and where a container still runs, its replacement writes to the same volume beside it.
 */
export function taintOutOfService(tracked: TrackedView, node: KubeObject): ApplicableRemedy {
  return remedy({
    id: `taint-out-of-service/${node.name}`,
    title: `declare node ${node.name} out of service, once it is certain to be powered off: all its pods go`,
    risk: 'dangerous',
    acts: [patch(tracked.view.catalog, node, taintOperations(node, outOfServiceTaint))],
  });
}
