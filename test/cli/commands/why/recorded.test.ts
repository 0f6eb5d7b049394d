import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import type { JsonRecord } from '../../../../src/model/json/json.ts';
import type { KubeObject } from '../../../../src/model/object.ts';
import { fileOf, made, recorded, START, type Told } from '../../../source/recording/recorded.ts';
import { command } from '../../console.ts';
import { schemaOf } from '../../documents/schema.ts';

function object(kind: string, name: string, metadata: JsonRecord = {}): KubeObject {
  const namespace = kind === 'Namespace' ? {} : { namespace: 'shop' };
  const common = { name, uid: `${name}-uid`, ...namespace, creationTimestamp: '2026-11-21T13:00:00Z' };
  return made(kind, { metadata: { ...common, ...metadata } });
}

const ownedBy = (owner: KubeObject): JsonRecord => ({
  ownerReferences: [
    {
      apiVersion: owner.type.apiVersion,
      kind: owner.type.kind,
      name: owner.name,
      uid: owner.uid,
      controller: true,
      blockOwnerDeletion: true,
    },
  ],
});

const shop = object('Namespace', 'shop');
const config = object('ConfigMap', 'config');
const copy = object('Secret', 'copy', ownedBy(config));
const web = object('ReplicaSet', 'web');
const kept = object('Pod', 'kept', ownedBy(web));
const at = (seconds: number, ...objects: readonly KubeObject[]): Told => ({
  at: seconds * 1_000,
  batch: { changes: objects.map(each => ({ op: 'upsert', object: each })) },
});
const gone = (seconds: number, { uid, type }: KubeObject): Told => ({
  at: seconds * 1_000,
  batch: { changes: [{ op: 'delete', uid, type }] },
});
const deletionTimestamp = START + 120_000;

const file = fileOf(
  recorded([
    at(1, shop, config, copy, web, kept),
    at(120, config.with({ deletionTimestamp, finalizers: ['foregroundDeletion'] })),
    gone(120.2, copy),
    gone(120.5, config),
    at(200, web.with({ deletionTimestamp, finalizers: ['orphan'] })),
    at(200.1, kept.with({ owners: [] })),
    gone(200.3, web),
    at(300, config.with({ uid: 'another' as KubeObject['uid'] })),
    gone(310, config.with({ uid: 'another' as KubeObject['uid'] })),
    at(320, shop),
  ]),
);
const why = (words: string) => command(`why ${words} -n shop --replay ${file}`);

describe('why --replay of what is gone', () => {
  test('tells when it was deleted, with which policy, why it ended, and what followed, of each that had the name', async () => {
    const { out, err, exitCode } = await why('cm/config');
    expect(exitCode).toBe(0);
    expect(
      out,
    ).toBe(`ConfigMap shop/config was deleted at 2026-11-21T14:02:00Z by a request, with the policy foreground. It was gone 0.5s later.

  uid            config-uid
  created        2026-11-21T13:00:00Z
  because        by a request with the policy foreground; waits for 1 dependent, Secret copy

What followed
  +0.2s     collected Secret shop/copy: its owner ConfigMap config is being deleted in the foreground
  +0.5s     deleted ConfigMap shop/config: 0.5s after it was marked: the last dependent that held it up, Secret copy, was deleted 0.3s before
  +3m       recreated ConfigMap shop/config: another object came under this name, 2m59s after the one before was deleted

ConfigMap shop/config was deleted at 2026-11-21T14:05:10Z by a request. It was gone at once.

  uid            another
  created        2026-11-21T13:00:00Z
  because        by a request
`);
    expect(err).toContain("An API server's audit log tells it");
  });

  test('tells of a dependent what deleted it, and from what that followed', async () => {
    const { out } = await why('secret/copy');
    expect(out).toContain('Secret shop/copy was deleted at 2026-11-21T14:02:00Z by the garbage collector.');
    expect(out).toContain('  owned by       ConfigMap config\n');
    expect(out).toContain(
      '  follows from   ConfigMap shop/config, marked at 14:02:00.0Z: by a request with the policy foreground',
    );
  });

  test('tells what was orphaned', async () => {
    const { out } = await why('rs/web');
    expect(out).toContain('with the policy orphan. It was gone 0.3s later.');
    expect(out).toContain(
      'orphaned Pod shop/kept: its owner ReplicaSet web is deleted with the policy orphan',
    );
  });

  test('is as of the moment that is asked for', async () => {
    const before = await why('cm/config --at=2026-11-21T14:01:00Z');
    expect(before.out).not.toContain('was deleted');
    expect((await why('cm/config --at=2026-11-21T14:03:00Z')).out).not.toContain('another');
    const never = await why('cm/nobody');
    expect(never.exitCode).toBe(2);
    expect(never.err).toContain('not found');
  });

  test('prints the document of audit logs, as its schema says', async () => {
    const document: unknown = JSON.parse((await why('cm/config -o json')).out);
    const validate = new Ajv2020({ strict: true }).compile(schemaOf('DeletionHistory'));
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(document).toMatchObject({
      kind: 'DeletionHistory',
      recording: { file, from: '2026-11-21T14:00:00Z', cutOff: false },
      items: [
        {
          object: { resource: 'configmaps', name: 'config', uid: 'config-uid' },
          goneAt: '2026-11-21T14:02:00.500Z',
          observed: [
            { what: 'Marked', policy: 'foreground', by: [] },
            { what: 'Deleted', by: ['garbage-collector'] },
          ],
          observedEffects: [
            { what: 'Collected', object: { kind: 'Secret', name: 'copy' } },
            { what: 'Recreated', object: { uid: 'another' } },
          ],
        },
        { object: { uid: 'another' } },
      ],
    });
  });
});

describe('activity --watch of a recording', () => {
  const activity = (words = '') => command(`activity -w -n shop --replay ${file} ${words}`);

  test('prints at once what happened in it, in its own time, after all had been listed', async () => {
    const { out, exitCode } = await activity();
    expect(exitCode).toBe(0);
    const words = out.match(/(?<=^ *14:\S+ +)\S+ +\S+ \S+(?=:)/gmu)?.map(each => each.replace(/ +/gu, ' '));
    expect(words).toEqual([
      'marked ConfigMap shop/config',
      'collected Secret shop/copy',
      'deleted ConfigMap shop/config',
      'marked ReplicaSet shop/web',
      'held ReplicaSet shop/web',
      'orphaned Pod shop/kept',
      'deleted ReplicaSet shop/web',
      'recreated ConfigMap shop/config',
      'deleted ConfigMap shop/config',
    ]);
  });

  test('begins at a moment, and filters', async () => {
    const { out } = await activity('--at=+3m -o json');
    const kinds = out
      .trim()
      .split('\n')
      .map(line => (JSON.parse(line) as { what: string }).what);
    expect(kinds).toMatchInlineSnapshot(`
      [
        "Marked",
        "Held",
        "Orphaned",
        "Deleted",
        "Deleted",
      ]
    `);
    expect((await activity('--what=Recreated')).out.match(/ recreated /gu)).toHaveLength(1);
  });
});
