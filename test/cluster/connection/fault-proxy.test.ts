/** The proxy that misbehaves on demand does so exactly as told, over HTTP/1.1 and HTTP/2, and else changes nothing. */
import { readFileSync } from 'node:fs';
import { Agent, fetch } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { eventually } from '../eventually.ts';

/** Nobody else makes any in this namespace; in kube-system the API server writes its own. */
const configMaps = '/api/v1/namespaces/default/configmaps';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined).each([true, false])(
  'the fault proxy (HTTP/2: %s)',
  allowH2 => {
    let cluster: Cluster;
    let proxy: FaultProxy;
    let dispatcher: Agent;
    beforeAll(async () => {
      cluster = await startControlPlane({
        components: ['etcd', 'kube-apiserver'],
        users: [{ name: 'admin-too', token: 'secret-token', groups: ['system:masters'] }],
      });
      const { ca, serving } = cluster.tls;
      proxy = await startFaultProxy({ upstream: cluster.server, upstreamCa: ca, certificate: serving });
      dispatcher = new Agent({ allowH2, connect: { ca: readFileSync(ca) }, bodyTimeout: 0 });
    });
    afterAll(async () => {
      await dispatcher.destroy();
      await proxy.stop();
      await cluster.stop();
    });
    const get = (path: string, accept = 'application/json') =>
      fetch(`${proxy.url}${path}`, {
        dispatcher,
        headers: { authorization: 'Bearer secret-token', accept },
      });

    it('passes requests and answers on', async () => {
      // Some are made only now.
      await eventually(async () => {
        const through = (await (await get('/api/v1/namespaces')).json()) as { items: unknown[] };
        const direct = await cluster.api.json<{ items: unknown[] }>({ path: '/api/v1/namespaces' });
        expect(through.items).toEqual(direct.items);
      });
      expect(
        await cluster.kubectl([
          'get',
          'ns',
          `--kubeconfig=${await cluster.kubeconfig('admin-too', proxy.url)}`,
        ]),
      ).toContain('kube-system');
    });

    it('answers with an error so many times and then no more', async () => {
      const rule = proxy.addRule({
        match: /namespaces$/,
        fault: { kind: 'status', status: 429, retryAfter: 1 },
        times: 2,
      });
      const answers = [await get('/api/v1/namespaces'), await get('/api/v1/namespaces')];
      expect(answers.map(answer => [answer.status, answer.headers.get('retry-after')])).toEqual([
        [429, '1'],
        [429, '1'],
      ]);
      expect((await get('/api/v1/namespaces')).status).toBe(200);
      expect(rule.hits).toBe(2);
    });

    it('breaks a body off in the middle until the rule is lifted', async () => {
      const rule = proxy.addRule({ match: /clusterroles/, fault: { kind: 'cut', afterBytes: 1000 } });
      const path = '/apis/rbac.authorization.k8s.io/v1/clusterroles';
      await expect(get(path).then(answer => answer.text())).rejects.toThrow();
      rule.lift();
      expect(await (await get(path)).text()).toContain('cluster-admin');
    });

    it('answers with bytes that mean nothing', async () => {
      const rule = proxy.addRule({ match: /secrets/, fault: { kind: 'garbage', bytes: 100 } });
      const answer = await get('/api/v1/secrets');
      rule.lift();
      expect(answer.status).toBe(200);
      expect((await answer.arrayBuffer()).byteLength).toBe(100);
    });

    const createConfigMap = (name: string) =>
      cluster.kubectl(['create', 'configmap', name, '--namespace=default']);

    /** A watch from now on, and the proxy's hold on it. */
    async function startWatch() {
      const list = await cluster.api.json<{ metadata: { resourceVersion: string } }>({ path: configMaps });
      const answer = await get(`${configMaps}?watch=1&resourceVersion=${list.metadata.resourceVersion}`);
      const exchange = proxy.exchanges(/watch=1/).at(-1) ?? expect.unreachable('no watch under way');
      return { answer, exchange, reader: (answer.body ?? expect.unreachable('no body')).getReader() };
    }

    it('stalls a running watch without ending it', async () => {
      const { exchange, reader } = await startWatch();
      await createConfigMap('before');
      const first = await reader.read();
      expect(Buffer.from(first.value as Uint8Array).toString()).toContain('"name":"before"');
      exchange.stall();
      await createConfigMap('after');
      const silence = new Promise(resolve => setTimeout(() => resolve('silence'), 500));
      const read = reader.read();
      expect(await Promise.race([read, silence])).toBe('silence');
      exchange.cut();
      await expect(read).rejects.toThrow();
    });

    it('ends a running watch with the event that asks for a new list', async () => {
      const { exchange, reader } = await startWatch();
      exchange.sendGone();
      const { value } = await reader.read();
      const event = JSON.parse(Buffer.from(value as Uint8Array).toString()) as {
        type: string;
        object: { code: number };
      };
      expect([event.type, event.object.code]).toEqual(['ERROR', 410]);
      expect((await reader.read()).done).toBe(true);
    });

    it('breaks every connection at once', async () => {
      const { reader } = await startWatch();
      proxy.cutEverything();
      await expect(reader.read()).rejects.toThrow();
      expect((await get('/api/v1/namespaces')).status).toBe(200);
    });
  },
);
