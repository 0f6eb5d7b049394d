import { mkdtempSync, readFileSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { runCommandLine as runArgv } from '../../../../src/cli/run-command-line.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { deployment, nodes } from '../../../forecast/fixtures.ts';
import { folderOf } from '../../../source/files/reading.ts';
import { command, consoleFor, SmallSource } from '../../console.ts';
import { schemaOf } from '../../documents/schema.ts';

const shop = `${nodes}${deployment('api', 2)}
- {kind: ConfigMap, name: stray, owners: [v1 ConfigMap gone]}
- {kind: ConfigMap, name: a, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b], deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/hold]}
- {kind: ConfigMap, name: abroad, namespace: infra, owners: [v1 ConfigMap gone]}
`;

const run = (words: string, env: Readonly<Record<string, string>> = {}) =>
  command(words, { source: new SmallSource(shop), env });

interface Plan {
  readonly action: object;
  readonly outcome: string;
  readonly deleted: readonly { readonly object: { readonly name: string } }[];
}

async function json(words: string): Promise<Plan> {
  const { out, err, exitCode } = await run(`${words} -o json`);
  expect([err, exitCode]).toEqual(['', 0]);
  return JSON.parse(out) as Plan;
}

describe('plan', () => {
  test('tells of what hangs already only where the action is', async () => {
    expect((await run('plan delete deploy/api')).out).toContain(
      'ConfigMaps a, b: not affected, still terminating',
    );
    expect((await run('plan delete cm/abroad -n infra')).out).not.toContain('deleting before');
  });

  test('takes a deletion with kubectl’s words, the background being the default', async () => {
    expect((await json('plan delete deploy/api')).action).toMatchObject({
      verb: 'delete',
      cascade: 'background',
    });
    expect((await json('plan delete deployment api --cascade=orphan')).action).toMatchObject({
      cascade: 'orphan',
    });
    expect((await json('plan delete deploy/api --cascade=false')).action).toMatchObject({
      cascade: 'orphan',
    });
    expect((await json('plan delete deploy/api cm/stray')).action).toMatchObject({
      targets: [{ name: 'api' }, { name: 'stray' }],
    });
    expect((await json('plan delete pods --all')).action).toMatchObject({ targets: [{}, {}] });
    expect((await json('plan delete pods -l app=api')).action).toMatchObject({ targets: [{}, {}] });
  });

  test.each([
    // A dependent that blocks and is held keeps its owner.
    ['plan delete cm/a --cascade=foreground', 'stuck', 1],
    ['plan delete cm/stray', 'stuck', 0],
    ['plan delete pods -l app=api', 'recreated', 1],
    ['plan delete deploy/api', 'recreated', 0],
    ['plan delete ns/default', 'refused', 1],
    // One of two that is refused is one too many.
    ['plan delete ns/default cm/stray', 'refused', 1],
    ['plan delete cm/stray', 'refused', 0],
    ['plan delete pods -l app=api', 'stuck, Recreated', 1],
    ['plan delete pods -l app=api', 'stuck,refused', 0],
    ['plan', 'stuck', 1],
    ['plan -n infra', 'stuck', 0],
    ['plan restart', 'recreated', 0],
    ['plan delete pods -l app=api', 'count>1', 1],
    ['plan delete pods -l app=api', 'count>2', 0],
    ['plan delete pods -l app=api', 'count > 2, recreated', 1],
    ['plan', 'count>1', 1],
  ])('%s --fail-on="%s" ends with %i, and prints the same', async (words, conditions, exitCode) => {
    const source = () => new SmallSource(`${shop}- {kind: Namespace, name: default, namespace: ""}\n`);
    const plain = await command(words, { source: source() });
    expect([plain.exitCode, plain.err]).toEqual([0, '']);
    const { io, services, result } = consoleFor({ source: source() });
    const ended = await runArgv([...words.split(' '), `--fail-on=${conditions}`], io, services);
    expect([ended, result().out]).toEqual([exitCode, plain.out]);
    expect(result().err).toMatch(exitCode === 0 ? /^$/u : /^--fail-on=[a-z>\d ]+: .+\.\n$/iu);
  });

  test('no condition is ruled out by what was not seen', async () => {
    const secrets = builtInTypes.find(({ kind }) => kind === 'Secret');
    if (secrets === undefined) throw new Error('no type of Secrets');
    const blind = { type: secrets, state: 'blind', count: 0, facts: true, reason: '403' } as const;
    for (const condition of ['stuck', 'recreated', 'count>5', 'refused']) {
      const source = new SmallSource(shop, { statuses: [blind] });
      const { out, err, exitCode } = await command(`plan delete cm/stray --fail-on=${condition}`, { source });
      expect(exitCode).toBe(1);
      expect(out).toContain('these cannot be seen: secrets (403)');
      expect(err).toBe(
        `--fail-on=${condition}: cannot be ruled out, because not everything could be seen. The warnings of the forecast say what.\n`,
      );
    }
  });

  test('nor by what is not in the files, unless there is nothing else', async () => {
    const stdin = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: shop}\n';
    const words = 'plan delete cm/a -n shop -f - --fail-on=stuck';
    expect((await command(words, { stdin })).exitCode).toBe(1);
    expect((await command(`${words} --closed-world`, { stdin })).exitCode).toBe(0);
  });

  test('is told on GitHub, with the forecast in the summary of the job', async () => {
    const summary = path.join(mkdtempSync(path.join(tmpdir(), 'gc-tree-plan-')), 'summary.md');
    const words = 'plan delete cm/a --cascade=foreground -o github --fail-on=count>100 --fail-on=stuck';
    const { out, exitCode } = await run(words, { GITHUB_STEP_SUMMARY: summary });
    expect(exitCode).toBe(1);
    expect(out.split('\n')[0]).toBe(
      '::error title=kubectl gc-tree plan::--fail-on=stuck: something gets stuck.',
    );
    expect(out).toContain('::warning title=kubectl gc-tree plan::Deleting ConfigMap shop/a');
    const text = readFileSync(summary, 'utf8');
    expect(text).toMatch(/^### kubectl gc-tree plan\n\nDeleting ConfigMap shop\/a/u);
    expect((await run(words.replace('github', 'markdown'))).out).toBe(text);
  });

  test.each([
    [
      'plan delete cm/stray --fail-on=slow',
      '--fail-on: no slow. Choose stuck, depends, recreated, cascades, breaks, refused',
    ],
    ['plan delete cm/stray --fail-on=,', '--fail-on needs'],
    // What a shell makes of --fail-on=count>3.
    ['plan delete cm/stray --fail-on=count', "in quotes: --fail-on='count>20'"],
  ])('%s is wrong use', async (words, message) => {
    const { out, err, exitCode } = await run(words);
    expect([out, exitCode, err]).toEqual(['', 2, expect.stringContaining(message)]);
  });

  test('alone tells what happens if no user acts, in one namespace where one is named', async () => {
    const all = await json('plan');
    expect(all).toMatchObject({ action: { verb: 'none' }, outcome: 'Stuck' });
    expect(all.deleted.map(({ object }) => object.name)).toEqual(['abroad', 'stray']);
    const infra = await json('plan -n infra');
    expect(infra).toMatchObject({ outcome: 'Completes' });
    expect(infra.deleted.map(({ object }) => object.name)).toEqual(['abroad']);
  });

  test('forecasts a restart', async () => {
    expect(await json('plan restart')).toMatchObject({ action: { verb: 'restart', targets: [] } });
  });

  test('advice comes with the command that shows more of it, on the same cluster', async () => {
    const waiting = `
- {kind: Namespace, name: old, namespace: '', uid: old, deletionTimestamp: "2026-11-21T08:00:00Z", spec: {finalizers: [kubernetes]}, status: {phase: Terminating, conditions: [{type: NamespaceDeletionDiscoveryFailure, status: "True", message: failed}]}}
- {kind: APIService, name: v1beta1.metrics.k8s.io, namespace: '', spec: {group: metrics.k8s.io, version: v1beta1, service: {namespace: infra, name: metrics}}, status: {conditions: [{type: Available, status: "False", reason: ServiceNotFound}]}}`;
    const { out } = await command('why ns/old -o wide --context prod', { source: new SmallSource(waiting) });
    expect(out).toContain('kubectl --context prod describe apiservice v1beta1.metrics.k8s.io\n');
  });

  test('forecasts a remedy', async () => {
    const freed = await json('plan unblock cm/a --remedy clear-block/configmap/b');
    expect(freed).toMatchObject({
      action: { verb: 'unblock', remedy: 'clear-block/configmap/b' },
      outcome: 'Completes',
    });
  });

  test('prints YAML and the names of what is deleted', async () => {
    const yaml = await run('plan delete deploy/api -o yaml');
    expect(parse(yaml.out)).toMatchObject({ apiVersion: 'gc-tree.dev/v1alpha1', kind: 'Plan' });
    const { out } = await run('plan delete deploy/api -o name');
    expect(out.split('\n')).toContain('replicaset.apps/api-h');
  });

  test('takes the taint that declares a node out of service with kubectl’s words, and its short name', async () => {
    const source = `${nodes}${deployment('api', 1)}`;
    const taint = async (words: string): Promise<object> => {
      const { out, err, exitCode } = await command(`plan taint ${words} -o json`, {
        source: new SmallSource(source),
      });
      expect([err, exitCode]).toEqual(['', 0]);
      return (JSON.parse(out) as Plan).action;
    };
    const key = 'node.kubernetes.io/out-of-service';
    const usual = { key, value: 'nodeshutdown', effect: 'NoExecute' };
    const node = [{ kind: 'Node', name: 'node-2' }];
    for (const words of [
      'node/node-2 out-of-service',
      'nodes node-2 out-of-service',
      `no node-2 ${key}`,
      `node/node-2 ${key}=nodeshutdown:NoExecute`,
      `node/node-2 ${key}=nodeshutdown`,
    ])
      expect(await taint(words)).toMatchObject({ verb: 'taint', taint: usual, targets: node });
    expect(await taint(`node/node-2 ${key}:NoSchedule`)).toHaveProperty('taint', {
      key,
      effect: 'NoSchedule',
    });
    expect(await taint('nodes node-1 node-2 out-of-service')).toMatchObject({
      targets: [{ name: 'node-1' }, { name: 'node-2' }],
    });
    expect(await taint('nodes --all out-of-service')).toMatchObject({ targets: [{}, {}] });
  });

  test('prints the command that sets the taint', async () => {
    const { out } = await run('plan taint node/node-2 out-of-service');
    expect(out).toContain(
      'Equivalent: kubectl taint nodes node-2 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute',
    );
  });

  test('a refused deletion is a forecast too', async () => {
    const source = new SmallSource('- {kind: Namespace, name: kube-system}');
    const { out, exitCode } = await command('plan delete ns/kube-system', { source });
    expect(exitCode).toBe(0);
    expect(out).toMatch(/^Deleting Namespace kube-system in the background is refused\.\n/);
  });

  test('judges files as of the moment that they were written', async () => {
    const folder = folderOf({
      'cluster.yaml': `
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: shop, finalizers: [orphan], deletionTimestamp: "2026-11-21T10:00:00Z"}`,
    });
    const seconds = Date.parse('2026-11-21T10:00:05Z') / 1000;
    utimesSync(path.join(folder, 'cluster.yaml'), seconds, seconds);
    const planned = async (): Promise<string> =>
      (await command(`plan --closed-world -f ${folder} -o json`)).out;
    const then = await planned();
    expect(JSON.parse(then)).toMatchObject({
      basis: { takenAt: '2026-11-21T10:00:05Z' },
      deleted: [{ object: { name: 'a' } }],
      warnings: [],
    });
    // An hour later nobody can be at work on it any more.
    utimesSync(path.join(folder, 'cluster.yaml'), seconds + 3600, seconds + 3600);
    expect(await planned()).toContain('The garbage collector seems not to be running');
  });

  test('works on a scenario', async () => {
    const { out, exitCode } = await command('plan delete deploy/api --cascade=orphan --demo shop');
    expect(exitCode).toBe(0);
    expect(out).toContain('Equivalent: kubectl delete deployment/api -n shop --cascade=orphan');
  });

  test.each([
    [
      'plan deploy/api',
      '"deploy/api" is no action. Write plan delete TARGET, plan unblock TARGET, plan taint node/NAME out-of-service, plan drain node/NAME, plan uninstall helm/RELEASE, plan restart, or plan alone.',
    ],
    ['plan delete', 'name what to delete: plan delete TYPE/NAME, TYPE -l LABELS or TYPE --all.'],
    ['plan delete pods', 'write pods/NAME, or select with -l or --all.'],
    ['plan delete deploy/apo', 'deployment "apo" not found in namespace shop. Did you mean api?'],
    ['plan delete deploy/api --cascade=all', '--cascade: no all. Choose background, foreground or orphan.'],
    ['plan delete po/api-h-0 --grace-period=x', '--grace-period: x is no number of seconds.'],
    ['plan restart deploy/api', 'plan restart takes no target.'],
    ['plan --cascade=orphan', '--cascade works only with plan delete and plan uninstall.'],
    ['plan delete deploy/api --remedy x', '--remedy works only with plan unblock.'],
    [
      'plan unblock',
      'name the object and the remedy: plan unblock TARGET --remedy ID. why TARGET lists the remedies.',
    ],
    [
      'plan unblock deploy/api --remedy redelete/background',
      'Deployment api has no remedy "redelete/background"; omit --remedy to list them.',
    ],
    ['plan taint node/node-1', 'name the nodes and then the taint: plan taint node/NAME out-of-service.'],
    [
      'plan taint out-of-service',
      'name the nodes in front of the taint: plan taint node/NAME out-of-service.',
    ],
    [
      'plan taint nodes out-of-service',
      'name the nodes, or select them with -l or --all: plan taint node/NAME out-of-service.',
    ],
    [
      'plan taint node/node-1 dedicated=gpu:NoSchedule',
      'only the taint node.kubernetes.io/out-of-service is forecast, and "dedicated=gpu:NoSchedule" is another: plan taint node/NAME out-of-service.',
    ],
    [
      'plan taint node/node-1 node.kubernetes.io/out-of-service-',
      "node.kubernetes.io/out-of-service- takes a taint off, which isn't forecast. To set the one that is: plan taint node/NAME out-of-service.",
    ],
    [
      'plan taint node/node-1 out-of-service:Never',
      'no taint has the effect "Never". Choose NoExecute, NoSchedule, PreferNoSchedule.',
    ],
    [
      'plan taint node/node-1 out-of-service=a/b:NoExecute',
      'a taint\'s value has at most 63 letters, digits, dots, dashes and underscores, and "a/b" doesn\'t fit.',
    ],
    [
      'plan taint node/node-1 out-of-service dedicated:NoSchedule',
      'one taint is forecast at a time: plan taint node/NAME out-of-service.',
    ],
    [
      'plan taint deploy/api out-of-service',
      'Deployment api is no node, and only nodes have taints: plan taint node/NAME out-of-service.',
    ],
    ['plan taint node/none out-of-service', 'node "none" not found.'],
    [
      'plan taint node/node-1 out-of-service --cascade=orphan',
      '--cascade works only with plan delete and plan uninstall.',
    ],
    ['plan restart --force', '--grace-period and --force go with plan delete and plan drain.'],
    ['plan delete deploy/api --ignore-daemonsets', '--ignore-daemonsets works only with plan drain.'],
    ['plan drain', 'name the nodes, or select them with -l: plan drain node/NAME.'],
    ['plan drain none', 'node "none" not found.'],
    ['plan drain deploy/api', 'Deployment api is no node, and only nodes are drained: plan drain node/NAME.'],
    [
      'plan drain node-1 --pod-selector==',
      'cannot read the selector "=". Write app=web, app!=web, app, !app, app in (a,b) or app notin (a,b).',
    ],
    ['plan drain node-1 --grace-period=soon', '--grace-period: soon is no number of seconds.'],
    ['plan --watch', "--watch can't be combined with plan."],
  ])('%s is wrong use', async (words, message) => {
    const { out, err, exitCode } = await run(words);
    expect(err).toBe(`kubectl gc-tree: ${message}\n`);
    expect([out, exitCode]).toEqual(['', 2]);
  });
});

describe('plan drain', () => {
  const pods = `${nodes}${deployment('api', 2)}
- {kind: Pod, name: bare, labels: {app: api}, spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}
- {kind: PodDisruptionBudget, name: guard, spec: {selector: {matchLabels: {app: api}}}, status: {disruptionsAllowed: 0, currentHealthy: 3, desiredHealthy: 3, expectedPods: 3}}`;
  const drain = (words: string) => command(`plan drain node-1 ${words}`, { source: new SmallSource(pods) });

  test('follows its schema, and names the budget of each pod', async () => {
    const { out } = await drain('--force -o json');
    const document = JSON.parse(out) as Plan & { readonly drainedPods: unknown };
    const validate = new Ajv2020({ strict: false }).compile(schemaOf('Plan'));
    expect(validate(document), JSON.stringify(validate.errors)).toBe(true);
    expect(document).toMatchObject({
      action: { verb: 'drain', targets: [{ kind: 'Node', name: 'node-1' }] },
      outcome: 'Stuck',
      kubectl: 'kubectl drain node-1 --force',
    });
    expect(document.drainedPods).toContainEqual(
      expect.objectContaining({
        node: 'node-1',
        fate: 'Refused',
        budget: expect.objectContaining({ name: 'guard' }),
      }),
    );
  });

  test.each([
    ['refused', '', 'a request is refused'],
    ['refused', '--force', 'a request is refused'],
    ['stuck', '--force', 'something gets stuck'],
    ['count>2', '--force', '3 objects are deleted'],
  ])('fails with --fail-on=%s and %s', async (condition, flags, because) => {
    const { err, exitCode } = await drain(`${flags} --fail-on=${condition}`);
    expect(err).toBe(`--fail-on=${condition}: ${because}.\n`);
    expect(exitCode).toBe(1);
  });

  test('passes if nothing is refused', async () => {
    const { err, exitCode } = await drain('--force --disable-eviction --fail-on=refused,stuck,depends');
    expect([err, exitCode]).toEqual(['', 0]);
  });
});
