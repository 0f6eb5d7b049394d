/**
 * `plan uninstall` beside real Helm: random charts, installed, changed and uninstalled. Every object has to end as
 * forecast, and the API server's audit log has to have the same deletions in the same order.
 * `GC_TREE_UNINSTALLS` sets the number of worlds.
 */
import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { inspect } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ObjectRef, Plan } from '../../../src/cli/documents/definitions.ts';
import { record, text } from '../../../src/model/json/json.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { otherPrograms } from '../../harness/processes/other-programs.ts';
import { guardFolder } from '../../harness/processes/watchdog.ts';
import { eventually, PATIENCE_MS } from '../eventually.ts';
import { runTool } from '../tool.ts';
import { RELEASE, type UninstallWorld, uninstallWorld } from './uninstall-world.ts';

const WORLDS = Number(process.env['GC_TREE_UNINSTALLS'] ?? 10);
const FIRST_SEED = Number(process.env['GC_TREE_UNINSTALLS_SEED'] ?? 1);
/** Worlds tested at the same time. */
const TOGETHER = 6;
/** A namespace that doesn't change for this long is at rest. */
const QUIET_MS = 2500;
/** Longer than any hook takes, unless a finalizer holds its object. */
const HELM_TIMEOUT = '40s';

const namespaced = [
  'api/v1/configmaps',
  'api/v1/secrets',
  'api/v1/services',
  'api/v1/serviceaccounts',
  'api/v1/pods',
  'api/v1/persistentvolumeclaims',
  'apis/apps/v1/deployments',
  'apis/apps/v1/replicasets',
  'apis/apps/v1/statefulsets',
  'apis/apps/v1/daemonsets',
  'apis/apps/v1/controllerrevisions',
  'apis/batch/v1/jobs',
  'apis/batch/v1/cronjobs',
  'apis/policy/v1/poddisruptionbudgets',
  'apis/networking.k8s.io/v1/networkpolicies',
  'apis/rbac.authorization.k8s.io/v1/roles',
  'apis/rbac.authorization.k8s.io/v1/rolebindings',
];

interface Live {
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly isDeleting: boolean;
}

interface Finished {
  readonly code: number;
  readonly output: string;
}

interface Deletion {
  readonly uid: string;
  readonly policy: string;
}

describe('plan uninstall beside helm uninstall', () => {
  const folder = mkdtempSync(join(tmpdir(), 'gc-tree-uninstall-'));
  guardFolder(folder);
  const log = join(folder, 'audit.log');
  let cluster: Cluster;
  let kubeconfig: string;
  let helm: string;

  beforeAll(async () => {
    ({ helm } = await otherPrograms('helm'));
    const policy = join(folder, 'policy.yaml');
    writeFileSync(
      policy,
      'apiVersion: audit.k8s.io/v1\nkind: Policy\nomitStages: [RequestReceived]\nrules:\n  - level: RequestResponse\n    verbs: [delete]\n  - level: None\n',
    );
    cluster = await startControlPlane({
      nodes: 2,
      users: [{ name: 'dev', token: 'dev-token', groups: ['devs'] }],
      apiServerFlags: [
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${log}`,
        '--audit-log-mode=blocking',
      ],
    });
    kubeconfig = await cluster.kubeconfig();
  });
  afterAll(() => cluster?.stop());

  /** Gives Helm a home of its own, since it remembers for hours which kinds a cluster serves. */
  function runHelm(world: UninstallWorld, home: string, words: readonly string[]): Promise<Finished> {
    const env = {
      PATH: process.env['PATH'] ?? '',
      HOME: join(folder, world.namespace, home),
      KUBECONFIG: kubeconfig,
    };
    return new Promise(resolve => {
      execFile(helm, [...words, '-n', world.namespace], { env }, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : 1, output: stdout + stderr });
      });
    });
  }

  async function list(path: string, of?: string): Promise<Live[]> {
    const { status, body } = await cluster.api.send({ path: `/${path}` });
    if (status === 404) return [];
    const { kind, items } = JSON.parse(body) as {
      kind: string;
      items: { metadata: Record<string, string> }[];
    };
    return items.flatMap(({ metadata: { name = '', uid = '', deletionTimestamp } }) =>
      of === undefined || name.includes(of)
        ? { kind: kind.replace(/List$/u, ''), name, uid, isDeleting: deletionTimestamp !== undefined }
        : [],
    );
  }

  async function state({ namespace, group }: UninstallWorld): Promise<Live[]> {
    const paths = [...namespaced, `apis/${group}/v1/widgets`, `apis/${group}/v1/gadgets`];
    const lists = paths.map(path => path.replace(/\/([^/]+)$/u, `/namespaces/${namespace}/$1`));
    const found = [
      ...(await Promise.all(lists.map(path => list(path)))),
      await list('apis/rbac.authorization.k8s.io/v1/clusterroles', namespace),
      await list('apis/apiextensions.k8s.io/v1/customresourcedefinitions', group),
    ];
    return found.flat();
  }

  async function quietState(world: UninstallWorld): Promise<Live[]> {
    let before = '';
    return eventually(async () => {
      const now = await state(world);
      const isQuiet = JSON.stringify(now) === before;
      before = JSON.stringify(now);
      if (!isQuiet) await sleep(QUIET_MS);
      expect(isQuiet).toBe(true);
      return now;
    });
  }

  async function install(world: UninstallWorld): Promise<void> {
    const { namespace, charts, added, dependents, changes, broken } = world;
    for (const [revision, files] of charts.entries()) {
      const chart = join(folder, namespace, `chart-${revision}`);
      for (const [file, content] of Object.entries(files)) {
        mkdirSync(dirname(join(chart, file)), { recursive: true });
        writeFileSync(join(chart, file), content);
      }
      const words =
        revision === 0 ? ['install', RELEASE, chart, '--create-namespace'] : ['upgrade', RELEASE, chart];
      const { code, output } = await runHelm(world, 'install', words);
      expect(code, `${namespace}: ${output}`).toBe(0);
    }
    if (added !== '') await eventually(() => cluster.apply(added));
    for (const { name, owner, blocks } of dependents) await addDependent(world, { name, owner, blocks });
    for (const words of changes) await cluster.kubectl(words).catch(() => undefined);
    const patch = '{"data": {"release": "JSUl"}}';
    if (broken !== undefined)
      await cluster.kubectl(['patch', 'secret', revisionName(broken), '-n', namespace, '-p', patch]);
  }

  function revisionName(revision: number): string {
    return `sh.helm.release.v1.${RELEASE}.v${revision}`;
  }

  async function addDependent(
    { namespace }: UninstallWorld,
    { name, owner, blocks }: UninstallWorld['dependents'][number],
  ): Promise<void> {
    const scope = owner.startsWith('ClusterRole/') ? [] : ['-n', namespace];
    const json = await cluster.kubectl(['get', owner, '-o', 'json', '--ignore-not-found', ...scope]);
    if (json === '') return;
    const { apiVersion, kind, metadata } = JSON.parse(json) as Record<string, string> & {
      readonly metadata: { readonly name: string; readonly uid: string };
    };
    const reference = {
      apiVersion,
      kind,
      name: metadata.name,
      uid: metadata.uid,
      blockOwnerDeletion: blocks,
    };
    await cluster.apply(
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name, namespace, ownerReferences: [reference] },
      }),
    );
  }

  /** Returns Helm's deletions of known objects, in order, from this byte of the log on: an upgrade deletes objects, too. */
  function deletionsIn(known: ReadonlyMap<string, Live>, begun: number): Deletion[] {
    return readFileSync(log)
      .subarray(begun)
      .toString()
      .split('\n')
      .slice(0, -1)
      .map(line => record(JSON.parse(line)))
      .filter(event => text(event['userAgent']).startsWith('Helm/'))
      .flatMap(event => {
        const response = record(event['responseObject']);
        const uid = text(record(response['details'])['uid']) || text(record(response['metadata'])['uid']);
        const policy = text(record(event['requestObject'])['propagationPolicy']);
        return known.has(uid) ? { uid, policy } : [];
      });
  }

  it(
    'forecasts what happens, and in which order',
    async () => {
      const open = Array.from({ length: WORLDS }, (_, i) => uninstallWorld(FIRST_SEED + i));
      const different: string[] = [];
      const outcomes: string[] = [];
      const uninstallNext = async (): Promise<void> => {
        for (let world = open.shift(); world !== undefined; world = open.shift()) {
          try {
            outcomes.push(await uninstallBeside(world));
          } catch (error) {
            different.push(`${world.namespace} ${world.flags.join(' ')}\n${inspect(error, { depth: 9 })}`);
          }
        }
      };
      await Promise.all(Array.from({ length: TOGETHER }, uninstallNext));
      expect(different.join('\n\n')).toBe('');
      expect(outcomes).toHaveLength(WORLDS);
    },
    3 * PATIENCE_MS + WORLDS * 10_000,
  );

  it('explains what a release holds, and what a user may not see', async () => {
    const namespace = 'explained';
    const document = (name: string) => `{apiVersion: v1, kind: ConfigMap, metadata: {name: ${name}}}`;
    const held = document('held').replace('}}', ', finalizers: [example.com/hold]}}');
    const world: UninstallWorld = {
      ...uninstallWorld(FIRST_SEED),
      namespace,
      charts: [
        {
          'Chart.yaml': 'apiVersion: v2\nname: web\nversion: 1.0.0\n',
          'templates/all.yaml': `${document('settings')}\n---\n${held}\n`,
        },
      ],
      added: '',
      dependents: [],
      changes: [['delete', 'configmap', 'held', '--wait=false', '-n', namespace]],
    };
    await install(world);
    const told = await runTool(['why', `helm/${RELEASE}`, '-n', namespace], { kubeconfig });
    expect(told.stdout).toContain('has 2 objects, 1 of them being deleted');
    expect(told.stdout.replaceAll(/\s+/gu, ' ')).toContain('held by finalizer example.com/hold');
    const other = await runTool(['plan', 'uninstall', 'wbe', '-n', namespace], { kubeconfig });
    expect([other.code, other.stderr]).toEqual([2, expect.stringContaining('Did you mean web?')]);
    const mayList = ['create', 'clusterrole', 'devs', '--verb=get,list,watch', '--resource=configmaps'];
    await cluster.kubectl(mayList);
    await cluster.kubectl(['create', 'clusterrolebinding', 'devs', '--clusterrole=devs', '--group=devs']);
    const forbidden = await eventually(async () => {
      const asked = ['plan', 'uninstall', RELEASE, '-n', namespace];
      const { code, stderr } = await runTool(asked, { kubeconfig: await cluster.kubeconfig('dev') });
      expect(stderr).toContain('not found in namespace explained: Helm keeps releases there, and secrets');
      return code;
    });
    expect(forbidden).toBe(2);
    await cluster.kubectl(['delete', 'clusterrole', 'devs']);
    await cluster.kubectl([...mayList.slice(0, -1), '--resource=secrets']);
    await eventually(async () => {
      const asked = ['why', `helm/${RELEASE}`, '-n', namespace];
      const { stdout } = await runTool(asked, { kubeconfig: await cluster.kubeconfig('dev') });
      expect(stdout.replaceAll(/\s+/gu, ' ')).toContain(
        "has 0 objects that can be seen. It is unknown if these exist, because they can't be seen: ConfigMap settings and ConfigMap held.",
      );
    });
  });

  async function uninstallBeside(world: UninstallWorld): Promise<Plan['outcome']> {
    await install(world);
    const before = await quietState(world);
    const words = [RELEASE, ...world.flags];
    const planned = await runTool(['plan', 'uninstall', ...words, '-n', world.namespace, '-o', 'json'], {
      kubeconfig,
    });
    expect(planned.code, planned.stderr).toBe(0);
    const plan = JSON.parse(planned.stdout) as Plan;
    const isHeld = plan.warnings.some(each => /Helm (?:first )?waits/u.test(each));
    const timeout = isHeld ? '6s' : HELM_TIMEOUT;
    const begun = statSync(log).size;
    const done = await runHelm(world, 'uninstall', ['uninstall', ...words, '--timeout', timeout]);
    try {
      // The collector and the API server take up to half a minute to notice new definitions.
      await eventually(async () => compare(plan, { before, after: await quietState(world), done, isHeld }));
      // The API server deletes Widgets with their definition, before or after Helm.
      const sent = before.filter(({ kind }) => kind !== 'Widget');
      compareOrder(plan, new Map(sent.map(each => [each.uid, each])), begun);
    } catch (error) {
      throw new Error(`${done.output}${JSON.stringify(plan.uninstall)}\n${plan.warnings.join('\n')}`, {
        cause: error,
      });
    }
    return plan.outcome;
  }

  interface Happened {
    readonly before: readonly Live[];
    readonly after: readonly Live[];
    readonly done: Finished;
    readonly isHeld: boolean;
  }

  function compare(plan: Plan, { before, after, done, isHeld }: Happened): void {
    const uids = (entries: readonly { readonly object: ObjectRef }[]): Set<string | undefined> =>
      new Set(entries.map(({ object }) => object.uid));
    const [deleted, terminating] = [uids(plan.deleted), uids(plan.terminating)];
    const uncertain = uids(plan.timingDependent);
    const now = new Map(after.map(each => [each.uid, each]));
    const ends = before.filter(({ uid }) => !uncertain.has(uid));
    const name = ({ kind, name: called }: Live): string => `${kind} ${called}`;
    const endOf = (isGone: boolean, isDeleting: boolean): string =>
      isGone ? 'deleted' : isDeleting ? 'terminating' : 'stays';
    expect(
      ends.map(each => `${name(each)}: ${endOf(!now.has(each.uid), now.get(each.uid)?.isDeleting === true)}`),
    ).toEqual(ends.map(each => `${name(each)}: ${endOf(deleted.has(each.uid), terminating.has(each.uid))}`));
    const { stops, hooks = [], kept = [] } = plan.uninstall ?? {};
    const isFailing = stops !== undefined || isHeld || hooks.some(({ end }) => end === 'fails');
    expect(done.code).toBe(isFailing ? 1 : 0);
    for (const { object } of kept) expect(now.has(object.uid ?? ''), `kept ${object.name}`).toBe(true);
    if (isFailing) return;
    const known = new Set(before.map(({ uid }) => uid));
    for (const { object, end, event } of hooks) {
      // The later of two hooks decides.
      if (
        event === 'pre-delete' &&
        hooks.some(each => each.event === 'post-delete' && each.object.name === object.name)
      )
        continue;
      const made = after.some(
        each => each.kind === object.kind && each.name === object.name && !known.has(each.uid),
      );
      expect(made, `hook ${object.name}`).toBe(end === 'stays');
    }
  }

  /** Helm sends the deletions of one kind at the same time, so that these have no order. */
  function compareOrder(plan: Plan, known: ReadonlyMap<string, Live>, begun: number): void {
    const runs = (deletions: readonly Deletion[]): string[][] => {
      const groups: { key: string; names: string[] }[] = [];
      for (const { uid, policy } of deletions) {
        const { kind = '', name = '' } = known.get(uid) ?? {};
        const key = `${kind} ${policy}`;
        if (groups.at(-1)?.key !== key) groups.push({ key, names: [] });
        groups.at(-1)?.names.push(`${kind} ${name} ${policy}`);
      }
      return groups.map(({ names }) => names.toSorted());
    };
    const planned = plan.steps
      .filter(
        ({ actor, object, status }) => actor === 'user' && status !== 404 && known.has(object.uid ?? ''),
      )
      .map(({ object, request = '' }) => ({
        uid: object.uid ?? '',
        policy: /propagationPolicy=(\w+)/u.exec(request)?.[1] ?? '',
      }));
    expect(runs(deletionsIn(known, begun))).toEqual(runs(planned));
  }
});
