/**
 * Programs that delete beside a guard: kubectl drain, Helm, Flux' kustomize-controller and the engine of Argo CD. Without
 * a rule nothing is refused; with one, each reports it.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { writeKubeconfig } from '../../harness/kubeconfig.ts';
import { withoutOperators } from '../../harness/processes/operators.ts';
import { otherPrograms } from '../../harness/processes/other-programs.ts';
import { eventually } from '../eventually.ts';
import { oneDeployment } from '../manifests.ts';
import {
  applied,
  fluxManifests,
  installFlux,
  kustomization,
  runFlux,
  serveSources,
} from '../operators/flux.ts';
import { settled } from '../settled.ts';
import { GuardedCluster } from './guarded.ts';

/** Nothing is refused in `free`, and all that takes something else along in `kept`. */
const namespaces = ['free', 'kept'] as const;
type Namespace = (typeof namespaces)[number];

const rule = 'gc-tree.dev/guard={maxDeleted: 1, exceptAnnotated: true}';
const refusal =
  'admission webhook "refusals.gc-tree.dev" denied the request: annotation gc-tree.dev/guard of Namespace kept:';

const pod = (namespace: Namespace): string => `
{apiVersion: v1, kind: Pod, metadata: {name: bare, namespace: ${namespace}}, spec: {nodeName: node-1, terminationGracePeriodSeconds: 1, containers: [{name: app, image: registry.example.com/app}]}}`;

const why = await withoutOperators();

interface Finished {
  readonly failed: boolean;
  readonly said: string;
}

describe.skipIf(why !== undefined)('beside a guard', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'pipelines-'));
  let guarded: GuardedCluster;

  beforeAll(async () => {
    guarded = await GuardedCluster.start({ nodes: 1 });
    for (const each of namespaces) await guarded.kubectl('create', 'namespace', each);
    await guarded.kubectl('annotate', 'namespace', 'kept', rule);
    const file = path.join(folder, 'policy.yaml');
    writeFileSync(file, 'apiVersion: gc-tree.dev/v1alpha1\nkind: GuardPolicy\nnamespaceAnnotations: true\n');
    const words = [...guarded.tls, `--guard-policy=${file}`];
    await guarded.ask(await guarded.startGuard(words), words);
    for (const each of namespaces) await guarded.cluster.apply(`${oneDeployment('asked', each)}`);
    await eventually(async () => {
      const dryRun = ['delete', 'deploy/asked', '-n', 'kept', '--dry-run=server'];
      expect((await run('kubectl', dryRun)).said).toContain(refusal);
    });
  });
  afterAll(() => guarded?.stop());

  async function run(
    program: string,
    words: readonly string[],
    { kubeconfig, input = '' }: { readonly kubeconfig?: string; readonly input?: string } = {},
  ): Promise<Finished> {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: folder,
      KUBECONFIG: kubeconfig ?? (await guarded.cluster.kubeconfig()),
    };
    const file = program === 'kubectl' ? guarded.program : program;
    return new Promise(resolve => {
      const child = execFile(file, words, { env }, (error, stdout, stderr) =>
        resolve({ failed: error !== null, said: stdout + stderr }),
      );
      child.stdin?.end(input);
    });
  }

  /** Returns objects whose names begin with this. */
  async function left(kinds: string, namespace: Namespace, prefix: string): Promise<string[]> {
    const { stdout } = await guarded.kubectl('get', kinds, '-n', namespace, '-o', 'name');
    return stdout.split('\n').filter(line => line.includes(`/${prefix}`));
  }

  it('kubectl drain evicts the others, and names the refused pod, until that is annotated', async () => {
    for (const each of namespaces) {
      await guarded.cluster.apply(pod(each));
      const { stdout: uid } = await guarded.kubectl(
        'get',
        'pod/bare',
        '-n',
        each,
        '-o',
        'jsonpath={.metadata.uid}',
      );
      await guarded.cluster.apply(
        `{apiVersion: v1, kind: Secret, metadata: {name: of-bare, namespace: ${each}, ownerReferences: [{apiVersion: v1, kind: Pod, name: bare, uid: ${uid}}]}}`,
      );
    }
    const words = ['drain', 'node-1', '--force', '--pod-selector=!app', '--timeout=60s'];
    // It takes a moment until the guard knows the Secret.
    await eventually(async () =>
      expect((await run('kubectl', [...words, '--dry-run=server'])).said).toContain(refusal),
    );
    const refused = await run('kubectl', words);
    expect(refused.said).toContain('Warning: Also deleted: Secret of-bare');
    expect(refused.said).toContain(
      `error when evicting pods/"bare" -n "kept": ${refusal} 2 objects would be deleted`,
    );
    await eventually(async () => expect(await left('pods', 'free', 'bare')).toEqual([]));
    expect(await left('pods', 'kept', 'bare')).toEqual(['pod/bare']);
    const [, annotation = ''] = /'(gc-tree\.dev\/allow-deletion=[^']+)'/u.exec(refused.said) ?? [];
    await guarded.kubectl(
      'annotate',
      'pod/bare',
      '-n',
      'kept',
      annotation.replace('REASON', 'node is repaired'),
    );
    await eventually(async () => {
      const { failed, said } = await run('kubectl', words);
      expect([failed, said]).toEqual([false, expect.stringContaining('node/node-1 drained')]);
    });
    expect(guarded.guard?.stderr()).toContain('overridden by annotation, node is repaired');
    await guarded.kubectl('uncordon', 'node-1');
  });

  it('helm uninstall deletes the release, or reports what was refused', async () => {
    const { helm } = await otherPrograms('helm');
    const chart = path.join(folder, 'chart');
    mkdirSync(path.join(chart, 'templates'), { recursive: true });
    writeFileSync(path.join(chart, 'Chart.yaml'), 'apiVersion: v2\nname: web\nversion: 1.0.0\n');
    writeFileSync(
      path.join(chart, 'templates', 'web.yaml'),
      oneDeployment('web', '{{ .Release.Namespace }}'),
    );
    for (const each of namespaces) {
      expect((await run(helm, ['install', 'web', chart, '-n', each])).failed).toBe(false);
      await settled(guarded.cluster, each);
    }
    const done = await run(helm, ['uninstall', 'web', '-n', 'free']);
    expect(done.said).toContain('Warning: Also deleted: ReplicaSet web-');
    expect([done.failed, done.said]).toEqual([false, expect.stringContaining('release "web" uninstalled')]);
    await eventually(async () => expect(await left('deploy,rs,pods', 'free', 'web')).toEqual([]));
    const refused = await run(helm, ['uninstall', 'web', '-n', 'kept', '--debug']);
    expect([refused.failed, refused.said]).toEqual([
      true,
      expect.stringContaining('failed to delete release: web'),
    ]);
    expect(refused.said).toContain(`${refusal} 3 objects would be deleted, at most 1 may.`);
    expect(await left('deploy', 'kept', 'web')).toEqual(['deployment.apps/web']);
  });

  it("Flux' kustomize-controller prunes, or reports what was refused", async () => {
    const { cluster } = guarded;
    const sources = await serveSources(cluster);
    await installFlux(cluster);
    await guarded.kubectl('create', 'namespace', 'flux-system');
    await cluster.apply(await fluxManifests('flux-system'));
    await settled(cluster, 'flux-system');
    const flux = await runFlux(cluster, 'flux-system');
    try {
      for (const each of namespaces) {
        await sources.source('flux-system', each, oneDeployment('pruned', each));
        await cluster.apply(kustomization('flux-system', each));
        await applied(cluster, 'flux-system', each);
        await settled(cluster, each);
        await guarded.kubectl('delete', 'kustomization', each, '-n', 'flux-system', '--wait=false');
      }
      await eventually(async () => expect(await left('deploy', 'free', 'pruned')).toEqual([]));
      await eventually(async () => {
        const events = ['get', 'events', '-n', 'flux-system', '-o', 'jsonpath={.items[*].message}'];
        const { stdout } = await guarded.kubectl(...events);
        expect(stdout).toContain('pruning for deleted resource failed');
      });
      expect(await left('deploy', 'kept', 'pruned')).toHaveLength(1);
      const until = new Date(Date.now() + 3_600_000).toISOString();
      const allowed = `gc-tree.dev/allow-deletion=${until} moved to another cluster`;
      await guarded.kubectl('annotate', 'deploy/pruned', '-n', 'kept', allowed);
      await eventually(async () => expect(await left('deploy', 'kept', 'pruned')).toEqual([]));
    } finally {
      await flux.stop();
      await sources.close();
    }
  });

  it("Argo CD's engine prunes in the foreground, or reports what was refused", async () => {
    const { cluster } = guarded;
    const account = 'argocd-application-controller';
    const program = (await otherPrograms('argocd'))['argocd'];
    await guarded.kubectl('create', 'namespace', 'argocd');
    await guarded.kubectl('create', 'serviceaccount', account, '-n', 'argocd');
    const subject = `--serviceaccount=argocd:${account}`;
    await guarded.kubectl('create', 'clusterrolebinding', 'argocd', '--clusterrole=cluster-admin', subject);
    const { stdout: token } = await guarded.kubectl('create', 'token', account, '-n', 'argocd');
    const kubeconfig = await writeKubeconfig(path.join(folder, 'argocd.yaml'), {
      server: cluster.server,
      ca: cluster.tls.ca,
      user: account,
      credentials: { token: token.trim() },
    });
    const sync = (namespace: Namespace, manifests: string): Promise<Finished> =>
      run(program, [namespace, namespace], { kubeconfig, input: manifests });
    for (const each of namespaces) {
      expect((await sync(each, oneDeployment('synced', each))).said).toContain('Deployment/');
      await settled(cluster, each);
    }
    const pruned = await sync('free', '');
    expect([pruned.failed, pruned.said]).toEqual([false, expect.stringMatching(/synced Pruned pruned/u)]);
    await eventually(async () => expect(await left('deploy,rs,pods', 'free', 'synced')).toEqual([]));
    const refused = await sync('kept', '');
    expect([refused.failed, refused.said]).toEqual([true, expect.stringContaining(refusal)]);
    expect(await left('deploy', 'kept', 'synced')).toHaveLength(1);
  });

  it('has failed at none of these answers', async () => {
    expect(await guarded.reviews('refused')).toBeGreaterThan(4);
    expect(await guarded.reviews('failed')).toBe(0);
  });
});
