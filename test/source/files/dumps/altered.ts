/** What people and tools do to dumps before somebody else gets them: uids masked or all the same, dates reset. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { JsonRecord } from '../../../../src/model/json/json.ts';
import { isoTime } from '../../../../src/model/json/to-json.ts';
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
