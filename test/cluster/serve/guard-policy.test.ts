/** Refusals by a policy of the guard on a real control plane. */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../eventually.ts';
import { runTool } from '../tool.ts';
import { GuardedCluster } from './guarded.ts';

const policy = `
apiVersion: gc-tree.dev/v1alpha1
kind: GuardPolicy
rules:
- {name: few-at-once, maxDeleted: 2, exceptGroups: [sre]}
- {name: production, namespaces: [prod], refuse: [stuck], exceptAnnotated: true}
`;

const world = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web, namespace: default}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {terminationGracePeriodSeconds: 1, containers: [{name: app, image: registry.example.com/app}]}
---
{apiVersion: v1, kind: Namespace, metadata: {name: prod}}
---
{apiVersion: v1, kind: ConfigMap, metadata: {name: held, namespace: prod, finalizers: [example.com/drain]}}
`;

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a guard with a policy', () => {
  let guarded: GuardedCluster;

  beforeAll(async () => {
    guarded = await GuardedCluster.start({ nodes: 1 });
    await guarded.cluster.apply(world);
    await eventually(async () => expect(await left()).toHaveLength(5));
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'policy-')), 'policy.yaml');
    writeFileSync(file, policy);
    const words = [...guarded.tls, `--guard-policy=${file}`];
    await guarded.ask(await guarded.startGuard(words), words);
    await eventually(() => expect(refusal('deploy/web')).resolves.toContain('few-at-once'));
  });
  afterAll(() => guarded?.stop());

  async function left(): Promise<string[]> {
    const { stdout } = await guarded.kubectl('get', 'deploy,rs,pods', '-o', 'name');
    return stdout.split('\n').filter(line => line !== '');
  }

  /** Returns what kubectl prints; rejects if the deletion isn't refused. */
  async function refusal(...words: readonly string[]): Promise<string> {
    const refused = await guarded.kubectl('delete', '--wait=false', ...words).then(
      () => undefined,
      (error: unknown) => (error as { readonly stderr: string }).stderr,
    );
    if (refused === undefined) throw new Error(`${words.join(' ')} was not refused`);
    return refused;
  }

  it('refuses a deletion and its dry run, says why, and deletes nothing', async () => {
    for (const words of [['deploy/web'], ['deploy/web', '--dry-run=server']]) {
      const said = await refusal(...words);
      expect(said).toContain('admission webhook "refusals.gc-tree.dev" denied the request: rule few-at-once');
      expect(said).toContain(
        '5 objects would be deleted, at most 2 may. To do it all the same, ask a member of sre.',
      );
      expect(said).toContain('Warning: Also deleted: ReplicaSet web-');
      expect(said).not.toContain('lets requests pass');
    }
    expect(await left()).toHaveLength(5);
  });

  it('is known to plan as a webhook that may refuse the request, and only that', async () => {
    const { stdout } = await runTool(['plan', 'delete', 'deploy/web', '-n', 'default'], {
      kubeconfig: await guarded.cluster.kubeconfig(),
    });
    const [doubt, ...others] = stdout.split('\n').filter(line => line.includes('lets requests pass'));
    expect(doubt).toContain(
      'refusals.gc-tree.dev) lets requests pass, such as DELETE of Deployment default/web:',
    );
    expect(others).toEqual([]);
  });

  it('is overridden by the annotation that it names', async () => {
    const held = ['cm/held', '-n', 'prod'];
    const said = await refusal(...held);
    expect(said).toContain('rule production');
    const [, annotation = ''] = /'(gc-tree\.dev\/allow-deletion=[^']+)'/u.exec(said) ?? [];
    await guarded.kubectl('annotate', '--overwrite', ...held, annotation.replace('REASON', 'on its way out'));
    await eventually(() => guarded.kubectl('delete', '--wait=false', ...held));
    expect(guarded.guard?.stderr()).toContain(
      'overridden by annotation, on its way out: 1 object would get stuck',
    );
    // Deleted again, it would get no more stuck.
    await guarded.kubectl('delete', '--wait=false', ...held);
  });

  it('never refuses what follows from a deletion', async () => {
    const group = ['--as=jo', '--as-group=sre', '--as-group=system:masters'];
    await guarded.kubectl('delete', '--wait=false', 'deploy/web', ...group);
    await eventually(async () => expect(await left()).toEqual([]));
    expect(await guarded.reviews('unasked')).toBe(0);
  });

  it('refuses nothing once it is gone', async () => {
    await guarded.cluster.apply(world);
    await eventually(async () => expect(await left()).toHaveLength(5));
    guarded.guard?.child.kill('SIGKILL');
    await eventually(() => guarded.kubectl('delete', 'deploy/web'));
    await eventually(async () => expect(await left()).toEqual([]));
  });

  it('is what the manifests deploy with the component guard-policy, and with a history', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'overlay-'));
    const deploy = path.relative(folder, path.join(import.meta.dirname, '..', '..', '..', 'deploy'));
    const components = ['guard', 'guard-policy', 'history'].map(each => `${deploy}/components/${each}`);
    writeFileSync(
      path.join(folder, 'kustomization.yaml'),
      `resources: [${deploy}/base]\ncomponents: [${components.join(', ')}]\n`,
    );
    const { stdout } = await guarded.kubectl('kustomize', '--load-restrictor=LoadRestrictionsNone', folder);
    const [, name = ''] = /^ {2}name: (gc-tree-guard-policy-\w+)$/mu.exec(stdout) ?? [];
    expect(stdout).toContain(`configMap:\n          name: ${name}`);
    expect(stdout).toContain(
      '- --guard\n        - --guard-policy=/policy/policy.yaml\n        - --history=/history/serve',
    );
    expect(stdout).toContain('name: refusals.gc-tree.dev');
    const applied = path.join(folder, 'built.yaml');
    writeFileSync(applied, stdout);
    await guarded.cluster.kubectl(['create', 'namespace', 'gc-tree']);
    await guarded.cluster.kubectl(['delete', 'validatingwebhookconfiguration', 'gc-tree-guard']);
    const { stdout: said } = await guarded.kubectl('apply', '--dry-run=server', '-f', applied);
    expect(said).toContain(`configmap/${name} created (server dry run)`);
    expect(said).toContain('statefulset.apps/gc-tree created (server dry run)');
  });
});
