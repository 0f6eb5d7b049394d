import { describe, expect, test } from 'vitest';
import { identityOfObject } from '../../src/graph/ownership-node.ts';
import type { Said } from '../../src/model/said.ts';
import { hear } from '../../src/source/object-statements.ts';
import { viewOf } from '../cli/documents/cluster.ts';

const minute = (at: number): number => Date.parse(`2026-11-21T10:${String(at).padStart(2, '0')}:00Z`);

function warning(reason: string, at: number): Said {
  return { from: 'event', type: 'Warning', status: '', reason, message: 'no', at, failing: true };
}

const pod = (status: string, spec = '{}'): string =>
  `- {kind: Pod, name: web-0, namespace: shop, uid: web-0, spec: ${spec}, status: ${status}}`;
const ready = `{phase: Running, conditions: [{type: Ready, status: 'True'}]}`;

async function quoted(yaml: string, ...events: readonly Said[]): Promise<readonly string[]> {
  const object = [...viewOf(yaml).graph.nodes()].find(node => node.object !== undefined)?.object;
  if (object === undefined) throw new Error('no object');
  const { statements } = await hear(
    { events: () => Promise.resolve(events) },
    { own: [], events: [object], since: minute(20) },
    {
      read: () => Promise.resolve(undefined),
      identityOf: identityOfObject,
      signal: new AbortController().signal,
    },
  );
  return statements.map(({ reason }) => reason);
}

describe('an event is quoted', () => {
  test('that says why a pod waits for a node', async () => {
    expect(await quoted(pod('{phase: Pending}'), warning('FailedScheduling', 5))).toEqual([
      'FailedScheduling',
    ]);
  });

  test('but not once the pod has its node', async () => {
    const bound = pod('{phase: Pending}', '{nodeName: node-1}');
    expect(await quoted(bound, warning('FailedScheduling', 5))).toEqual([]);
  });

  test('but not one of a start that the pod has behind it', async () => {
    const events = [warning('FailedMount', 5), warning('BackOff', 6), warning('Unhealthy', 15)];
    expect(await quoted(pod(ready, '{nodeName: node-1}'), ...events)).toEqual(['Unhealthy']);
    expect(await quoted(pod('{phase: Running}', '{nodeName: node-1}'), ...events)).toEqual([
      'BackOff',
      'Unhealthy',
    ]);
  });

  test('but not that pods cannot be created once all of them are there', async () => {
    const set = (replicas: number): string =>
      `- {kind: ReplicaSet, name: web, namespace: shop, uid: web, spec: {replicas: 2}, status: {replicas: ${replicas}}}`;
    expect(await quoted(set(1), warning('FailedCreate', 5))).toEqual(['FailedCreate']);
    expect(await quoted(set(2), warning('FailedCreate', 5))).toEqual([]);
  });

  test('but not that a claim gets no volume once it has one', async () => {
    const claim = (phase: string): string =>
      `- {kind: PersistentVolumeClaim, name: data, namespace: shop, uid: data, status: {phase: ${phase}}}`;
    expect(await quoted(claim('Pending'), warning('ProvisioningFailed', 5))).toEqual(['ProvisioningFailed']);
    expect(await quoted(claim('Bound'), warning('ProvisioningFailed', 5))).toEqual([]);
  });
});
