/**
 * Finalizers taken off the spec of a Namespace on a real control plane: what is forecast comes true, nothing else of the
 * Namespace changes, and that of the namespace controller goes only where nothing is left in it.
 */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { actionRun } from '../../../src/actions/run/action-run.ts';
import type { ActionResult } from '../../../src/cli/documents/definitions.ts';
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import { offeredRemedies } from '../../../src/diagnosis/offers/offered-remedies.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { eventually } from '../eventually.ts';
import { runTool, type ToolResult } from '../tool.ts';
import { type Actor, openActor } from './acting.ts';

interface Namespace {
  readonly metadata: {
    readonly labels?: unknown;
    readonly annotations?: unknown;
    readonly finalizers?: unknown;
  };
  readonly spec: { readonly finalizers?: readonly string[] };
}

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('a Namespace that is finalized', () => {
  let cluster: Cluster;
  let kubeconfig: string;
  let state: string;
  let actor: Actor | undefined;

  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'gc-tree-finalize-'));
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    kubeconfig = await cluster.kubeconfig();
  });
  afterEach(async () => {
    await actor?.close();
    actor = undefined;
  });
  afterAll(async () => {
    await cluster?.stop();
    rmSync(state, { recursive: true, force: true });
  });

  const tool = (...args: readonly string[]): Promise<ToolResult> =>
    runTool(args, { kubeconfig, env: { XDG_STATE_HOME: state, GC_TREE_READ_ONLY: undefined } });
  async function read(name: string): Promise<Namespace | undefined> {
    const answer = await cluster.kubectl(['get', 'namespace', name, '--ignore-not-found', '-o', 'json']);
    return answer === '' ? undefined : (JSON.parse(answer) as Namespace);
  }
  const make = (metadata: object, finalizers: readonly string[]) =>
    cluster.api.json({
      method: 'POST',
      path: '/api/v1/namespaces',
      body: { apiVersion: 'v1', kind: 'Namespace', metadata, spec: { finalizers } },
    });
  const remove = (name: string) => cluster.kubectl(['delete', 'namespace', name, '--wait=false']);

  it('loses one finalizer of its spec and nothing else, and goes with the last', async () => {
    await make(
      {
        name: 'audited',
        labels: { team: 'shop' },
        annotations: { note: 'keep me' },
        finalizers: ['example.com/hold'],
      },
      ['example.com/audit', 'example.org/copy'],
    );
    await remove('audited');
    await eventually(async () =>
      expect((await read('audited'))?.spec.finalizers).toEqual(['example.com/audit', 'example.org/copy']),
    );
    const before = await read('audited');
    const one = await tool(
      'unblock',
      'ns/audited',
      '--remedy',
      'finalize/example.com/audit',
      '--yes',
      '-o',
      'json',
    );
    expect(one.stderr).not.toContain('kubectl gc-tree:');
    const result = JSON.parse(one.stdout) as ActionResult;
    expect(result.result).toMatchObject({ state: 'reached' });
    expect(result.objects).toMatchObject([{ observed: 'asForecast', object: { name: 'audited' } }]);
    const after = await read('audited');
    expect(after?.spec.finalizers).toEqual(['example.org/copy']);
    expect(after?.metadata.annotations).toEqual({ note: 'keep me' });
    expect(after?.metadata.labels).toEqual(before?.metadata.labels);
    expect(after?.metadata.finalizers).toEqual(['example.com/hold']);

    expect(
      (await tool('unblock', 'ns/audited', '--remedy', 'remove-finalizer/example.com/hold', '--yes')).stderr,
    ).not.toContain('kubectl gc-tree:');
    const last = await tool('unblock', 'ns/audited', '--remedy', 'finalize/example.org/copy', '--yes');
    expect(last.code).toBe(0);
    expect(await read('audited')).toBeUndefined();
  });

  it('is asked for nothing that would leave something behind', async () => {
    await cluster.kubectl(['create', 'namespace', 'full']);
    await cluster.apply(
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: held, namespace: full, finalizers: [example.com/hold]}\n',
    );
    await remove('full');
    const { code, stderr } = await tool('unblock', 'ns/full', '--remedy', 'finalize/kubernetes', '--yes');
    expect(code).toBe(2);
    expect(stderr).toContain('has no remedy');
    expect((await read('full'))?.spec.finalizers).toEqual(['kubernetes']);
  });

  it('goes where only an API that cannot be discovered kept it', async () => {
    await cluster.apply(`
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: {name: v1beta1.metrics.example.com}
spec: {group: metrics.example.com, version: v1beta1, groupPriorityMinimum: 100, versionPriority: 100, insecureSkipTLSVerify: true, service: {namespace: monitoring, name: metrics}}`);
    await make({ name: 'waiting', annotations: { note: 'gone with it' } }, []);
    await remove('waiting');
    await eventually(async () =>
      expect(JSON.stringify(await read('waiting'))).toContain('NamespaceDeletionDiscoveryFailure'),
    );
    actor = await openActor({ kubeconfig, folder: join(state, 'journal') });
    const { view } = actor;
    await actor.until(({ failedGroups }) => failedGroups.length > 0);
    // Its controller has had its time by then.
    const later = (): number => Date.now() + 10 * 60_000;
    const target = await actor.find('Namespace', '', 'waiting');
    const remedy = offeredRemedies.byId(diagnoseCluster(view, later()), target, 'finalize/kubernetes');
    expect(remedy?.title).toContain('metrics.example.com');
    if (remedy === undefined) return;
    const prepared = actionRun.prepare(
      { verb: 'unblock', target, remedy },
      { view, now: later, secretData: false },
    );
    expect(prepared.confirmation).toMatchObject({ kind: 'typed', word: 'waiting' });
    const ended = await actionRun.perform(
      prepared,
      actor.ports({
        now: later,
        remedyFor: (...asked) => offeredRemedies.byId(diagnoseCluster(view, later()), ...asked),
      }),
    );
    expect(ended).toMatchObject({ state: 'reached', taken: 1 });
    expect(await read('waiting')).toBeUndefined();
    await cluster.kubectl(['delete', 'apiservice', 'v1beta1.metrics.example.com']);
  });
});
