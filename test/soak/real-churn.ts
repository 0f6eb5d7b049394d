/**
 * What happens on the API server itself during a soak, with the controllers of the control plane: workloads are created,
 * scaled and deleted, namespaces and CustomResourceDefinitions come and go with what is in them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { record, text } from '../../src/model/json/json.ts';
import type { ApiClient, ApiRequest } from '../harness/api-client.ts';
import type { Cluster } from '../harness/cluster.ts';

export interface RealChurnOptions {
  readonly cluster: Cluster;
  /** Small writes a second; each moves the version on, at which invented objects may change again. */
  readonly writes: number;
  readonly reached: (version: number) => void;
  readonly signal: AbortSignal;
}

export interface RealCounts {
  writes: number;
  deployments: number;
  namespaces: number;
  definitions: number;
  failed: number;
}

const KEPT_CONFIG_MAPS = 20;

export const widgetDefinition = definition('soak.example.com', 'widgets', 'Widget');

/** Resolves once the signal has aborted and nothing is under way any more. */
export async function churn(options: RealChurnOptions): Promise<RealCounts> {
  const counts: RealCounts = { writes: 0, deployments: 0, namespaces: 0, definitions: 0, failed: 0 };
  const { cluster, writes, signal } = options;
  const send = sender(cluster.api, options.reached, counts);
  const every = async (milliseconds: number, turn: (round: number) => Promise<void>): Promise<void> => {
    for (let round = 0; !signal.aborted; round++) {
      await turn(round);
      await sleep(milliseconds, undefined, { signal }).catch(() => undefined);
    }
  };
  await Promise.all([
    every(1000 / writes, round => patchConfigMap(send, round)),
    every(4_000, round => workload(send, round, counts)),
    every(15_000, round => namespace(send, round, counts)),
    every(20_000, round => customKind(send, round, counts)),
  ]);
  return counts;
}

type Send = (request: ApiRequest) => Promise<void>;

/** What isn't there any more, or not yet, is no failure here. */
function sender(api: ApiClient, reached: (version: number) => void, counts: RealCounts): Send {
  return async request => {
    try {
      const { status, body } = await api.send(request);
      counts.writes++;
      if (status >= 300) {
        if (status !== 404 && status !== 409) counts.failed++;
        return;
      }
      const version = Number(text(record(record(JSON.parse(body))['metadata'])['resourceVersion']));
      if (version > 0) reached(version);
    } catch {
      counts.failed++;
    }
  };
}

async function patchConfigMap(send: Send, round: number): Promise<void> {
  const name = `kept-${round % KEPT_CONFIG_MAPS}`;
  const metadata = { name, labels: { round: String(round) } };
  await send({
    method: 'PATCH',
    path: `/api/v1/namespaces/soak-0/configmaps/${name}?fieldManager=soak&force=true`,
    contentType: 'application/apply-patch+yaml',
    body: { apiVersion: 'v1', kind: 'ConfigMap', metadata },
  });
}

async function workload(send: Send, round: number, counts: RealCounts): Promise<void> {
  const path = '/apis/apps/v1/namespaces/soak-1/deployments';
  const name = (of: number): string => `real-${of}`;
  const labels = { app: name(round) };
  await send({
    method: 'POST',
    path,
    body: {
      metadata: { name: name(round) },
      spec: {
        replicas: 2,
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'none' }] } },
      },
    },
  });
  counts.deployments++;
  await send({
    method: 'PATCH',
    path: `${path}/${name(round - 1)}`,
    contentType: 'application/merge-patch+json',
    body: { spec: { replicas: 3 } },
  });
  const policy = (['Background', 'Foreground', 'Orphan'] as const)[round % 3];
  await send({
    method: 'DELETE',
    path: `${path}/${name(round - 4)}`,
    body: { apiVersion: 'v1', kind: 'DeleteOptions', propagationPolicy: policy },
  });
  // Its pods, where they were orphaned.
  const selector = encodeURIComponent(`app=${name(round - 8)}`);
  for (const left of ['/apis/apps/v1/namespaces/soak-1/replicasets', '/api/v1/namespaces/soak-1/pods'])
    await send({ method: 'DELETE', path: `${left}?labelSelector=${selector}` });
}

async function namespace(send: Send, round: number, counts: RealCounts): Promise<void> {
  const name = `passing-${round}`;
  await send({ method: 'POST', path: '/api/v1/namespaces', body: { metadata: { name } } });
  counts.namespaces++;
  for (let each = 0; each < 5; each++)
    await send({
      method: 'POST',
      path: `/api/v1/namespaces/${name}/configmaps`,
      body: { metadata: { name: `of-${each}` } },
    });
  await send({ method: 'DELETE', path: `/api/v1/namespaces/passing-${round - 1}` });
}

/** A kind that comes, gets objects a round later, and goes after two more; every other one has lost them before. */
async function customKind(send: Send, round: number, counts: RealCounts): Promise<void> {
  const group = `kind${round}.example.com`;
  await send({
    method: 'POST',
    path: '/apis/apiextensions.k8s.io/v1/customresourcedefinitions',
    body: definition(group, 'things', 'Thing'),
  });
  counts.definitions++;
  const before = `kind${round - 1}.example.com`;
  for (let each = 0; each < 5; each++)
    await send({
      method: 'POST',
      path: `/apis/${before}/v1/namespaces/soak-2/things`,
      body: { apiVersion: `${before}/v1`, kind: 'Thing', metadata: { name: `thing-${each}` } },
    });
  const last = `kind${round - 2}.example.com`;
  if (round % 2 === 1) await send({ method: 'DELETE', path: `/apis/${last}/v1/namespaces/soak-2/things` });
  await send({
    method: 'DELETE',
    path: `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.kind${round - 3}.example.com`,
  });
}

function definition(group: string, plural: string, kind: string): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, singular: kind.toLowerCase(), kind, listKind: `${kind}List` },
      versions: [
        {
          name: 'v1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  };
}
