/** What the garbage collector did, by the audit log of a real API server, beside what `activity` told of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActivityEntryDocument } from '../../../src/documents/activity.ts';
import { list, record, text } from '../../../src/model/json/json.ts';

const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** What a request that took effect did to an object, and what is told of such a one. */
export type Deed = 'deleted' | 'references' | 'finalizers';

/** `references configmaps shop/settings`: a deed with its object. */
export type DeedKey = string;

/** Flags of an API server that writes down what the collector changes. */
export function auditFlags(folder: string): readonly string[] {
  const policy = join(folder, 'policy.yaml');
  writeFileSync(
    policy,
    `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: Request
    users: ["${COLLECTOR}"]
    verbs: [delete, patch, update]
  - level: None
`,
  );
  return [`--audit-policy-file=${policy}`, `--audit-log-path=${logIn(folder)}`, '--audit-log-mode=blocking'];
}

function logIn(folder: string): string {
  return join(folder, 'audit.log');
}

/** Each that the collector did, as often as it may. */
export function collectorsDeeds(folder: string): ReadonlySet<DeedKey> {
  const deeds = new Set<DeedKey>();
  for (const line of readFileSync(logIn(folder), 'utf8').split('\n').slice(0, -1)) {
    const event = record(JSON.parse(line));
    if (record(event['responseStatus'])['code'] !== 200) continue;
    if (text(record(event['user'])['username']) !== COLLECTOR) throw new Error('of another user');
    const { resource, namespace, name } = record(event['objectRef']);
    const metadata = record(record(event['requestObject'])['metadata']);
    const deed: Deed =
      event['verb'] === 'delete' ? 'deleted' : 'finalizers' in metadata ? 'finalizers' : 'references';
    deeds.add(`${deed} ${text(resource)} ${text(namespace) ?? ''}/${text(name)}`);
  }
  return deeds;
}

const deeds: Partial<Record<ActivityEntryDocument['what'], Deed>> = {
  Marked: 'deleted',
  Collected: 'deleted',
  Deleted: 'deleted',
  FinalizerRemoved: 'finalizers',
  Stripped: 'references',
  Orphaned: 'references',
  Unblocked: 'references',
};

/** The deed that an entry tells; undefined for one that is about no deed of the collector's. */
function deedOf({ what, reason, object }: ActivityEntryDocument): DeedKey | undefined {
  const done = reason.code === 'Ended' ? 'finalizers' : deeds[what];
  const resource = `${object.kind.toLowerCase()}s`;
  return done && `${done} ${resource} ${object.namespace ?? ''}/${object.name}`;
}

/** The deeds that are told as the collector's; with `alone`, of those that nobody else does in such a moment. */
export function toldDeeds(entries: readonly ActivityEntryDocument[], alone: boolean): ReadonlySet<DeedKey> {
  const told = entries.filter(({ by }) =>
    alone ? by.length === 1 && by[0] === 'garbage-collector' : by.includes('garbage-collector'),
  );
  return new Set(told.map(deedOf).filter(deed => deed !== undefined));
}

/** The documents that were printed so far, each on a line. */
export function entriesOf(out: string): readonly ActivityEntryDocument[] {
  return out
    .slice(0, out.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as ActivityEntryDocument);
}

/** Names of owner references of a list that kubectl printed as JSON. */
export function ownerNames(json: string): readonly string[] {
  return list(record(JSON.parse(json))['items']).flatMap(item =>
    list(record(record(item)['metadata'])['ownerReferences']).map(owner => text(record(owner)['name']) ?? ''),
  );
}
