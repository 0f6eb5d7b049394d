import { describe, expect, it } from 'vitest';
import type { Intent } from '../../../src/actions/prepare/action-intent.ts';
import type { Confirmation } from '../../../src/actions/prepare/confirmation.ts';
import { Prepared, prepare } from '../../../src/actions/prepare/prepare.ts';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import { Undo } from '../../../src/actions/undo/plan-undo.ts';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { deleteObject } from '../../../src/diagnosis/remedies/deletion-remedies.ts';
import type { Cascade } from '../../../src/forecast/action.ts';
import { Forecaster } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { Uid } from '../../../src/model/object.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { deployment, nodes, now, objectOf, pod, remedyOf, viewOf } from '../../forecast/fixtures.ts';
import { ActingWorld } from '../acting-world.ts';

interface Options {
  readonly cascade?: Cascade;
  readonly gracePeriodSeconds?: number;
  readonly secretData?: boolean;
}

function prepared(view: ClusterView, intent: Intent, secretData = false): Prepared {
  return prepare(Forecaster.create(view, { now, scope: 'action' }), intent, { secretData });
}

function deleting(view: ClusterView, uid: string, options: Options = {}): Prepared {
  const { cascade = 'background', gracePeriodSeconds, secretData } = options;
  const grace = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
  return prepared(view, { verb: 'delete', cascade, targets: [objectOf(view, uid)], ...grace }, secretData);
}

function blind(view: ClusterView, kind: string): ClusterView {
  const type = builtInTypes.find(each => each.kind === kind && each.preferred);
  if (type === undefined) throw new Error(`no ${kind}`);
  view.apply({ changes: [], statuses: [{ type, state: 'blind', count: 0, facts: true, reason: '403' }] }, 0);
  return view;
}

function because(confirmation: Confirmation): string {
  return confirmation.kind === 'key' ? 'a key' : confirmation.because;
}

const deletingSince = "deletionTimestamp: '2026-11-21T11:30:00Z'";
const bound = (volume: string): string =>
  `- {kind: PersistentVolumeClaim, name: data, spec: {volumeName: ${volume}}, status: {phase: Bound}}`;
const volume = (policy: string): string =>
  `- {kind: PersistentVolume, name: pv, spec: {persistentVolumeReclaimPolicy: ${policy}, claimRef: {namespace: shop, name: data, uid: data}}, status: {phase: Released}}`;
const namespace = '- {kind: Namespace, name: x, spec: {finalizers: [kubernetes]}, status: {phase: Active}}';
const job = (status: string): string =>
  `- {kind: Job, name: work, spec: {parallelism: 1, suspend: true}, status: {${status}}}`;

/** What one key is enough for, since undo or a controller brings it back as it was. */
const harmless: readonly (readonly [what: string, yaml: string, uid: string])[] = [
  ['a ConfigMap', '- {kind: ConfigMap, name: x}', 'x'],
  ['a Role', '- {kind: Role, name: x}', 'x'],
  ['an APIService', '- {kind: APIService, name: x}', 'x'],
  ['a Deployment without pods', '- {kind: Deployment, name: x, spec: {replicas: 0}}', 'x'],
  ['a StatefulSet without pods', '- {kind: StatefulSet, name: x, spec: {replicas: 0}}', 'x'],
  ['a claim that is not bound', '- {kind: PersistentVolumeClaim, name: x, status: {phase: Pending}}', 'x'],
  ['a volume that keeps its storage', volume('Retain'), 'pv'],
  ['a Job that has not begun', job(''), 'work'],
  ['a pod that its ReplicaSet makes anew', `${nodes}${deployment('api', 1)}`, 'api-h-0'],
];

/** What neither the journal nor a controller brings back. */
const irreplaceable: readonly (readonly [what: string, yaml: string, uid: string, words: RegExp])[] = [
  ['a Secret', '- {kind: Secret, name: x}', 'x', /^undo cannot bring back the data of Secret x$/u],
  ['a bare pod', `${nodes}${pod('x', '')}`, 'x', /the processes of Pod x/u],
  ['a claim whose volume goes with it', `${bound('pv')}\n${volume('Delete')}`, 'data', /the data behind/u],
  ['a claim whose volume is kept', `${bound('pv')}\n${volume('Retain')}`, 'data', /the binding of/u],
  ['a claim whose volume is unknown', bound('pv'), 'data', /the data behind/u],
  ['a volume whose storage goes with it', volume('Delete'), 'pv', /the storage behind PersistentVolume pv/u],
  ['a Job that has begun', job('succeeded: 3, failed: 1'), 'work', /the progress of Job work/u],
  ['a ServiceAccount', '- {kind: ServiceAccount, name: x}', 'x', /the tokens of ServiceAccount x/u],
  ['a Service', '- {kind: Service, name: x}', 'x', /the cluster IP of Service x/u],
  ['a Namespace', namespace, 'x', /^undo cannot bring back what else there is in Namespace x$/u],
  ['a definition', '- {kind: CustomResourceDefinition, name: ws.x.io}', 'ws.x.io', /the objects that/u],
  ['a certificate', '- {kind: CertificateSigningRequest, name: x}', 'x', /the certificate of/u],
  [
    'an object that a finalizer will hold',
    '- {kind: ConfigMap, name: x, finalizers: [example.com/hold]}',
    'x',
    /^undo cannot bring back ConfigMap x while its deletion lasts$/u,
  ],
  [
    'an old revision that its Deployment does not make again',
    `${nodes}${deployment('api', 1)}
- {kind: ReplicaSet, name: old, owners: [apps/v1 Deployment api api +c +b], spec: {replicas: 0, selector: {matchLabels: {app: api, pod-template-hash: old}}}}`,
    'old',
    /ReplicaSet old, which Deployment api does not recreate/u,
  ],
];

describe('the question before a deletion', () => {
  it.each(harmless)('is answered by a key for %s', (_, yaml, uid) => {
    const { confirmation, losses } = deleting(viewOf(yaml), uid);
    expect(because(confirmation)).toBe('a key');
    expect(losses).toEqual([]);
  });

  it.each(irreplaceable)('wants the name of %s typed, and says why', (_, yaml, uid, words) => {
    for (const cascade of ['background', 'orphan'] as const) {
      const { confirmation } = deleting(viewOf(yaml), uid, { cascade });
      expect(because(confirmation)).toMatch(words);
      expect(confirmation).toHaveProperty('word', objectOf(viewOf(yaml), uid).name);
    }
  });

  it('is answered by a key for a Secret whose data goes into the backup', () => {
    const view = viewOf('- {kind: Secret, name: x}');
    expect(because(deleting(view, 'x', { secretData: true }).confirmation)).toBe('a key');
  });

  it('tells how many go and what is lost of them', () => {
    const owner = '- {kind: ConfigMap, name: top}\n- {kind: Secret, name: x, owners: [v1 ConfigMap top top]}';
    expect(because(deleting(viewOf(owner), 'top').confirmation)).toBe(
      '2 objects are deleted, and undo cannot bring back the data of Secret x',
    );
    const other = `${owner}\n- {kind: Secret, name: y, owners: [v1 ConfigMap top top]}`;
    expect(because(deleting(viewOf(other), 'top').confirmation)).toBe(
      '3 objects are deleted, and undo cannot bring back the data of Secret x and 1 more',
    );
  });

  it.each([
    ['atOnce', 'exact', 'Deployment shop/api breaks'],
    ['nextStart', 'exact', 'Deployment shop/api breaks'],
    ['later', 'exact', 'a key'],
    ['leftBehind', 'exact', 'a key'],
    ['atOnce', 'assumed', 'a key'],
  ] as const)('names a user that breaks %s (%s): %s', (when, certainty, words) => {
    const view = viewOf('- {kind: ConfigMap, name: x}');
    const before = deleting(view, 'x');
    const object = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'shop', name: 'x', uid: 'x' as Uid };
    const user = {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'shop',
      name: 'api',
      uid: '' as Uid,
    };
    const found = { object, user, pods: 0, how: 'reads it', because: 'it fails', when, certainty };
    const told = Prepared.withAssumed(before, { ...before.forecast, breaks: [found, found] }, view);
    expect(because(told.confirmation)).toBe(words);
  });

  it('wants the name of a pod typed whose kubelet is not asked', () => {
    const view = viewOf(`${nodes}${deployment('api', 1)}`);
    const { confirmation } = deleting(view, 'api-h-0', { gracePeriodSeconds: 0 });
    expect(because(confirmation)).toBe(
      'the containers of Pod api-h-0 may run on: its kubelet is not waited for',
    );
  });

  it('wants the name typed where references to a uid would be left behind', () => {
    // The collector doesn't find the kind, so it leaves the object and its reference alone.
    const view = viewOf(
      '- {kind: ConfigMap, name: top}\n- {kind: Role, name: r, owners: [v2 ConfigMap top top]}',
    );
    expect(because(deleting(view, 'top').confirmation)).toBe(
      'undo cannot bring back the uid of ConfigMap top, to which Role r refers',
    );
  });

  it('wants the name typed where Secrets or claims that it may own cannot be seen', () => {
    const view = (yaml: string): ClusterView => blind(viewOf(yaml), 'Secret');
    expect(because(deleting(view('- {kind: ConfigMap, name: x}'), 'x').confirmation)).toBe(
      'undo cannot bring back what ConfigMap x owns among secrets, which cannot be seen here',
    );
    expect(because(deleting(view(namespace), 'x').confirmation)).toBe(
      'undo cannot bring back what else there is in Namespace x, such as secrets that cannot be seen here',
    );
    // It is to own nothing any more, and nothing is deleted with it.
    const orphaning = deleting(view('- {kind: ConfigMap, name: x}'), 'x', { cascade: 'orphan' });
    expect(because(orphaning.confirmation)).toBe('a key');
    // Nobody gives Secrets to pods.
    expect(because(deleting(view(`${nodes}${deployment('api', 1)}`), 'api-h-0').confirmation)).toBe('a key');
  });
});

describe('what is answered by a key', () => {
  it.each(harmless)('comes back by an undo, or by its controller: %s', async (_, yaml, uid) => {
    const world = await ActingWorld.of(yaml);
    const ended = await actionRun.perform(world.delete('background', uid), world.ports());
    expect(ended.state).toBe('reached');
    const reversal = await Undo.reversal(ended, world);
    const lost = reversal.known ? reversal.lost : ['nobody knows'];
    expect(lost.filter(each => !each.endsWith(' creates its own'))).toEqual([]);
  });
});

describe('the question before a remedy', () => {
  it('follows what is lost by it, however safe the remedy is for what it is about', () => {
    const view = viewOf(`
- {kind: Secret, name: top, finalizers: [foregroundDeletion], ${deletingSince}}
- {kind: ConfigMap, name: held, owners: [v1 Secret top top +b], finalizers: [a/b], ${deletingSince}}
- {kind: ConfigMap, name: plain, finalizers: [foregroundDeletion], ${deletingSince}}
- {kind: ConfigMap, name: other, owners: [v1 ConfigMap plain plain +b], finalizers: [a/b], ${deletingSince}}`);
    const unblocking = (uid: string, id: string): Prepared => {
      const target = objectOf(view, uid);
      return prepared(view, { verb: 'unblock', target, remedy: remedyOf(view, target, id) });
    };
    expect(because(unblocking('top', 'clear-block/configmap/held').confirmation)).toBe(
      'undo cannot bring back the data of Secret top',
    );
    expect(because(unblocking('plain', 'clear-block/configmap/other').confirmation)).toBe('a key');
  });

  it('wants the word where it deletes what nobody has asked to delete, such as an APIService', () => {
    const view = viewOf(`
- {kind: Namespace, name: old, namespace: '', ${deletingSince}, spec: {finalizers: [kubernetes]}}
- {kind: APIService, name: v1.example.com, namespace: ''}`);
    const target = objectOf(view, 'old');
    const offer = { risk: 'caution', title: 'delete it' } as const;
    const remedy = deleteObject(
      new TrackedView(view, now),
      objectOf(view, 'v1.example.com'),
      'background',
      offer,
    );
    expect(prepared(view, { verb: 'unblock', target, remedy }).confirmation).toEqual({
      kind: 'typed',
      word: 'old',
      because: 'APIService v1.example.com is not being deleted yet',
    });
  });
});
