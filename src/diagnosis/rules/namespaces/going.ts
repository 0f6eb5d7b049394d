/** Whether an object goes because its namespace does, whatever else is true of it. Apart, as more than one answer has to heed it. */
import { isDeleting } from '../../../graph/deletion.ts';
import type { KubeObject } from '../../../model/object.ts';
import type { TrackedView } from '../../engine/tracked-view.ts';

/**
 * A clause; `''` where the namespace stays or cannot be seen. Everything in a namespace goes with it
 * (docs/kubernetes.md §8).
 */
export function namespaceGoing(tracked: TrackedView, object: KubeObject): string {
  if (object.namespace === '') return '';
  const type = tracked.type('v1', 'Namespace');
  const namespace = type && tracked.find(type, '', object.namespace);
  return namespace !== undefined && isDeleting(namespace)
    ? `its namespace ${object.namespace} is being deleted with everything in it`
    : '';
}
