/**
 * Flux's kustomize-controller in a cluster, and Kustomizations for it to apply. Where its source-controller would have
 * fetched a source, a server of the test's own hands out the archive, and the source's status says so.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { parseDocument } from 'yaml';
import { type JsonRecord, list, record } from '../../../src/model/json/json.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { operatorProgram } from '../../harness/processes/operators.ts';
import { portOf } from '../../harness/processes/ports.ts';
import { eventually, PATIENTLY } from '../eventually.ts';
import { Operator } from './operator.ts';

export const FLUX = 'kustomize-controller';

/** Its definitions. */
export async function installFlux(cluster: Cluster): Promise<void> {
  const { manifests } = await operatorProgram(FLUX);
  await cluster.apply(
    manifests
      .split(/^---$/mu)
      .filter(each => each.includes('kind: CustomResourceDefinition'))
      .join('\n---\n'),
  );
  await cluster.kubectl(['wait', 'crd', '--all', '--for=condition=Established', PATIENTLY]);
}

/** The Deployment as it comes with the module, as `flux install` puts it into a namespace: with a ServiceAccount that may do all. */
export async function fluxManifests(namespace: string): Promise<string> {
  const { manifests } = await operatorProgram(FLUX);
  const deployment = manifests.split(/^---$/mu).find(each => each.includes('kind: Deployment'));
  if (deployment === undefined) throw new Error(`${FLUX} comes without a Deployment`);
  const document = parseDocument(deployment);
  document.setIn(['metadata', 'namespace'], namespace);
  document.setIn(['spec', 'template', 'spec', 'serviceAccountName'], FLUX);
  return `
apiVersion: v1
kind: ServiceAccount
metadata: {name: ${FLUX}, namespace: ${namespace}}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: cluster-reconciler-${namespace}}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: cluster-admin}
subjects: [{kind: ServiceAccount, name: ${FLUX}, namespace: ${namespace}}]
---
${document.toString()}`;
}

export async function runFlux(cluster: Cluster, namespace: string): Promise<Operator> {
  const { binary } = await operatorProgram(FLUX);
  return Operator.start({
    cluster,
    namespace,
    name: FLUX,
    binary,
    args: port => ['--watch-all-namespaces', '--metrics-addr=0', `--health-addr=127.0.0.1:${port}`],
    env: () => ({ RUNTIME_NAMESPACE: namespace }),
    readyPath: '/readyz',
  });
}

export interface Sources {
  /** A GitRepository with this content, fetched. */
  source(namespace: string, name: string, content: string): Promise<void>;
  close(): Promise<void>;
}

export async function serveSources(cluster: Cluster): Promise<Sources> {
  const folder = await mkdtemp(join(tmpdir(), 'gc-tree-sources-'));
  const archives = new Map<string, Buffer>();
  const server: Server = createServer(({ url = '' }, response) => {
    const archive = archives.get(url);
    response.writeHead(archive === undefined ? 404 : 200).end(archive);
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    source: async (namespace, name, content) => {
      await writeFile(join(folder, 'all.yaml'), content);
      const path = join(folder, 'archive.tar.gz');
      await promisify(execFile)('tar', ['-czf', path, '-C', folder, 'all.yaml']);
      const archive = await readFile(path);
      const digest = createHash('sha256').update(archive).digest('hex');
      const url = `/${namespace}/${name}/${digest}.tar.gz`;
      archives.set(url, archive);
      await cluster.apply(`
apiVersion: source.toolkit.fluxcd.io/v1
kind: GitRepository
metadata: {name: ${name}, namespace: ${namespace}}
spec: {interval: 1h, url: "https://git.example.com/${name}", ref: {branch: main}}
`);
      const status = {
        observedGeneration: 1,
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Succeeded',
            message: 'stored artifact',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
        artifact: {
          path: url.slice(1),
          url: `http://127.0.0.1:${portOf(server)}${url}`,
          revision: `main@sha1:${digest.slice(0, 40)}`,
          digest: `sha256:${digest}`,
          lastUpdateTime: '2026-01-01T00:00:00Z',
          size: archive.length,
        },
      };
      const patch = JSON.stringify({ status });
      const target = ['gitrepository', name, '-n', namespace];
      await cluster.kubectl(['patch', ...target, '--subresource=status', '--type=merge', '-p', patch]);
    },
    close: async () => {
      await new Promise(resolve => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A Kustomization of the source of its name; `spec` as YAML in one line beside what every one has. */
export function kustomization(namespace: string, name: string, spec = ''): string {
  return `
apiVersion: kustomize.toolkit.fluxcd.io/v1
kind: Kustomization
metadata: {name: ${name}, namespace: ${namespace}}
spec: {interval: 1h, path: ./, sourceRef: {kind: GitRepository, name: ${name}}, prune: true${spec}}
`;
}

/** Resolves once it has been applied. */
export async function applied(cluster: Cluster, namespace: string, name: string): Promise<void> {
  await eventually(async () => {
    const path = `/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/${namespace}/kustomizations/${name}`;
    const status = record((await cluster.api.json<JsonRecord>({ path }))['status']);
    expect(list(status['conditions'])).toContainEqual(
      expect.objectContaining({ type: 'Ready', status: 'True' }),
    );
  });
}
