import { describe, expect, test } from 'vitest';
import { advice } from '../../src/diagnosis/engine/finding.ts';
import { TrackedView } from '../../src/diagnosis/engine/tracked-view.ts';
import {
  clearBlock,
  pruneReference,
  repairReference,
  setBlock,
} from '../../src/diagnosis/remedies/change-reference.ts';
import {
  deleteObject,
  deleteObjects,
  redelete,
  removeFinalizer,
  removeForeground,
} from '../../src/diagnosis/remedies/deletion-remedies.ts';
import { genericRemedies, genericRemedy } from '../../src/diagnosis/remedies/generic.ts';
import { taintOutOfService } from '../../src/diagnosis/rules/pods/unreleased-pods.ts';
import { retainClaims } from '../../src/diagnosis/rules/volumes/claim-owners.ts';
import type { ApplicableRemedy } from '../../src/forecast/action.ts';
import type { ClusterView } from '../../src/graph/cluster-view.ts';
import type { KubeObject, OwnerReference, Uid } from '../../src/model/object.ts';
import { type ShellCommands, shellLine } from '../../src/model/text/shell-line.ts';
import type { ApiAnswer } from '../../src/simulation/api/api-client.ts';
import { applyOperations, type Operation, restRequests } from '../../src/simulation/api/rest.ts';
import { SimulatedCluster } from '../../src/simulation/runtime/simulated-cluster.ts';
import { now, viewOf } from '../cli/documents/cluster.ts';
import { objectOf } from '../forecast/fixtures.ts';

const foreground = 'deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 0';

/** A cluster in the view's state on which nothing else runs. */
function clusterOf(view: ClusterView): SimulatedCluster {
  return new SimulatedCluster({ now, types: view.catalog.types, base: view.graph });
}

/** Applied as a forecast does, and as a client that sends its requests over HTTP: both must come to the same. */
function apply(remedy: ApplicableRemedy, cluster: SimulatedCluster): readonly ApiAnswer[] {
  const sent = new SimulatedCluster({ now, types: cluster.discovery.known, objects: cluster.store.all() });
  const statuses: number[] = [];
  for (const { verb: method, path, contentType = '', body } of remedy.requests) {
    const request = { method, path, contentType, body };
    const { status } = restRequests.playRequest(sent.as('user'), request, { types: sent.discovery.known });
    statuses.push(status);
    if (status > 299) break;
  }
  const answers = [remedy.apply(cluster.as('user'))].flat();
  expect(answers.map(({ status }) => status)).toEqual(statuses);
  expect(contentOf(cluster)).toEqual(contentOf(sent));
  return answers;
}

/** Without the resourceVersions, which count each cluster's own writes. */
function contentOf(cluster: SimulatedCluster): unknown {
  const all = [...cluster.store.all()].map(object => ({ ...object, resourceVersion: '' }));
  return all.sort((a, b) => (a.uid < b.uid ? -1 : 1));
}

/** The object after the remedy; undefined where it is gone. */
function after(remedy: ApplicableRemedy, view: ClusterView, uid: string): KubeObject | undefined {
  const cluster = clusterOf(view);
  expect(apply(remedy, cluster).map(({ status }) => status)).toEqual(remedy.requests.map(() => 200));
  return cluster.store.byUid(uid as Uid);
}

function reference(view: ClusterView, uid: string, index = 0): OwnerReference {
  const found = objectOf(view, uid).owners[index];
  if (found === undefined) throw new Error(`${uid} has no reference ${index}`);
  return found;
}

/** What `kubectl` sends of a JSON Patch. */
function sentBy([command]: ShellCommands): unknown {
  return JSON.parse(command?.words.at(-1) ?? '');
}

describe('remedies that change one owner reference', () => {
  const view = viewOf(`
- {kind: ConfigMap, name: a, ${foreground}, finalizers: [foregroundDeletion]}
- {kind: ConfigMap, name: other}
- {kind: Pod, name: b, owners: [v1 ConfigMap other, v1 ConfigMap a a +c +b]}`);
  const tracked = new TrackedView(view, now);
  const b = objectOf(view, 'b');

  test('clearing a block leaves the reference, its controller and the others as they are', () => {
    const remedy = clearBlock(tracked, objectOf(view, 'a'), b);
    expect(remedy).toMatchObject({ id: 'clear-block/pod/b', risk: 'safe', effect: '' });
    expect(after(remedy, view, 'b')?.owners).toEqual([
      reference(view, 'b', 0),
      { ...reference(view, 'b', 1), blockOwnerDeletion: false },
    ]);
    expect(remedy.requests).toEqual([
      {
        verb: 'PATCH',
        path: '/api/v1/namespaces/shop/pods/b',
        contentType: 'application/json-patch+json',
        body: sentBy(remedy.kubectl),
      },
    ]);
    expect(shellLine(remedy.kubectl)).toMatch(/^kubectl patch pod\/b -n shop --type=json -p '\[/u);
  });

  test('the reference may be one of the object to itself', () => {
    const alone = viewOf(
      `- {kind: ConfigMap, name: a, owners: [v1 ConfigMap a a +b], ${foreground}, finalizers: [foregroundDeletion]}`,
    );
    const a = objectOf(alone, 'a');
    const remedy = clearBlock(new TrackedView(alone, now), a, a);
    expect(remedy.title).toBe('unblock a: stop waiting for itself');
    expect(after(remedy, alone, 'a')?.owners[0]?.blockOwnerDeletion).toBe(false);
  });

  test('pruning takes off this reference alone', () => {
    const remedy = pruneReference(tracked, b, reference(view, 'b', 1));
    expect(remedy.id).toBe('prune-reference/a');
    expect(after(remedy, view, 'b')?.owners).toEqual([reference(view, 'b', 0)]);
  });

  test('repairing names the owner that is there and keeps controller and block', () => {
    const to = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'new', uid: 'n' as Uid };
    const repaired = after(repairReference(tracked, b, reference(view, 'b', 1), to), view, 'b');
    expect(repaired?.owners[1]).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      name: 'new',
      uid: 'n',
      controller: true,
      blockOwnerDeletion: true,
    });
  });

  test('a block can be set where there is none', () => {
    const set = after(setBlock(tracked, b, reference(view, 'b', 0)), view, 'b');
    expect(set?.owners[0]?.blockOwnerDeletion).toBe(true);
  });

  test('nothing is changed once the reference is another', () => {
    const remedy = pruneReference(tracked, b, reference(view, 'b', 1));
    const cluster = clusterOf(view);
    cluster.as('user').patch(b, { owners: [reference(view, 'b', 1), reference(view, 'b', 0)] });
    expect(apply(remedy, cluster)).toMatchObject([{ ok: false, status: 422 }]);
    expect(cluster.store.byUid(b.uid)?.owners).toHaveLength(2);
  });

  test('nothing is changed on another object of the same name', () => {
    const remedy = pruneReference(tracked, b, reference(view, 'b', 1));
    const cluster = clusterOf(view);
    cluster.as('user').delete(b, { gracePeriodSeconds: 0 });
    const { type, namespace, name, owners } = b;
    expect(cluster.as('user').create({ type, namespace, name, owners }).status).toBe(201);
    expect(apply(remedy, cluster)).toMatchObject([{ ok: false, status: 422 }]);
  });

  test('pruning the one reference that keeps an object alive is dangerous', () => {
    const kept = viewOf(`
- {kind: ConfigMap, name: a}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a, v1 ConfigMap gone]}`);
    const both = objectOf(kept, 'b').owners.map(
      each => pruneReference(new TrackedView(kept, now), objectOf(kept, 'b'), each).risk,
    );
    expect(both).toEqual(['dangerous', 'caution']);
  });
});

describe('remedies that delete', () => {
  const view = viewOf(`
- {kind: ConfigMap, name: a, ${foreground}, finalizers: [foregroundDeletion]}
- {kind: ConfigMap, name: c, ${foreground}, finalizers: [orphan]}
- {kind: Pod, name: p, spec: {nodeName: n, terminationGracePeriodSeconds: 30}, resourceVersion: "7"}
- {kind: Pod, name: q, ${foreground}, finalizers: [foregroundDeletion], spec: {nodeName: n}}`);
  const tracked = new TrackedView(view, now);

  test('deleting again in the background ends the waiting', () => {
    const remedy = redelete(objectOf(view, 'a'), 'background');
    expect(remedy.requests).toMatchObject([
      {
        verb: 'DELETE',
        path: '/api/v1/namespaces/shop/configmaps/a',
        body: { propagationPolicy: 'Background', preconditions: { uid: 'a' } },
      },
    ]);
    expect(shellLine(remedy.kubectl)).toBe(
      `echo '${JSON.stringify(remedy.requests[0]?.body)}' | kubectl delete --raw /api/v1/namespaces/shop/configmaps/a -f -`,
    );
    expect(after(remedy, view, 'a')).toBeUndefined();
  });

  test('what orphans is only deleted otherwise at the price of what it owns', () => {
    const orphaning = objectOf(view, 'c');
    expect(redelete(orphaning, 'background').risk).toBe('dangerous');
    expect(redelete(orphaning, 'foreground').risk).toBe('dangerous');
    expect(redelete(objectOf(view, 'a'), 'orphan').risk).toBe('caution');
  });

  test('deleting a pod at once is dangerous until its kubelet has had its time', () => {
    const now = { gracePeriodSeconds: 0 };
    expect(redelete(objectOf(view, 'p'), 'background', now).risk).toBe('dangerous');
    const done = redelete(objectOf(view, 'q'), 'background', now);
    expect(done).toMatchObject({ id: 'redelete/background-now', risk: 'caution' });
    expect(after(done, view, 'q')).toBeUndefined();
  });

  test('deleting another object is refused once anything about it has changed', () => {
    const remedy = deleteObject(tracked, objectOf(view, 'p'), 'background', { risk: 'caution' });
    expect(remedy.id).toBe('delete/pod/p');
    expect(after(remedy, view, 'p')?.deletionTimestamp).toBeDefined();
    const cluster = clusterOf(view);
    cluster.as('kubelet').patch(objectOf(view, 'p'), { labels: ['app', 'new'] });
    expect(apply(remedy, cluster)).toMatchObject([{ ok: false, status: 409 }]);
  });

  test('of several objects none is deleted after one that is refused', () => {
    const pods = [objectOf(view, 'p'), objectOf(view, 'q')];
    const remedy = deleteObjects(pods, 'background', {
      id: 'delete-both',
      title: 't',
      risk: 'caution',
    });
    expect(remedy.requests.map(({ path }) => path.split('/').at(-1))).toEqual(['p', 'q']);
    const cluster = clusterOf(view);
    cluster.as('kubelet').patch(objectOf(view, 'p'), { labels: ['app', 'new'] });
    expect(apply(remedy, cluster)).toHaveLength(1);
    expect(cluster.store.byUid('q' as Uid)).toBe(objectOf(view, 'q'));
  });
});

describe('remedies that change something else', () => {
  test('removing a finalizer leaves the others, and is dangerous unless somebody knows better', () => {
    const view = viewOf(
      `- {kind: ConfigMap, name: a, ${foreground}, finalizers: [b.example.com/x, c.example.com/y]}`,
    );
    const tracked = new TrackedView(view, now);
    const a = objectOf(view, 'a');
    const remedy = removeFinalizer(tracked, a, 'c.example.com/y');
    expect(remedy).toMatchObject({ id: 'remove-finalizer/c.example.com/y', risk: 'dangerous' });
    expect(after(remedy, view, 'a')?.finalizers).toEqual(['b.example.com/x']);
    expect(removeFinalizer(tracked, a, 'b.example.com/x', { risk: 'safe' }).risk).toBe('safe');
    expect(() => removeFinalizer(tracked, a, 'd')).toThrow('no finalizer d');
  });

  test('removing foregroundDeletion says that what is left goes afterwards', () => {
    const view = viewOf(`- {kind: ConfigMap, name: a, ${foreground}, finalizers: [foregroundDeletion]}`);
    const remedy = removeForeground(new TrackedView(view, now), objectOf(view, 'a'));
    expect(remedy.title).toContain('what it still owns is deleted after it');
    expect(remedy.risk).toBe('safe');
    expect(after(remedy, view, 'a')).toBeUndefined();
    const blocked = viewOf(`
- {kind: ConfigMap, name: a, ${foreground}, finalizers: [foregroundDeletion]}
- {kind: Pod, name: b, owners: [v1 ConfigMap a a +b]}`);
    const removal = removeForeground(new TrackedView(blocked, now), objectOf(blocked, 'a'));
    expect(removal.risk).toBe('caution');
  });

  test('a StatefulSet is told to retain its claims, and what it does already is left alone', () => {
    const view = viewOf(`
- {kind: StatefulSet, name: web, spec: {persistentVolumeClaimRetentionPolicy: {whenDeleted: Delete, whenScaled: Retain}}}`);
    const remedy = retainClaims(new TrackedView(view, now), objectOf(view, 'web'));
    expect(remedy.requests[0]?.body).toHaveLength(3);
    expect(after(remedy, view, 'web')?.facts).toMatchObject({
      claimsWhenDeleted: 'Retain',
      claimsWhenScaled: 'Retain',
    });
  });

  test('the taint joins those that a node has, or is its first', () => {
    const view = viewOf(`
- {kind: Node, name: n, spec: {taints: [{key: a, effect: NoSchedule}]}}
- {kind: Node, name: m, resourceVersion: "3"}`);
    const taints = (name: string): unknown => {
      const facts = after(
        taintOutOfService(new TrackedView(view, now), objectOf(view, name)),
        view,
        name,
      )?.facts;
      return facts?.kind === 'Node' && facts.taints.map(({ key, effect }) => `${key}:${effect}`);
    };
    expect(taints('n')).toEqual(['a:NoSchedule', 'node.kubernetes.io/out-of-service:NoExecute']);
    expect(taints('m')).toEqual(['node.kubernetes.io/out-of-service:NoExecute']);
  });

  test('advice cannot be applied', () => {
    expect(advice('bring-back', 'bring drain-operator back', 'safe')).not.toHaveProperty('apply');
  });
});

describe('the remedies of an object as it is', () => {
  const view = viewOf(`
- {kind: ConfigMap, name: a, ${foreground}, finalizers: [foregroundDeletion, example.com/x]}
- {kind: Pod, name: b, owners: [v1 ConfigMap a a +b, v1 ConfigMap gone]}
- {kind: Namespace, name: ns, ${foreground}, spec: {finalizers: [kubernetes]}}`);
  const tracked = new TrackedView(view, now);
  const ids = (uid: string): string[] => genericRemedies(tracked, objectOf(view, uid)).map(({ id }) => id);

  test('are those that it gives cause for', () => {
    expect(ids('a')).toEqual([
      'clear-block/pod/b',
      'redelete/background',
      'redelete/orphan',
      'remove-finalizer/example.com/x',
    ]);
    expect(ids('b')).toEqual(['prune-reference/gone']);
    expect(ids('ns')).toEqual(['finalize/kubernetes']);
  });

  test('are found by every way of writing their id', () => {
    const idOf = (uid: string, id: string): string | undefined =>
      genericRemedy(tracked, objectOf(view, uid), id)?.id;
    expect(idOf('a', 'clear-block/po/b')).toBe('clear-block/pod/b');
    expect(idOf('b', 'prune-reference/configmap/gone')).toBe('prune-reference/gone');
    expect(idOf('a', 'redelete/background-now')).toBe('redelete/background-now');
    expect(idOf('a', 'remove-finalizer/foregroundDeletion')).toBe('remove-finalizer/foregroundDeletion');
    for (const id of ['clear-block/pod/c', 'redelete/sideways', 'remove-finalizer/no', 'nonsense', 'x/y'])
      expect(idOf('a', id)).toBeUndefined();
    expect(idOf('b', 'redelete/background')).toBeUndefined();
  });
});

describe('a JSON Patch', () => {
  const document = { metadata: { finalizers: ['a', 'b/c'], labels: { 'x/y': '1' } } };
  const outcome = (...operations: Operation[]): unknown => applyOperations(document, operations);

  test('does its operations in order', () => {
    expect(
      outcome(
        { op: 'test', path: '/metadata/finalizers/1', value: 'b/c' },
        { op: 'remove', path: '/metadata/finalizers/0' },
        { op: 'add', path: '/metadata/finalizers/-', value: 'd' },
        { op: 'replace', path: '/metadata/labels/x~1y', value: '2' },
      ),
    ).toEqual({ metadata: { finalizers: ['b/c', 'd'], labels: { 'x/y': '2' } } });
    expect(document.metadata.finalizers).toEqual(['a', 'b/c']);
  });

  test.each<[string, Operation]>([
    ['tests another value', { op: 'test', path: '/metadata/finalizers/0', value: 'a' }],
    ['tests a field that is not there', { op: 'test', path: '/metadata/uid', value: 'u' }],
    ['removes what is not there', { op: 'remove', path: '/metadata/finalizers/2' }],
    ['replaces what is not there', { op: 'replace', path: '/metadata/annotations', value: {} }],
    ['reaches into what is not there', { op: 'add', path: '/spec/taints/-', value: {} }],
  ])('that %s is refused as a whole', (_, operation) => {
    expect(outcome({ op: 'remove', path: '/metadata/finalizers/0' }, operation)).toMatch(
      /^the server rejected/u,
    );
  });
});
