/** What the garbage collector did, by the audit log of a real API server, beside what `activity` told of it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ActivityEntry } from '../../../src/cli/documents/definitions.ts';
import { list, record, text } from '../../../src/model/json/json.ts';

const COLLECTOR = 'system:serviceaccount:kube-system:generic-garbage-collector';

/** What a request that took effect did to an object, and what is told of such a one. */
type Doing = 'deleted' | 'references' | 'finalizers';

/** What was done to an object, by the log or by an entry. */
export interface Deed {
  /** `references configmaps shop/settings`: what, and to which object. */
  readonly key: string;
  /** Undefined where a request doesn't name it. */
  readonly uid: string | undefined;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** The clocks of both, and what a watch takes. */
const APART_MS = 10_000;

/** Flags of an API server that writes down what the collector changes. */
export function auditFlags(folder: string): readonly string[] {
  const policy = join(folder, 'policy.yaml');
  writeFileSync(
    policy,
    `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
  - level: RequestResponse
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

/** Lists the collector's changes. It repeats requests whose effect its cache doesn't show yet; these change nothing. */
export function collectorsDeeds(folder: string): readonly Deed[] {
  const effects = new Set<string>();
  return readFileSync(logIn(folder), 'utf8')
    .split('\n')
    .slice(0, -1)
    .map(line => record(JSON.parse(line)))
    .filter(event => record(event['responseStatus'])['code'] === 200)
    .filter(event => {
      const effect = effectOf(event);
      const isNew = !effects.has(effect);
      effects.add(effect);
      return isNew;
    })
    .map(event => {
      if (text(record(event['user'])['username']) !== COLLECTOR) throw new Error('of another user');
      const { resource, namespace, name } = record(event['objectRef']);
      const request = record(event['requestObject']);
      const metadata = record(request['metadata']);
      const isDeletion = event['verb'] === 'delete';
      const done: Doing = isDeletion ? 'deleted' : 'finalizers' in metadata ? 'finalizers' : 'references';
      return {
        key: `${done} ${text(resource)} ${text(namespace)}/${text(name)}`,
        uid: text(isDeletion ? record(request['preconditions'])['uid'] : metadata['uid']) || undefined,
        at: Date.parse(text(event['requestReceivedTimestamp'])),
      };
    });
}

/** Equal for a repeated request: a patch left the object as it was, a deletion was asked for before. */
function effectOf(event: Record<string, unknown>): string {
  if (event['verb'] !== 'delete') {
    const { uid, resourceVersion } = record(record(event['responseObject'])['metadata']);
    return `${text(uid)} ${text(resourceVersion)}`;
  }
  const { preconditions, propagationPolicy } = record(event['requestObject']);
  return `${text(record(preconditions)['uid'])} ${text(propagationPolicy)}`;
}

const doings: Partial<Record<ActivityEntry['what'], Doing>> = {
  Marked: 'deleted',
  PolicyChanged: 'deleted',
  Collected: 'deleted',
  Deleted: 'deleted',
  FinalizerRemoved: 'finalizers',
  Stripped: 'references',
  Orphaned: 'references',
  Unblocked: 'references',
};

/** What an entry tells of; nothing where it is about no deed of the collector's. */
function deedsOf({ what, reason, object, at }: ActivityEntry): readonly Deed[] {
  const done = reason.code === 'Ended' ? 'finalizers' : doings[what];
  if (done === undefined) return [];
  const resource = `${object.kind.toLowerCase()}s`;
  const key = `${done} ${resource} ${object.namespace ?? ''}/${object.name}`;
  return [{ key, uid: object.uid, at: Date.parse(at) }];
}

/** Lists the collector's deeds; with `alone`, only those that no other controller does at that moment. */
export function toldDeeds(entries: readonly ActivityEntry[], alone: boolean): readonly Deed[] {
  return entries
    .filter(({ by }) =>
      alone ? by.length === 1 && by[0] === 'garbage-collector' : by.includes('garbage-collector'),
    )
    .flatMap(deedsOf);
}

/** Those among `deeds` that none of `others` stands for, each of which stands for one. */
export function unmatched(deeds: readonly Deed[], others: readonly Deed[]): readonly string[] {
  const left = [...others];
  return deeds.flatMap(deed => {
    const place = left.findIndex(
      ({ key, uid, at }) =>
        key === deed.key &&
        (uid === undefined || deed.uid === undefined || uid === deed.uid) &&
        Math.abs(at - deed.at) < APART_MS,
    );
    if (place >= 0) left.splice(place, 1);
    return place >= 0 ? [] : [`${deed.key} ${deed.uid ?? ''} at ${new Date(deed.at).toISOString()}`];
  });
}

/** The documents that were printed so far, each on a line. */
export function entriesOf(out: string): readonly ActivityEntry[] {
  return out
    .slice(0, out.lastIndexOf('\n') + 1)
    .split('\n')
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as ActivityEntry);
}

/** Names of owner references of a list that kubectl printed as JSON. */
export function ownerNames(json: string): readonly string[] {
  return list(record(JSON.parse(json))['items']).flatMap(item =>
    list(record(record(item)['metadata'])['ownerReferences']).map(owner => text(record(owner)['name']) ?? ''),
  );
}
