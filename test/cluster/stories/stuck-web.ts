/** The stuck foreground deletion that several tests begin with: StatefulSet `web` waits for `web-2`, which is held. */
import type { Cluster } from '../../harness/cluster.ts';

/** Puts a finalizer that nobody removes on pod `web-2` of namespace `shop`, in the name of its operator, and deletes the StatefulSet. */
export async function makeWebStuck(cluster: Cluster): Promise<void> {
  const finalizer = '{"metadata":{"finalizers":["example.com/drain"]}}';
  const inShop = ['-n', 'shop'];
  await cluster.kubectl([
    'patch',
    'pod',
    'web-2',
    ...inShop,
    '--field-manager=drain-operator',
    '-p',
    finalizer,
  ]);
  await cluster.kubectl(['delete', 'statefulset', 'web', ...inShop, '--cascade=foreground', '--wait=false']);
}
