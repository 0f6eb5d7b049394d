/** What people and tools do to dumps before somebody else gets them: uids masked or all the same, dates reset. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonRecord } from '../../../../src/model/json/json.ts';
import { isoTime } from '../../../../src/model/json/json.ts';
import type { Random } from '../../../../src/simulation/runtime/random.ts';
import { folderOf } from '../reading.ts';
import type { Dump } from './dump.ts';

const masks = [
  'REDACTED',
  '00000000-0000-0000-0000-000000000000',
  'xxxxxxxx-xxxx-4xxx-xxxx-xxxxxxxxxxxx',
  '2f1c9a3e-7b54-4d0e-9a55-1f6b7a0c3d21',
] as const;

/** With another value for each uid; the last of the masks is a uid that all have. */
export function maskUids(dump: Dump, seed: number): Dump {
  const mask = masks[seed % masks.length] ?? masks[0];
  const masked = (value: unknown, key = ''): unknown => {
    if (Array.isArray(value)) return value.map(each => masked(each));
    if (typeof value === 'object' && value !== null)
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, masked(each, name)]));
    return key === 'uid' || key.endsWith('controller-uid') ? mask : value;
  };
  return new Map(
    [...dump].map(([file, documents]) => [file, documents.map(each => masked(each) as JsonRecord)]),
  );
}

/** With the Lease that the scheduler renewed when it was taken. */
export function withLease(dump: Dump, now: number): Dump {
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      name: 'kube-scheduler',
      namespace: 'kube-system',
      uid: '4a5b5cde-3b1d-4a0e-8a52-c0a7c3a1f7b2',
    },
    spec: { renewTime: isoTime(now) },
  };
  return new Map([...dump, ['lease.json', [lease]]]);
}

const list = (...items: readonly JsonRecord[]): JsonRecord => ({ apiVersion: 'v1', kind: 'List', items });

interface Made {
  readonly kind: string;
  readonly name: string;
  readonly version: number;
  readonly more?: JsonRecord;
}

const uidOf = (name: string): string =>
  `2f1c9a3e-7b54-4d0e-9a55-${Buffer.from(name).toString('hex').padStart(12, '0').slice(-12)}`;

function made({ kind, name, version, more = {} }: Made): JsonRecord {
  const metadata = {
    name,
    namespace: 'kube-system',
    uid: uidOf(name),
    resourceVersion: `${version}`,
    ...more,
  };
  return { apiVersion: 'v1', kind, metadata };
}

/** With deletions that last: some for so short a time that nothing is wrong yet, and a pod's, requested that very second. */
export function withDeletions(dump: Dump, random: Random, now: number): Dump {
  const held = Array.from({ length: 4 }, (_, index) => {
    const age = [3, 15, 90, 7_200][random.below(4)] ?? 0;
    const finalizer = random.below(2) === 0 ? 'example.com/held' : 'foregroundDeletion';
    return made({
      kind: 'ConfigMap',
      name: `going-${index}`,
      version: 5,
      more: {
        creationTimestamp: isoTime(now - 10_000_000),
        deletionTimestamp: isoTime(now - age * 1000),
        deletionGracePeriodSeconds: 0,
        finalizers: [finalizer],
      },
    });
  });
  const grace = [1, 30, 600][random.below(3)] ?? 30;
  const pod = {
    ...made({
      kind: 'Pod',
      name: 'going',
      version: 6,
      more: {
        creationTimestamp: isoTime(now - 10_000_000),
        deletionTimestamp: isoTime(now + grace * 1000),
        deletionGracePeriodSeconds: grace,
      },
    }),
    spec: { nodeName: 'n1', containers: [{ name: 'main' }] },
    status: { phase: 'Running' },
  };
  return new Map([...dump, ['going.json', [list(...held, pod)]]]);
}

/**
 * An earlier and a later dump, between which owners were deleted, recreated and created. Each lacks the list of a kind that
 * the other one has: dependents of owners that are gone, and owners of dependents that are new.
 */
export function withSuccession(early: Dump, late: Dump, random: Random): readonly [Dump, Dump] {
  const owners = ['a', 'b', 'c'].map(name => ({ name, isRecreated: random.below(2) === 0 }));
  const owned = (kind: string, name: string, version: number, owner: string): JsonRecord =>
    made({
      kind,
      name: `of-${name}`,
      version,
      more: { ownerReferences: [{ apiVersion: 'v1', kind: owner, name, uid: uidOf(name) }] },
    });
  const before = owners.map(({ name }) => made({ kind: 'ConfigMap', name, version: 1_000_010 }));
  const after = owners
    .filter(({ isRecreated }) => isRecreated)
    .map(({ name }) =>
      made({ kind: 'ConfigMap', name, version: 1_000_030, more: { uid: uidOf(`${name}-new`) } }),
    );
  const witness = (kind: string, version: number): JsonRecord => made({ kind, name: `w-${kind}`, version });
  return [
    including(early, {
      'owners.json': list(witness('ConfigMap', 1_000_012), ...before),
      'gone.json': list(...owners.map(({ name }) => owned('Secret', name, 1_000_011, 'ConfigMap'))),
      'services.json': list(witness('Service', 1_000_013)),
      'accounts.json': list(witness('ServiceAccount', 1_000_014)),
    }),
    including(late, {
      'owners.json': list(witness('ConfigMap', 1_000_032), ...after),
      'accounts.json': list(
        witness('ServiceAccount', 1_000_034),
        owned('ServiceAccount', 'new', 1_000_033, 'Service'),
      ),
    }),
  ];
}

function including(dump: Dump, files: Readonly<Record<string, JsonRecord>>): Dump {
  return new Map([...dump, ...Object.entries(files).map(([file, document]) => [file, [document]] as const)]);
}

/** Writes dumps into one folder, each below a name, dated `at`. */
export function writeFolder(dumps: Readonly<Record<string, Dump>>, at: number): string {
  const folder = folderOf({});
  for (const [name, dump] of Object.entries(dumps))
    for (const [file, documents] of dump) {
      const to = path.join(folder, name, file);
      mkdirSync(path.dirname(to), { recursive: true });
      writeFileSync(to, documents.map(each => JSON.stringify(each)).join('\n---\n'));
      utimesSync(to, at / 1000, at / 1000);
    }
  return folder;
}
