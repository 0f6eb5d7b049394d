/**
 * Whatever becomes of the guard in the midst of a thousand deletions, none fails because of it; and it never answers with
 * the forecast of a cluster that a restored etcd has taken back.
 */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ApiClient } from '../../harness/api-client.ts';
import { issueCertificate } from '../../harness/certificates.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { type Balancer, startBalancer } from '../../harness/processes/balancer.ts';
import { freePorts } from '../../harness/processes/ports.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually } from '../eventually.ts';
import type { RunningTool } from '../tool.ts';
import { GuardedCluster } from './guarded.ts';

const DELETIONS = Number(process.env['GC_TREE_GUARD_DELETIONS'] ?? 1_000);
/** Deletions under way at once; kubectl deletes several objects in a row. */
const CLIENTS = 8;
const OBJECTS_OF_KUBECTL = 10;
const CONFIG_MAPS = '/api/v1/namespaces/default/configmaps';
const PREVIEW = 'Preview: kubectl gc-tree plan delete configmap/owner -n default';

interface Fault {
  readonly harm: () => Promise<unknown> | void;
  readonly mend: () => Promise<unknown> | void;
}

const objectNamed = (name: string, owner?: string): object => ({
  metadata: {
    name,
    ...(owner !== undefined && {
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner }],
    }),
  },
});

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a guard, during deletions', () => {
  let guarded: GuardedCluster;
  let proxy: FaultProxy;
  let balancer: Balancer;
  let api: ApiClient;
  /** Ports that the webhook's URL leads to. */
  const replicas: number[] = [];

  beforeEach(async () => {
    guarded = await GuardedCluster.start({ components: ['etcd', 'kube-apiserver'] });
    const { ca, serving } = guarded.cluster.tls;
    proxy = await startFaultProxy({ upstream: guarded.cluster.server, upstreamCa: ca, certificate: serving });
    ({ api } = guarded.cluster);
    replicas.splice(0);
    balancer = await startBalancer(replicas);
    const { uid } = await created(CONFIG_MAPS, objectNamed('owner'));
    await created(CONFIG_MAPS.replace('configmaps', 'secrets'), objectNamed('child', uid));
  });
  afterEach(async () => {
    balancer?.stop();
    await proxy?.stop();
    await guarded?.stop();
  });

  async function created(place: string, body: object): Promise<{ readonly uid: string }> {
    const { metadata } = await api.json<{ readonly metadata: { readonly uid: string } }>({
      method: 'POST',
      path: place,
      body,
    });
    return metadata;
  }

  /** Starts one that follows the cluster through the proxy. */
  async function startReplica(
    tls = guarded.tls,
  ): Promise<{ readonly tool: RunningTool; readonly port: number }> {
    const kubeconfig = await guarded.cluster.kubeconfig(undefined, proxy.url);
    const port = Number(new URL(await guarded.startGuard(tls, kubeconfig)).port);
    if (guarded.guard === undefined) throw new Error('no guard');
    return { tool: guarded.guard, port };
  }

  const leadTo = (...ports: readonly number[]): void => {
    replicas.splice(0, replicas.length, ...ports);
    balancer.cut();
  };

  const warned = (child = 'child'): Promise<unknown> =>
    eventually(async () =>
      expect(await guarded.warningsFor('cm/owner')).toEqual([`Also deleted: Secret ${child}`, PREVIEW]),
    );

  async function populate(count: number, prefix: string): Promise<string[]> {
    const names = Array.from({ length: count }, (_, index) => `${prefix}-${index}`);
    const open = [...names];
    const worker = async (): Promise<void> => {
      for (let name = open.pop(); name !== undefined; name = open.pop())
        await created(CONFIG_MAPS, objectNamed(name));
    };
    await Promise.all(Array.from({ length: CLIENTS }, worker));
    return names;
  }

  /**
   * Deletes an object, again where no API server answers. Returns what was refused, which an absent object isn't: etcd may
   * have been restored after its deletion.
   */
  async function deletePersistently(name: string): Promise<string[]> {
    const path = `${CONFIG_MAPS}/${name}`;
    const { status, body } = await eventually(async () => {
      const answer = await api.send({ method: 'DELETE', path, timeout: 5_000 });
      if (answer.status >= 500 && !answer.body.includes('webhook')) throw new Error(answer.body);
      return answer;
    });
    return status === 200 || status === 404 ? [] : [`${status} ${body}`];
  }

  /** Deletes all of them, and breaks something as soon as a quarter is deleted. Returns what failed. */
  async function deleteAll(names: readonly string[], harm: Fault['harm']): Promise<string[]> {
    const open = [...names];
    const failed: string[] = [];
    let harming: Promise<unknown> | undefined;
    const next = (count: number): string[] => {
      if (open.length <= (3 * names.length) / 4) harming ??= Promise.resolve(harm());
      return open.splice(0, count);
    };
    const kubectl = async (): Promise<void> => {
      for (let batch = next(OBJECTS_OF_KUBECTL); batch.length > 0; batch = next(OBJECTS_OF_KUBECTL)) {
        await harming;
        await guarded
          .kubectl('delete', '--wait=false', ...batch.map(name => `configmap/${name}`))
          .catch((error: unknown) => failed.push(String(error)));
      }
    };
    const client = async (): Promise<void> => {
      for (let [name] = next(1); name !== undefined; [name] = next(1)) {
        await harming;
        const { status, body } = await api.send({ method: 'DELETE', path: `${CONFIG_MAPS}/${name}` });
        if (status !== 200) failed.push(`${status} ${body}`);
      }
    };
    await Promise.all([kubectl(), ...Array.from({ length: CLIENTS - 1 }, client)]);
    expect(harming).toBeDefined();
    return failed;
  }

  async function left(prefix: string): Promise<string[]> {
    const { items } = await api.json<{ readonly items: readonly { metadata: { name: string } }[] }>({
      path: CONFIG_MAPS,
    });
    return items.map(({ metadata }) => metadata.name).filter(name => name.startsWith(`${prefix}-`));
  }

  it(`is killed, cut off, slow, expired and behind, and none of ${DELETIONS} fails`, async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'guard-'));
    const { certificate, key } = await issueCertificate(folder, 'expired', {
      extensions: ['subjectAltName=IP:127.0.0.1'],
      days: -1,
    });
    const expired = await startReplica(['--tls-cert-file', certificate, '--tls-private-key-file', key]);
    const [closed = 0] = await freePorts(1);
    let { tool, port } = await startReplica();
    leadTo(port);
    await guarded.ask(balancer.server);
    const faults: Record<string, Fault> = {
      killed: {
        harm: () => void tool.child.kill('SIGKILL'),
        mend: async () => {
          ({ tool, port } = await startReplica());
          leadTo(port);
        },
      },
      unreachable: { harm: () => leadTo(closed), mend: () => leadTo(port) },
      slow: { harm: () => void tool.child.kill('SIGSTOP'), mend: () => void tool.child.kill('SIGCONT') },
      expired: { harm: () => leadTo(expired.port), mend: () => leadTo(port) },
      'cut-off': {
        harm: () => {
          proxy.addRule({ match: /./u, fault: { kind: 'status', status: 503 } });
          proxy.cutEverything();
        },
        mend: () => proxy.liftRules(),
      },
      // Its watches are silent, so that it doesn't hear of changes.
      behind: {
        harm: async () => {
          for (const exchange of proxy.exchanges(/watch=/u)) exchange.stall();
          // Some are deleted meanwhile.
          await guarded.kubectl('label', 'configmaps', '--all', 'changed=now').catch(() => {});
        },
        mend: () => proxy.cutEverything(),
      },
    };
    const each = Math.ceil(DELETIONS / Object.keys(faults).length);
    for (const [fault, { harm, mend }] of Object.entries(faults)) {
      await warned();
      expect(await deleteAll(await populate(each, fault), harm), fault).toEqual([]);
      expect(await left(fault), fault).toEqual([]);
      await eventually(async () => expect(await guarded.warningsFor('cm/owner'), fault).toEqual([]));
      await mend();
    }
    expect(await guarded.reviews('behind')).toBeGreaterThan(each / 2);
    await warned();
  });

  it('is one of two replicas, and the other one answers', async () => {
    const [first, second] = [await startReplica(), await startReplica()];
    leadTo(first.port, second.port);
    await guarded.ask(balancer.server);
    await warned();
    const names = await populate(Math.ceil(DELETIONS / 10), 'replicated');
    expect(await deleteAll(names, () => void first.tool.child.kill('SIGKILL'))).toEqual([]);
    expect(await left('replicated')).toEqual([]);
    // A Service does the same with an address that isn't ready.
    leadTo(second.port);
    await warned();
    for (let times = 0; times < 10; times += 1)
      expect(await guarded.warningsFor('cm/owner')).toEqual([`Also deleted: Secret child`, PREVIEW]);
  });

  it('never answers for a cluster that a restored etcd has taken back', async () => {
    const { cluster } = guarded;
    const { port } = await startReplica();
    leadTo(port);
    await guarded.ask(balancer.server);
    const names = await populate(Math.ceil(DELETIONS / 4), 'restored');
    await warned();
    const folder = mkdtempSync(path.join(tmpdir(), 'guard-'));
    guardFolder(folder);
    const backup = path.join(folder, 'etcd');
    await cluster.backUpEtcd(backup);
    await guarded.kubectl('delete', 'secret/child');
    const owner = await guarded.kubectl('get', 'cm/owner', '-o', 'jsonpath={.metadata.uid}');
    await created(CONFIG_MAPS.replace('configmaps', 'secrets'), objectNamed('newcomer', owner.stdout));
    await warned('newcomer');

    let restoring: Promise<void> | undefined;
    const refused: string[] = [];
    const open = [...names];
    const worker = async (): Promise<void> => {
      for (let name = open.shift(); name !== undefined; name = open.shift()) {
        if (open.length < (3 * names.length) / 4) restoring ??= cluster.restoreEtcd(backup);
        refused.push(...(await deletePersistently(name)));
      }
    };
    const deleting = Promise.all(Array.from({ length: CLIENTS }, worker));
    const said = new Set<string>();
    await eventually(() => expect(restoring).toBeDefined());
    await restoring;
    // Both clusters have the owner, at the same version.
    await eventually(async () => {
      const warnings = await guarded.warningsFor('cm/owner');
      said.add(warnings.join('; '));
      expect(warnings.join('; ')).toContain('child');
    });
    await deleting;
    expect(refused).toEqual([]);
    expect([...said].filter(each => each !== '')).toEqual([`Also deleted: Secret child; ${PREVIEW}`]);
    for (const name of await left('restored')) expect(await deletePersistently(name)).toEqual([]);
    expect(await left('restored')).toEqual([]);
  });
});
