/**
 * Waiting until controllers have nothing left to do in a namespace: what is forecast or read before that may be
 * overtaken, for a running pod is not yet an available Deployment, a bound claim or a finished Job.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { type JsonRecord, list, record, text } from '../../src/model/json/json.ts';
import type { Cluster } from '../harness/cluster.ts';
import { eventually } from './eventually.ts';

const kinds =
  'deployments,replicasets,statefulsets,controllerrevisions,pods,jobs,persistentvolumeclaims,configmaps,serviceaccounts';

/** Without a change for so long nothing is on its way any more, beside what is looked at one by one. */
export const QUIET_MS = 1500;

/** Claims of this class are bound by nobody. */
const NO_CLASS = 'nobody';

/** Resolves when everything in it is ready, bound or done, its controllers say so, and nothing changes. */
export async function settled(cluster: Cluster, namespace: string): Promise<void> {
  await eventually(async () => {
    const before = await objectsIn(cluster, namespace);
    expect(before.flatMap(pending)).toEqual([]);
    expect(before.map(({ name }) => name)).toEqual(expect.arrayContaining(['kube-root-ca.crt', 'default']));
    await sleep(QUIET_MS);
    const after = await objectsIn(cluster, namespace);
    expect(after.map(({ version }) => version)).toEqual(before.map(({ version }) => version));
  });
}

interface Seen {
  readonly kind: string;
  readonly name: string;
  /** `uid@resourceVersion` */
  readonly version: string;
  readonly object: JsonRecord;
}

async function objectsIn(cluster: Cluster, namespace: string): Promise<readonly Seen[]> {
  const answer = await cluster.kubectl(['get', kinds, '-n', namespace, '-o', 'json']);
  return list(record(JSON.parse(answer))['items']).map(item => {
    const object = record(item);
    const { name, uid, resourceVersion } = record(object['metadata']);
    const version = `${text(uid)}@${text(resourceVersion)}`;
    return { kind: text(object['kind']), name: text(name), version, object };
  });
}

/** What it still waits for. */
function pending({ kind, name, object }: Seen): string[] {
  const metadata = record(object['metadata']);
  const spec = record(object['spec']);
  const status = record(object['status']);
  const says = (what: string, is: boolean): string[] => (is ? [] : [`${kind} ${name} is not ${what}`]);
  const isTrue = (type: string): boolean =>
    list(status['conditions'])
      .map(record)
      .some(each => each['type'] === type && each['status'] === 'True');
  switch (kind) {
    case 'Deployment':
    case 'ReplicaSet':
    case 'StatefulSet': {
      const wanted = spec['replicas'];
      const isSeen = status['observedGeneration'] === metadata['generation'];
      const counts = [
        status['replicas'] ?? 0,
        status['readyReplicas'] ?? 0,
        status['availableReplicas'] ?? 0,
      ];
      return says('available', isSeen && counts.every(count => count === wanted));
    }
    case 'Pod':
      if (status['phase'] === 'Running') return says('ready', isTrue('Ready'));
      return says('counted', status['phase'] === 'Succeeded' && list(metadata['finalizers']).length === 0);
    case 'PersistentVolumeClaim':
      return says('bound', status['phase'] === 'Bound' || spec['storageClassName'] === NO_CLASS);
    case 'Job':
      return says('over', isTrue('Complete') || isTrue('Suspended'));
    default:
      return [];
  }
}
