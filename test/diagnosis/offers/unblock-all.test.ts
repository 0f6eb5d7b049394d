import { describe, expect, test } from 'vitest';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import { remediesForMany } from '../../../src/diagnosis/offers/remedies-for-many.ts';
import { remedyEffects } from '../../../src/diagnosis/offers/remedy-effects.ts';
import { createHandledForecaster } from '../../../src/diagnosis/waits/aftermath.ts';
import type { ApplicableRemedy } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';
import { objectOf } from '../../forecast/fixtures.ts';
import { readText } from '../../source/files/reading.ts';

const ALL = 'unblock-all';
const deleting = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0';
const operator = `
- {kind: Deployment, name: drain-operator, namespace: ops, spec: {replicas: 1}, status: {readyReplicas: 1}}`;

/** An object that is being deleted; its blocking owners are config maps. */
function held(name: string, finalizers: string, owner = ''): string {
  const owners = owner === '' ? '' : `, owners: [v1 ConfigMap ${owner} ${owner} +b]`;
  return `\n- {kind: ConfigMap, name: ${name}, uid: ${name}, ${deleting}, finalizers: [${finalizers}]${owners}}`;
}

function unblockAll(view: ClusterView, ...uids: readonly string[]): ApplicableRemedy | undefined {
  const objects = uids.map(uid => objectOf(view, uid));
  const several = objects.length > 1 ? objects : undefined;
  return offeredRemedies.byId(diagnoseCluster(view, now), objects[0]!, ALL, several);
}

function stepsOf(view: ClusterView, ...uids: readonly string[]): string[] | undefined {
  const remedy = unblockAll(view, ...uids);
  return remedy?.steps?.map(({ risk, title }) => `${risk} ${title}`);
}

function ends(view: ClusterView, uid: string): string[] {
  const remedy = unblockAll(view, uid);
  if (remedy === undefined) throw new Error('no remedy');
  const action = remediesForMany.action(objectOf(view, uid), remedy);
  const { deleted, ifHandled } = createHandledForecaster(view, { now }).forecast(action);
  return (ifHandled?.deleted ?? deleted).map(({ object }) => object.name).sort();
}

function offered(view: ClusterView, uid: string): string[] {
  return offeredRemedies.every(diagnoseCluster(view, now), objectOf(view, uid)).map(({ id }) => id);
}

describe('unblocking all', () => {
  const chain =
    held('top', 'foregroundDeletion, example.org/copy') + held('middle', 'foregroundDeletion', 'top');
  const drained = chain + held('root', 'example.com/drain', 'middle');

  test('goes from what decides up, and leaves out what follows by itself', () => {
    const view = viewOf(drained);
    expect(stepsOf(view, 'top')).toEqual([
      'dangerous remove example.com/drain from root: the resources it protects are left behind',
      'dangerous remove example.org/copy from top: the resources it protects are left behind',
    ]);
    expect(unblockAll(view, 'top')).toMatchObject({
      risk: 'dangerous',
      title: 'unblock ConfigMap shop/top and everything it waits for, deciding objects first, in 2 steps',
    });
    expect(ends(view, 'top')).toEqual(['middle', 'root', 'top']);
  });

  test('removes no finalizer that a running controller removes by itself', () => {
    const view = viewOf(operator + drained);
    expect(stepsOf(view, 'top')).toEqual([
      'dangerous remove example.org/copy from top: the resources it protects are left behind',
    ]);
    expect(ends(view, 'top')).toEqual(['middle', 'root', 'top']);
    expect(unblockAll(viewOf(operator + held('root', 'example.com/drain')), 'root')).toBeUndefined();
  });

  test('has the effect that it has once controllers have acted', () => {
    const view = viewOf(
      `${operator}${chain}${held('root', 'example.net/other', 'middle')}${held('drained', 'example.com/drain', 'middle')}`,
    );
    const remedy = unblockAll(view, 'top')!;
    const [foretold] = remedyEffects.added(Forecaster.create(view, { now }), objectOf(view, 'top'), [remedy]);
    expect(foretold?.effect).toBe(
      'top is deleted, and ConfigMap middle and ConfigMap root with it, once controllers have removed the finalizers that are theirs',
    );
  });

  test('is offered unless another remedy sends the same', () => {
    const view = viewOf(drained);
    expect(offered(view, 'top')).toContain(ALL);
    expect(offered(view, 'root')).not.toContain(ALL);
    expect(
      offered(viewOf(held('a', 'example.com/drain') + held('b', 'example.com/drain')), 'a'),
    ).not.toContain(ALL);
  });

  test('takes the safest step that frees, and is as risky as its worst one', () => {
    const self = (name: string, more = ''): string =>
      held(name, 'foregroundDeletion').replace('}', `, owners: [v1 ConfigMap ${name} ${name} +b${more}]}`);
    const safe = viewOf(self('a') + self('b'));
    expect(stepsOf(safe, 'a', 'b')).toEqual([
      'safe unblock a: stop waiting for itself',
      'safe unblock b: stop waiting for itself',
    ]);
    expect(unblockAll(safe, 'a', 'b')?.risk).toBe('safe');
    const mixed = viewOf(self('a') + held('b', 'example.com/drain'));
    expect(unblockAll(mixed, 'a', 'b')?.steps?.map(({ risk }) => risk)).toEqual(['safe', 'dangerous']);
    expect(unblockAll(mixed, 'a', 'b')?.risk).toBe('dangerous');
  });

  test('breaks a cycle at one object', () => {
    const view = viewOf(held('a', 'foregroundDeletion', 'b') + held('b', 'foregroundDeletion', 'a'));
    expect(stepsOf(view, 'a')).toHaveLength(1);
    expect(ends(view, 'a')).toEqual(['a', 'b']);
  });

  test('covers what is being deleted in a namespace or below an owner that stays', () => {
    const view = viewOf(`
- {kind: Namespace, name: shop, uid: shop}
- {kind: ConfigMap, name: owner, uid: owner}
- {kind: ConfigMap, name: child, uid: child, ${deleting}, finalizers: [example.com/drain], owners: [v1 ConfigMap owner owner]}${held('other', 'example.org/copy')}`);
    expect(unblockAll(view, 'shop')?.title).toMatch(
      /^unblock everything that is being deleted in Namespace shop, .* in 2 steps$/,
    );
    expect(stepsOf(view, 'owner')).toEqual([
      'dangerous remove example.com/drain from child: the resources it protects are left behind',
    ]);
  });

  test('deletes nothing that is not being deleted, and says what stays', () => {
    const view = viewOf(`
- {kind: Node, name: n1, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: PersistentVolumeClaim, name: data, uid: data, ${deleting}, finalizers: [kubernetes.io/pvc-protection]}
- {kind: Pod, name: user, uid: user, spec: {nodeName: n1, volumes: [{name: d, persistentVolumeClaim: {claimName: data}}]}, status: {phase: Running}}${held('a', 'example.com/drain')}`);
    const remedy = unblockAll(view, 'data', 'a');
    expect(remedy?.requests.some(({ path }) => path.endsWith('/user'))).toBe(false);
    expect(remedy?.title).toMatch(/ in 1 step; 1 of 2 deletions stays stuck$/);
    expect(offered(view, 'data').some(id => id === 'delete/pod/user')).toBe(true);
  });

  test.each(['orphan', 'orphan, example.com/drain'])(
    'deletes no dependents that are to stay: %s',
    finalizers => {
      const child = '\n- {kind: Secret, name: kept, uid: kept, owners: [v1 ConfigMap top top]}';
      const view = viewOf(held('top', finalizers) + child);
      expect(unblockAll(view, 'top')).toBeUndefined();
      const alone = unblockAll(viewOf(held('top', finalizers)), 'top');
      expect(alone?.requests.length).toBeGreaterThan(0);
    },
  );

  test('takes no node out of service on which pods live', () => {
    const node = `
- {kind: Node, name: n1, status: {conditions: [{type: Ready, status: Unknown}]}}
- {kind: Pod, name: lost, uid: lost, deletionTimestamp: "2026-11-21T11:00:00Z", deletionGracePeriodSeconds: 30, spec: {nodeName: n1, containers: [{name: main}]}, status: {phase: Running}}`;
    const live = `
- {kind: Pod, name: live, uid: live, spec: {nodeName: n1, tolerations: [{key: node.kubernetes.io/unreachable, operator: Exists}], containers: [{name: main}]}, status: {phase: Running}}`;
    const nodes = (view: ClusterView) =>
      unblockAll(view, 'lost')?.requests.filter(({ path }) => path.startsWith('/api/v1/nodes/')) ?? [];
    expect(nodes(viewOf(node))).toHaveLength(1);
    expect(nodes(viewOf(node + live))).toEqual([]);
  });

  test.each([
    [
      'a class that a live claim names',
      `
- {kind: VolumeAttributesClass, apiVersion: storage.k8s.io/v1, name: kept, uid: kept, ${deleting}, finalizers: [kubernetes.io/vac-protection]}
- {kind: PersistentVolumeClaim, name: data, uid: data, spec: {volumeAttributesClassName: kept}}`,
    ],
    [
      'devices of a live pod',
      `
- {kind: ResourceClaim, apiVersion: resource.k8s.io/v1, name: kept, uid: kept, ${deleting}, finalizers: [resource.kubernetes.io/delete-protection], status: {reservedFor: [{resource: pods, name: user, uid: user}]}}
- {kind: Node, name: n1, status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Pod, name: user, uid: user, spec: {nodeName: n1}, status: {phase: Running}}`,
    ],
    [
      'devices of something that only its controller knows',
      `
- {kind: ResourceClaim, apiVersion: resource.k8s.io/v1, name: kept, uid: kept, ${deleting}, finalizers: [resource.kubernetes.io/delete-protection], status: {reservedFor: [{apiGroup: scheduling.k8s.io, resource: podgroups, name: user, uid: user}]}}`,
    ],
    [
      'addresses of Services',
      `
- {kind: ServiceCIDR, apiVersion: networking.k8s.io/v1, name: kept, uid: kept, ${deleting}, finalizers: [networking.k8s.io/service-cidr-finalizer], spec: {cidrs: [10.5.0.0/24]}}
- {kind: IPAddress, apiVersion: networking.k8s.io/v1, name: 10.5.0.7, uid: ip, labels: {ipaddress.kubernetes.io/managed-by: ipallocator.k8s.io}}`,
    ],
  ])('keeps the protection of %s', (_, objects) => {
    const view = viewOf(objects + held('a', 'example.com/drain'));
    expect(stepsOf(view, 'kept', 'a')).toEqual([
      'dangerous remove example.com/drain from a: the resources it protects are left behind',
    ]);
  });

  test('keeps the protection of a volume whose claim cannot be seen', async () => {
    const { view } = await readText(`
apiVersion: v1
kind: PersistentVolume
metadata: {name: kept, uid: kept, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [kubernetes.io/pv-protection]}
spec: {claimRef: {namespace: shop, name: data, uid: data}}
status: {phase: Bound}
`);
    expect(unblockAll(view, 'kept')).toBeUndefined();
  });

  test('removes all finalizers that hold one object in one step', () => {
    const view = viewOf(operator + held('a', 'example.net/one, example.com/drain, example.net/two'));
    expect(stepsOf(view, 'a')).toEqual([
      expect.stringMatching(
        /^dangerous remove example\.net\/one and example\.net\/two from a, one after the other/,
      ),
    ]);
  });

  test('plans for hundreds of objects, alike or not, without a forecast for each', () => {
    for (const finalizers of [1, 150]) {
      const uids = Array.from({ length: 400 }, (_, nth) => `m-${nth}`);
      const objects = uids.map((uid, nth) => held(uid, `example.com/drain-${nth % finalizers}`));
      expect(stepsOf(viewOf(objects.join('')), ...uids)).toHaveLength(400);
    }
  });
});
