import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { Diagnosis } from '../../../../src/cli/documents/definitions.ts';
import type { Said } from '../../../../src/model/said.ts';
import type { ResourceType } from '../../../../src/model/types/resource-type.ts';
import { type EventSubject, type JsonObject, SourceError } from '../../../../src/source/source.ts';
import { command, SmallSource } from '../../console.ts';
import { schemaOf } from '../../documents/schema.ts';

const controller = `
- {kind: Deployment, name: drain-controller, namespace: example, labels: {example.com/part: main}, spec: {replicas: 1}, status: {replicas: 1, readyReplicas: 1}}`;
const held = `
- {kind: ConfigMap, name: front, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}
- {kind: Ingress, name: web, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/drain], owners: [v1 ConfigMap front front +b]}
- {kind: Secret, name: key, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/drain]}
- {kind: Ingress, name: alive, finalizers: [example.com/drain]}`;

const failing = {
  type: 'Synced',
  status: 'False',
  reason: 'ReconcileError',
  message: 'cannot drain: the pool is not empty.',
  lastTransitionTime: '2026-11-21T11:58:00Z',
};
const waiting = { type: 'Ready', status: 'False', reason: 'Deleting', message: 'two backends are left' };

/** A cluster in which every object says the same. */
class SayingSource extends SmallSource {
  readonly read: string[] = [];
  readonly #conditions: readonly unknown[];
  readonly #uid: (name: string) => string;

  constructor(yaml: string, conditions: readonly unknown[], uid: (name: string) => string = name => name) {
    super(yaml);
    this.#conditions = conditions;
    this.#uid = uid;
  }

  override get({ kind }: ResourceType, _namespace: string, name: string): Promise<JsonObject | undefined> {
    this.read.push(`${kind} ${name}`);
    return Promise.resolve({
      metadata: { uid: this.#uid(name), managedFields: [] },
      status: { conditions: this.#conditions },
    });
  }
}

async function answer(words: string, source: SmallSource) {
  const { out, err, exitCode } = await command(`${words} -o json`, { source });
  expect([err, exitCode]).toEqual(['', 0]);
  const [item] = (JSON.parse(out) as Diagnosis).items;
  if (item === undefined) throw new Error('no answer');
  return item;
}

describe('what an object says of why it does not finish', () => {
  const emptied = `
- {kind: Namespace, name: shop, deletionTimestamp: "2026-11-21T11:48:00Z", spec: {finalizers: [kubernetes]}}
- {kind: ConfigMap, name: ends, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [cephblockpool.ceph.rook.io]}
- {kind: Ingress, name: web, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [cephcluster.ceph.rook.io]}`;
  const operator = `
- {kind: Deployment, name: rook-ceph-operator, namespace: rook, spec: {replicas: 1}, status: {replicas: 1, readyReplicas: 1}}`;
  const advised = ({ remedies }: Awaited<ReturnType<typeof answer>>): string[] =>
    remedies.filter(({ requests }) => requests.length === 0).map(({ title }) => title);

  test('is in the answer about its namespace, before what else holds that', async () => {
    const told = await answer('why namespace/shop', new SayingSource(emptied + operator, [waiting, failing]));
    expect(told.summary).toBe(
      'Namespace shop isn\'t emptied: ConfigMap ends is held by the finalizer cephblockpool.ceph.rook.io, and Deployment rook/rook-ceph-operator seems to be the one that removes it, and is running; the status of Ingress web says Synced=False (ReconcileError): "cannot drain: the pool is not empty".',
    );
    expect(told.statements?.map(({ object }) => object.name)).toEqual(['web', 'web']);
    expect(advised(told)[0]).toMatch(/^fix the failure reported for Ingress shop\/web: /u);
  });

  test('names a controller that is gone once, whatever the number of its finalizers', async () => {
    const told = await answer('why namespace/shop', new SayingSource(emptied, [failing]));
    expect(advised(told).filter(title => title.startsWith('bring '))).toEqual([
      'bring Rook back; the rest then completes',
    ]);
  });

  test('is in the first sentence, and takes the place of a look into the log of a controller that runs', async () => {
    const { summary, statements, remedies, findings } = await answer(
      'why ingress/web',
      new SayingSource(held + controller, [waiting, failing]),
    );
    expect(summary).toBe(
      'Ingress shop/web is being deleted, and held by the finalizer example.com/drain; its status says Synced=False (ReconcileError): "cannot drain: the pool is not empty".',
    );
    expect(findings[0]?.message).toBe(summary);
    expect(statements?.map(({ type, from, at }) => [type, from, at])).toEqual([
      ['Synced', 'condition', '2026-11-21T11:58:00Z'],
      ['Ready', 'condition', undefined],
    ]);
    expect(remedies.map(({ id, kubectl }) => [id, kubectl])[0]).toEqual([
      'mend-cause',
      'kubectl describe ingress/web -n shop',
    ]);
    expect(remedies.map(({ id }) => id)).not.toContain('see-controller');
  });

  test('is said of the object that it waits for, by name', async () => {
    const source = new SayingSource(held + controller, [failing]);
    const { summary, statements } = await answer('why cm/front', source);
    expect(summary).toMatch(
      /; the status of Ingress web says Synced=False \(ReconcileError\): "cannot drain: the pool is not empty"\.$/u,
    );
    expect(statements?.map(({ object }) => object.name)).toEqual(['web']);
    const { out } = await command('why cm/front', { source: new SayingSource(held + controller, [failing]) });
    expect(out).toContain(
      '\nWhat it says\n  Ingress web: Synced=False (ReconcileError), 2m ago: cannot drain: the pool is not empty.\n',
    );
  });

  test('leaves the sentence alone where it only tells of work in progress', async () => {
    const { summary, statements, remedies } = await answer(
      'why ingress/web',
      new SayingSource(held + controller, [waiting]),
    );
    expect(summary).not.toContain('says');
    expect(statements).toHaveLength(1);
    expect(remedies[0]?.id).toBe('see-controller');
  });

  test('from before the deletion leaves the look into the log of its controller beside it', async () => {
    const old = { ...failing, lastTransitionTime: '2026-11-20T00:00:00Z' };
    const { remedies } = await answer('why ingress/web', new SayingSource(held + controller, [old]));
    expect(remedies.map(({ id }) => id).slice(0, 2)).toEqual(['mend-cause', 'see-controller']);
  });

  test('does not make a controller superfluous that is not there', async () => {
    const { remedies } = await answer('why ingress/web', new SayingSource(held, [failing]));
    expect(remedies.map(({ id }) => id)).toEqual([
      'bring-back-controller',
      'mend-cause',
      'remove-finalizer/example.com/drain',
    ]);
  });

  test('is shown in two lines, cut between words, and in whole with -o wide', async () => {
    const long = { ...failing, message: `it ${'went wrong '.repeat(40)}in the end` };
    const all = [long, { ...failing, type: 'A' }, { ...failing, type: 'B' }];
    const source = () => new SayingSource(held + controller, all);
    const { out } = await command('why ingress/web', { source: source() });
    const [, said = ''] = /What it says\n((?: {2}.*\n)*)/u.exec(out) ?? [];
    expect(said.split('\n')).toHaveLength(3);
    expect(said).toMatch(/went …\n|wrong …\n/u);
    const wide = await command('why ingress/web -o wide', { source: source() });
    expect(wide.out).toContain('in the end');
    expect(wide.out).toContain('  B=False (ReconcileError)');
  });

  test('costs one request for the object at the end, and none for a Secret or what nobody deletes', async () => {
    const source = new SayingSource(held + controller, [failing]);
    await answer('why ingress/web', source);
    expect(source.read).toEqual(['Ingress web']);
    for (const words of ['why ingress/alive', 'why secret/key']) {
      const quiet = new SayingSource(held + controller, [failing]);
      expect((await answer(words, quiet)).statements ?? []).toEqual([]);
    }
  });

  test('is not taken from another object of the same name, and what cannot be read says nothing', async () => {
    const another = new SayingSource(held + controller, [failing], () => 'another');
    expect((await answer('why ingress/web', another)).statements).toEqual([]);
    class Refusing extends SmallSource {
      override get(): Promise<undefined> {
        return Promise.reject(new SourceError('403'));
      }
    }
    expect((await answer('why ingress/web', new Refusing(held + controller))).statements).toEqual([]);
  });

  test('of a volume that is still attached is what its attachment says, and that goes first', async () => {
    const deleted =
      'deletionTimestamp: "2026-11-21T11:00:00Z", finalizers: [external-attacher/csi-example-com]';
    const attached = `
- {kind: PersistentVolume, name: disk, namespace: '', ${deleted}, spec: {csi: {driver: csi.example.com}}, status: {phase: Released}}
- {kind: VolumeAttachment, name: csi-1, namespace: '', ${deleted}, spec: {attacher: csi.example.com, source: {persistentVolumeName: disk}}}
- {kind: VolumeAttachment, name: csi-2, namespace: '', ${deleted}, spec: {attacher: csi.example.com, source: {persistentVolumeName: another}}}`;
    class Attached extends SmallSource {
      override get({ kind }: ResourceType, _namespace: string, name: string): Promise<JsonObject> {
        const detachError = { message: 'node-1 is gone', time: '2026-11-21T11:30:00Z' };
        return Promise.resolve({
          metadata: { uid: name },
          status: kind === 'VolumeAttachment' ? { detachError } : { phase: 'Released' },
        });
      }
    }
    const { summary, statements, remedies } = await answer('why pv/disk', new Attached(attached));
    expect(summary).toMatch(/; the status of VolumeAttachment csi-1 says detachError: "node-1 is gone"\.$/u);
    expect(statements?.map(({ object }) => object.name)).toEqual(['csi-1']);
    expect(remedies.map(({ id, kubectl }) => [id, kubectl])).toContainEqual([
      'deal-with-attachment',
      'kubectl gc-tree why volumeattachment/csi-1',
    ]);
  });

  describe('with events', () => {
    class Observed extends SayingSource {
      readonly observed: string[] = [];
      status: number | undefined;

      events({ uid }: EventSubject): Promise<readonly Said[]> {
        this.observed.push(uid);
        if (this.status !== undefined)
          return Promise.reject(new SourceError('forbidden', { status: this.status }));
        const at = Date.parse('2026-11-21T11:57:00Z');
        const event = { from: 'event', status: '', at, message: `about ${uid}` } as const;
        return Promise.resolve([
          { ...event, type: 'Normal', reason: 'Synced', failing: false },
          { ...event, type: 'Warning', reason: 'SyncFailed', failing: true, count: 12 },
        ]);
      }
    }

    test('what is said about the object and warned of its controller is told, by one request each', async () => {
      const source = new Observed(held + controller, []);
      const { summary, statements } = await answer('why cm/front', source);
      expect(source.observed).toEqual(['web', 'drain-controller']);
      expect(statements?.map(({ object, type, count }) => [object.name, type, count])).toEqual([
        ['web', 'Warning', 12],
        ['drain-controller', 'Warning', 12],
        ['web', 'Normal', undefined],
      ]);
      expect(summary).toMatch(/; an event about Ingress web says SyncFailed: "about web"\.$/u);
      const { out } = await command('why ingress/web', { source: new Observed(held + controller, []) });
      expect(out).toContain('\n  event SyncFailed, 3m ago, 12 times: about web\n');
    });

    test('what went well before the deletion is left out, and what was warned of before it is not', async () => {
      const deletion = Date.parse('2026-11-21T11:48:00Z');
      class Earlier extends SayingSource {
        events(): Promise<readonly Said[]> {
          const event = { from: 'event', type: 'Normal', status: '', message: '', failing: false } as const;
          return Promise.resolve([
            { ...event, reason: 'Scheduled', at: deletion - 1_000 },
            { ...event, reason: 'Killing', at: deletion },
            { ...event, reason: 'Timeless', at: undefined },
            { ...event, type: 'Warning', reason: 'BackOff', at: deletion - 60_000, failing: true },
          ]);
        }
      }
      const { statements } = await answer('why ingress/web', new Earlier(held, []));
      expect(statements?.map(({ reason }) => reason)).toEqual(['BackOff', 'Killing', 'Timeless']);
    });

    test('a failure in the status counts more', async () => {
      const { summary } = await answer('why ingress/web', new Observed(held + controller, [failing]));
      expect(summary).toContain('its status says Synced=False');
    });

    test('a controller without a ready pod is told of by the pod that is not ready', async () => {
      const failingPod = `${controller.replace('readyReplicas: 1', 'readyReplicas: 0')}
- {kind: ReplicaSet, name: drain-rs, namespace: example, owners: [apps/v1 Deployment drain-controller drain-controller +c]}
- {kind: Pod, name: drain-pod, namespace: example, owners: [apps/v1 ReplicaSet drain-rs drain-rs +c], spec: {containers: [{name: a}]}, status: {phase: Pending}}`;
      const source = new Observed(held + failingPod, []);
      await answer('why ingress/web', source);
      expect(source.observed).toEqual(['web', 'drain-pod']);
    });

    test('events from before the deletion are no cause of anything', async () => {
      const lately = held.replaceAll('11:48:00', '11:58:00');
      const { summary, statements } = await answer('why ingress/web', new Observed(lately + controller, []));
      expect(summary).not.toContain('an event');
      expect(statements?.map(({ type }) => type)).toEqual(['Warning', 'Warning']);
    });

    test('that they may not be read is said with -o wide and in documents, and nowhere else', async () => {
      const source = (): Observed =>
        Object.assign(new Observed(held + controller, [failing]), { status: 403 });
      const { out } = await command('why ingress/web', { source: source() });
      expect(out).not.toContain('vents');
      const wide = await command('why ingress/web -o wide', { source: source() });
      expect(wide.out).toContain('\n  Events about it cannot be read (403).\n');
      const document = await command('why ingress/web -o json', { source: source() });
      const { basis } = JSON.parse(document.out) as Diagnosis;
      expect(basis.blindSpots).toContainEqual({ resource: 'events', reason: '403' });
    });
  });

  test('the document follows its schema', async () => {
    const validate = new Ajv2020({ strict: false }).compile(schemaOf('Diagnosis'));
    const { out } = await command('why ingress/web -o json', {
      source: new SayingSource(held + controller, [failing, waiting]),
    });
    const document = JSON.parse(out) as Diagnosis;
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    const [item] = document.items;
    const wrong = { ...document, items: [{ ...item, statements: [{ type: 'Synced' }] }] };
    expect(validate(wrong)).toBe(false);
  });
});
