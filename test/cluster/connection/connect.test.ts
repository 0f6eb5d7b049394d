/** The connection and discovery against a real API server, from kubeconfigs as kubectl uses them. */

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTransport } from '../../../src/kube/auth/http-transport.ts';
import { resolveConnection } from '../../../src/kube/config/resolve-connection.ts';
import { Discovery } from '../../../src/kube/discovery/discovery.ts';
import type { Transport } from '../../../src/kube/transport/transport.ts';
import { ServerWarnings, withWarnings } from '../../../src/kube/transport/warnings.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import type { ConnectionFlags } from '../../../src/source/connection-flags.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { minorNumber, testedVersion } from '../../harness/processes/versions.ts';
import { eventually } from '../eventually.ts';

const crd = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, singular: widget, kind: Widget, shortNames: [wd]}
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
  - {name: v1beta1, served: true, storage: false, schema: {openAPIV3Schema: {type: object}}}
`;

const deadApiService = `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.example.com}
spec:
  group: metrics.example.com
  version: v1beta1
  groupPriorityMinimum: 100
  versionPriority: 100
  insecureSkipTLSVerify: true
  service: {name: nobody, namespace: default}
`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)(
  'a connection to a real API server',
  () => {
    let cluster: Cluster;
    let folder: string;
    const open: Transport[] = [];

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), 'gc-tree-connect-'));
      cluster = await startControlPlane({
        nodes: 0,
        components: ['etcd', 'kube-apiserver'],
        users: [{ name: 'viewer', token: 'viewer-token', groups: ['readers'] }],
      });
    });
    afterAll(async () => {
      await Promise.all(open.map(transport => transport.close()));
      await cluster?.stop();
      await rm(folder, { recursive: true, force: true });
    });

    const connect = (kubeconfig: string, flags: ConnectionFlags = {}): Transport => {
      const transport = createTransport(resolveConnection({ kubeconfig, ...flags }, process.env));
      open.push(transport);
      return transport;
    };
    const read = async (transport: Transport, path: string): Promise<string> => {
      const { body } = await transport.request({ method: 'GET', path });
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      return Buffer.concat(chunks).toString();
    };
    /** Whom the API server takes us for. */
    const whoami = async (transport: Transport) => {
      const { status, body } = await transport.request({
        method: 'POST',
        path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
      });
      const chunks: Uint8Array[] = [];
      for await (const chunk of body) chunks.push(chunk);
      if (status !== 201) return { status };
      const { userInfo } = JSON.parse(Buffer.concat(chunks).toString()).status;
      return { status, user: userInfo.username, groups: userInfo.groups, uid: userInfo.uid };
    };

    it('is let in by token, by client certificate and by exec plugin', async () => {
      expect(await whoami(connect(await cluster.kubeconfig('viewer')))).toMatchObject({ user: 'viewer' });
      const certificate = await cluster.certificateKubeconfig('cert-user', { groups: ['cert-group'] });
      expect(await whoami(connect(certificate))).toMatchObject({
        user: 'cert-user',
        groups: expect.arrayContaining(['cert-group']),
      });
      const plugin = join(folder, 'plugin');
      const apiVersion = 'client.authentication.k8s.io/v1';
      const answer = JSON.stringify({
        apiVersion,
        kind: 'ExecCredential',
        status: { token: 'viewer-token' },
      });
      await writeFile(plugin, `#!/bin/sh\necho '${answer}'\n`, { mode: 0o700 });
      const config = join(folder, 'exec');
      await writeFile(
        config,
        JSON.stringify({
          'current-context': 'a',
          clusters: [
            { name: 'a', cluster: { server: cluster.server, 'certificate-authority': cluster.tls.ca } },
          ],
          users: [
            { name: 'a', user: { exec: { apiVersion, command: './plugin', interactiveMode: 'Never' } } },
          ],
          contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
        }),
      );
      expect(await whoami(connect(config))).toMatchObject({ user: 'viewer' });
    });

    it('acts as somebody else with all that --as, --as-group and --as-uid say', async () => {
      const transport = connect(await cluster.kubeconfig(), {
        as: 'jane',
        asGroup: ['dev', 'qa'],
        asUid: '7',
      });
      expect(await whoami(transport)).toMatchObject({
        user: 'jane',
        uid: '7',
        groups: expect.arrayContaining(['dev', 'qa']),
      });
    });

    it('with credentials that expired or are wrong is refused in words', async () => {
      const expired = await cluster.certificateKubeconfig('late', { expired: true });
      for (const transport of [
        connect(expired),
        connect(await cluster.kubeconfig(), { token: 'wrong-token' }),
      ]) {
        const message = await new Discovery(transport)
          .refresh()
          .then(String, (error: Error) => error.message);
        expect(message).toMatch(/refused the credentials \(401\)|refused the client certificate/);
        expect(message).not.toContain('wrong-token');
      }
    });

    // No older server counts it as outdated.
    it.runIf(minorNumber(testedVersion()) >= 33)(
      'is warned of an outdated kind where it changes one, and not where it reads every kind',
      async () => {
        const warnings = new ServerWarnings();
        const transport = withWarnings(connect(await cluster.kubeconfig()), warnings);
        const ask = async (method: 'GET' | 'DELETE', name: string): Promise<void> => {
          const path = `/api/v1/namespaces/default/endpoints${name}`;
          const { body } = await transport.request({ method, path });
          for await (const _ of body);
        };
        await ask('GET', '');
        expect(warnings.lines).toEqual([]);
        await ask('DELETE', '/none');
        await ask('DELETE', '/none');
        expect(warnings.lines).toEqual([
          'v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice',
        ]);
      },
    );

    it('gets a large list compressed where it asks for that', async () => {
      await cluster.apply(
        Array.from(
          { length: 40 },
          (_, i) =>
            `{apiVersion: v1, kind: ConfigMap, metadata: {name: large-${i}, namespace: default}, data: {x: ${'y'.repeat(8_000)}}}`,
        ).join('\n---\n'),
      );
      const path = '/api/v1/namespaces/default/configmaps';
      const plain = await read(connect(await cluster.kubeconfig()), path);
      const asked = resolveConnection({ kubeconfig: await cluster.kubeconfig() }, process.env);
      const compressing = createTransport({ ...asked, compression: true });
      open.push(compressing);
      const encodings: unknown[] = [];
      const note = (message: unknown): void => {
        // As they came over HTTP/2.
        const { headers } = (message as { response: { headers: Record<string, unknown> } }).response;
        encodings.push(headers['content-encoding']);
      };
      subscribe('undici:request:headers', note);
      const compressed = await read(compressing, path).finally(() =>
        unsubscribe('undici:request:headers', note),
      );
      // The version of a list is the whole cluster's, where something may have changed.
      const items = (text: string): unknown => (JSON.parse(text) as { readonly items: unknown }).items;
      expect(items(compressed)).toEqual(items(plain));
      expect(encodings).toEqual(['gzip']);
      expect(plain.length).toBeGreaterThan(300_000);
    });

    it('finds the types that kubectl finds', async () => {
      const { types, failedGroups, serverVersion } = await new Discovery(
        connect(await cluster.kubeconfig()),
      ).refresh();
      expect(serverVersion).toBe(testedVersion().version);
      expect(failedGroups).toEqual([]);
      const kubectl = await cluster.kubectl(['api-resources', '--no-headers', '--output=name']);
      const ours = types
        .filter(type => type.preferred)
        .map(type => (type.group === '' ? type.resource : `${type.resource}.${type.group}`));
      expect(ours.sort()).toEqual(kubectl.trim().split('\n').sort());
      expect(types.filter(ResourceType.isMonitored).some(type => type.resource === 'events')).toBe(false);
    });

    it('sees a CRD come and go, and a dead APIService, while the other types stay the same objects', async () => {
      const discovery = new Discovery(connect(await cluster.kubeconfig()));
      const before = await discovery.refresh();
      const pods = before.types.find(type => type.resource === 'pods');
      await cluster.apply(crd);
      await cluster.apply(deadApiService);
      await eventually(async () => {
        const { types, failedGroups, failedVersions } = await discovery.refresh();
        expect(types.filter(type => type.group === 'example.com')).toMatchObject([
          { version: 'v1', resource: 'widgets', singular: 'widget', shortNames: ['wd'], preferred: true },
          { version: 'v1beta1', resource: 'widgets', preferred: false },
        ]);
        expect(failedGroups).toEqual([
          { resource: '*.metrics.example.com', reason: 'its API server does not answer' },
        ]);
        expect([...failedVersions]).toEqual(['metrics.example.com/v1beta1']);
        expect(types.find(type => type.resource === 'pods')).toBe(pods);
      });
      await cluster.kubectl(['delete', 'crd/widgets.example.com', 'apiservice/v1beta1.metrics.example.com']);
      await eventually(async () => {
        const { types, failedGroups } = await discovery.refresh();
        expect(types).toEqual(before.types);
        expect(failedGroups).toEqual([]);
      });
    });

    it('breaks with the server, says so, and works again when the server does', async () => {
      const transport = connect(await cluster.kubeconfig());
      const discovery = new Discovery(transport);
      await discovery.refresh();
      const watches = await Promise.all(
        Array.from({ length: 120 }, () =>
          transport.request({ method: 'GET', path: '/api/v1/configmaps?watch=1' }),
        ),
      );
      expect(new Set(watches.map(watch => watch.status))).toEqual(new Set([200]));
      const ends = Promise.allSettled(
        watches.map(async ({ body }) => {
          for await (const _ of body);
        }),
      );
      await cluster.component('kube-apiserver').kill();
      expect((await ends).every(end => end.status === 'rejected')).toBe(true);
      await expect(discovery.refresh()).rejects.toThrow('connection refused; is the API server running');
      await cluster.component('kube-apiserver').start();
      await eventually(async () => expect((await discovery.refresh()).types.length).toBeGreaterThan(50));
    });
  },
);
