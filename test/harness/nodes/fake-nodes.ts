/** Nodes without machines: kwok plays the kubelet of those that carry its label. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../api-client.ts';
import { KUBELET_LABEL } from '../processes/layout.ts';

interface NodeList {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
  }[];
}

/** Creates `count` nodes with the next free numbers; resolves with their names. */
export async function createNodes(api: ApiClient, count: number): Promise<string[]> {
  const { items } = await api.json<NodeList>({ path: '/api/v1/nodes' });
  const numbers = items.map(item => Number(/^node-(\d+)$/.exec(item.metadata.name)?.[1] ?? 0));
  const first = Math.max(0, ...numbers) + 1;
  const names = Array.from({ length: count }, (_, index) => `node-${first + index}`);
  await Promise.all(
    names.map(name => api.json({ method: 'POST', path: '/api/v1/nodes', body: nodeNamed(name) })),
  );
  return names;
}

function nodeNamed(name: string): unknown {
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name, [KUBELET_LABEL]: 'running' } },
  };
}

/** Resolves when all of them are Ready; rejects after five minutes. */
export async function waitUntilReady(api: ApiClient, names: readonly string[]): Promise<void> {
  const deadline = Date.now() + 300_000;
  for (;;) {
    const { items } = await api.json<NodeList>({ path: '/api/v1/nodes' });
    const ready = new Set(
      items
        .filter(node =>
          node.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True'),
        )
        .map(node => node.metadata.name),
    );
    const waiting = names.filter(name => !ready.has(name));
    if (waiting.length === 0) return;
    if (Date.now() > deadline) throw new Error(`not ready within five minutes: ${waiting.join(', ')}`);
    await sleep(100);
  }
}

export async function setKubelet(api: ApiClient, node: string, state: 'running' | 'stopped'): Promise<void> {
  await api.json({
    method: 'PATCH',
    path: `/api/v1/nodes/${node}`,
    contentType: 'application/merge-patch+json',
    body: { metadata: { labels: { [KUBELET_LABEL]: state } } },
  });
}
