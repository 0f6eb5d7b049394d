import { describe, expect, test } from 'vitest';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { chainOf } from '../../../src/diagnosis/waits/chain.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { Uid } from '../../../src/model/object.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';

const foreground = 'deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]';
const deleting = 'deletionTimestamp: "2026-11-21T11:48:00Z"';
const nodes = `
- {kind: Node, name: node-1, namespace: "", status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Node, name: node-2, namespace: "", status: {conditions: [{type: Ready, status: "Unknown"}]}}`;

/** `blocked by Pod web-2: deleting` */
function chain(cluster: string | ClusterView, uid: string): readonly string[] {
  const view = typeof cluster === 'string' ? viewOf(cluster) : cluster;
  const tracked = new TrackedView(view, now);
  const object = view.graph.get(uid as Uid)?.object;
  if (object === undefined) throw new Error(`no ${uid}`);
  return chainOf(tracked, object).map(({ by, object: { kind, name }, finalizer, because }) => {
    const what = finalizer === undefined ? `${kind} ${name}` : `finalizer ${finalizer}`;
    return `${by} ${what}: ${because}`.trim();
  });
}

describe('the chain of an object that is held', () => {
  test('runs through a namespace’s content, pods first', () => {
    const namespace = `${nodes}
- {kind: Namespace, name: shop, namespace: "", ${deleting}, spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}
- {kind: ConfigMap, name: a-first-name, ${deleting}, finalizers: [example.com/keep]}
- {kind: Pod, name: web-2, ${deleting}, deletionGracePeriodSeconds: 0, finalizers: [example.com/drain], spec: {nodeName: node-1, containers: [{name: m}]}, status: {phase: Failed}}`;
    expect(chain(namespace, 'shop')).toEqual([
      'Namespace shop: deleting',
      'still contains Pod web-2: deleting',
      'held by finalizer example.com/drain: nothing in this cluster handles example.com',
    ]);
  });

  test('ends at an API that does not answer where nothing else holds a namespace', () => {
    const view = viewOf(`
- {kind: Namespace, name: shop, namespace: "", ${deleting}, spec: {finalizers: [kubernetes]}, status: {phase: Terminating}}`);
    view.apply({ changes: [], failedGroups: [{ resource: '*.metrics.example.com', reason: '503' }] }, 0);
    expect(chain(view, 'shop').at(-1)).toBe(
      'waits for Namespace shop: the discovery of metrics.example.com, which fails',
    );
  });

  test('runs through a volume’s claim to the pods that mount it', () => {
    const volume = `${nodes}
- {kind: PersistentVolume, name: pv, namespace: "", ${deleting}, finalizers: [kubernetes.io/pv-protection], spec: {claimRef: {namespace: shop, name: data}}, status: {phase: Bound}}
- {kind: PersistentVolumeClaim, name: data, ${deleting}, finalizers: [kubernetes.io/pvc-protection], spec: {volumeName: pv}}
- {kind: Pod, name: user, spec: {nodeName: node-1, containers: [{name: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}`;
    expect(chain(volume, 'pv')).toEqual([
      'PersistentVolume pv: deleting',
      'bound to PersistentVolumeClaim data: deleting; bound, so pv keeps kubernetes.io/pv-protection',
      'mounted by Pod user: not being deleted; mounted, so data keeps kubernetes.io/pvc-protection',
    ]);
  });

  test('names a claim that cannot be seen', () => {
    const volume = `
- {kind: PersistentVolume, name: pv, namespace: "", ${deleting}, finalizers: [kubernetes.io/pv-protection], spec: {claimRef: {namespace: shop, name: data}}, status: {phase: Bound}}`;
    expect(chain(volume, 'pv').at(-1)).toBe('bound to PersistentVolumeClaim data: cannot be seen');
  });

  test('ends at a kubelet that does not answer', () => {
    const pod = (node: string, more = ''): string => `${nodes}
- {kind: StatefulSet, name: web, ${foreground}}
- {kind: Pod, name: web-0, owners: [apps/v1 StatefulSet web web +c +b], ${deleting}, deletionGracePeriodSeconds: 30${more}, spec: {nodeName: ${node}, containers: [{name: m}]}, status: {phase: Running}}`;
    const silent = "doesn't answer, so no kubelet confirms that its containers have stopped";
    expect(chain(pod('node-2'), 'web')).toEqual([
      'StatefulSet web: deleting in the foreground',
      'blocked by Pod web-0: deleting, blockOwnerDeletion: true',
      `waits for Node node-2: the kubelet on node-2 ${silent}`,
    ]);
    expect(chain(pod('node-1'), 'web').at(-1)).toMatch(/has to confirm that its containers have stopped$/);
    // Whoever removes the finalizer may wait for the end of the containers.
    expect(chain(pod('node-2', ', finalizers: [example.com/drain]'), 'web').at(-1)).toMatch(silent);
    expect(chain(pod('gone'), 'web').at(-1)).toMatch(/^waits for Pod web-0: node gone doesn't exist/);
  });

  test('closes where it comes back to itself, and says so', () => {
    const deadlock = `${nodes}
- {kind: Pod, name: p, ${foreground}, deletionGracePeriodSeconds: 0, spec: {nodeName: node-1, containers: [{name: a}], volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Failed}}
- {kind: PersistentVolumeClaim, name: data, owners: [v1 Pod p p +b], ${deleting}, finalizers: [kubernetes.io/pvc-protection]}`;
    const links = chain(deadlock, 'p');
    expect(links.map(link => link.split(':')[0])).toEqual([
      'Pod p',
      'blocked by PersistentVolumeClaim data',
      'mounted by Pod p',
    ]);
    expect(links[2]).toMatch(/here the cycle closes: Pod p → PersistentVolumeClaim data → Pod p/);
  });

  test('of several finalizers follows the one that nothing handles, and names the others', () => {
    const held = `
- {kind: Deployment, name: drain-operator, namespace: ops, spec: {replicas: 1}, status: {readyReplicas: 1}}
- {kind: ConfigMap, name: c, ${deleting}, finalizers: [example.com/drain, example.org/copy]}`;
    expect(chain(held, 'c').at(-1)).toBe(
      'held by finalizer example.org/copy: nothing in this cluster handles example.org; also held by example.com/drain',
    );
  });

  test('of an object that lives is the object alone', () => {
    expect(chain('- {kind: ConfigMap, name: c}', 'c')).toEqual(['ConfigMap c: not being deleted']);
  });

  test('is found for thousands of objects that wait for each other', () => {
    const many = Array.from(
      { length: 3000 },
      (_, i) => `
- {kind: ConfigMap, name: c${i}, owners: [v1 ConfigMap c${i - 1} c${i - 1} +b], ${foreground}}`,
    );
    const links = chain(many.join(''), 'c0');
    expect(links.length).toBeGreaterThan(50);
  });
});
