/** A small shop: a Deployment and a StatefulSet of three pods each, in a namespace of its own. */
import { expect } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { eventually } from '../eventually.ts';

function workload(kind: 'Deployment' | 'StatefulSet', name: string, more: string): string {
  return `
apiVersion: apps/v1
kind: ${kind}
metadata: {name: ${name}, namespace: shop}
spec:
  replicas: 3
  ${more}
  selector: {matchLabels: {app: ${name}}}
  template:
    metadata: {labels: {app: ${name}}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: app, image: registry.example.com/app}]
`;
}

const shop = `
apiVersion: v1
kind: Namespace
metadata: {name: shop}
---${workload('Deployment', 'api', '')}
---${workload('StatefulSet', 'web', 'serviceName: web')}
`;

/** Applies the shop, new where another test left one, and resolves when all six pods run. */
export async function openShop(cluster: Cluster): Promise<void> {
  if (!cluster.controllable) await cluster.kubectl(['delete', 'namespace', 'shop', '--ignore-not-found']);
  await cluster.apply(shop);
  await eventually(async () => expect(await runningPods(cluster)).toHaveLength(6));
}

/** Names of the running pods in the shop. */
export async function runningPods(cluster: Cluster): Promise<string[]> {
  const output = await cluster.kubectl([
    'get',
    'pods',
    '--namespace=shop',
    '--output=jsonpath={.items[?(@.status.phase=="Running")].metadata.name}',
  ]);
  return output.split(' ').filter(name => name !== '');
}
