/** What a scenario lets happen to machines, on a real cluster whose kubelets are fake. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import type { NodeStep } from '../../../src/source/demo/scenario.ts';
import { waitUntilReady } from '../../harness/nodes/fake-nodes.ts';
import { KUBELET_LABEL } from '../../harness/processes/layout.ts';
import type { RealPlane } from './run.ts';

const OUT_OF_SERVICE = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown' };

/** Resolves when the API server shows it. */
export async function setNode(
  plane: RealPlane,
  { name, state, effect = 'NoExecute' }: NodeStep['node'],
): Promise<void> {
  const { cluster } = plane;
  const path = `/api/v1/nodes/${name}`;
  switch (state) {
    case 'stopped':
      await cluster.stopKubelet(name);
      await untilUnreachable(plane, name);
      return;
    case 'started': {
      if ((await cluster.api.send({ path })).status === 404) await createNode(plane, name);
      else await cluster.startKubelet(name);
      await waitUntilReady(cluster.api, [name]);
      return;
    }
    case 'deaf':
      // Nobody minds that its lease isn't renewed.
      if (plane.controllerManager.running) throw new Error(`${name} would count as lost soon`);
      await cluster.stopKubelet(name);
      return;
    case 'deleted':
      await cluster.api.json({ method: 'DELETE', path });
      return;
    case 'cordoned':
      await patchNode(plane, path, { spec: { unschedulable: true } });
      return;
    case 'tainted': {
      const taints = list(record((await cluster.api.json<JsonRecord>({ path }))['spec'])['taints']);
      await patchNode(plane, path, { spec: { taints: [...taints, { ...OUT_OF_SERVICE, effect }] } });
    }
  }
}

async function createNode({ cluster }: RealPlane, name: string): Promise<void> {
  const labels = { 'kubernetes.io/hostname': name, [KUBELET_LABEL]: 'running' };
  const body = { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
  await cluster.api.json({ method: 'POST', path: '/api/v1/nodes', body });
}

/**
 * The node lifecycle controller sees it by itself after a while. Where it isn't running nobody would, so that what it
 * writes is written in its place, as the simulation does.
 */
async function untilUnreachable(plane: RealPlane, name: string): Promise<void> {
  const path = `/api/v1/nodes/${name}`;
  if (!plane.controllerManager.running) {
    const taint = { key: 'node.kubernetes.io/unreachable', timeAdded: new Date().toISOString() };
    const taints = ['NoSchedule', 'NoExecute'].map(effect => ({ ...taint, effect }));
    await patchNode(plane, path, { spec: { taints } });
    const now = new Date().toISOString();
    const ready = { type: 'Ready', status: 'Unknown', reason: 'NodeStatusUnknown', message: '' };
    const conditions = [{ ...ready, lastHeartbeatTime: now, lastTransitionTime: now }];
    await patchNode(plane, `${path}/status`, { status: { conditions } });
  }
  const deadline = Date.now() + 300_000;
  for (;;) {
    const node = await plane.cluster.api.json<JsonRecord>({ path });
    const ready = list(record(node['status'])['conditions'])
      .map(record)
      .find(({ type }) => type === 'Ready');
    // NoExecute isn't put on where no node of the zone is ready.
    const tainted = list(record(node['spec'])['taints']).some(
      each => record(each)['key'] === 'node.kubernetes.io/unreachable',
    );
    if (text(ready?.['status']) === 'Unknown' && tainted) return;
    if (Date.now() > deadline) throw new Error(`${name} still counts as reachable`);
    await sleep(300);
  }
}

async function patchNode({ cluster }: RealPlane, path: string, body: JsonRecord): Promise<void> {
  await cluster.api.json({ method: 'PATCH', path, contentType: 'application/merge-patch+json', body });
}
