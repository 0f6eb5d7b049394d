import { readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { deployment, nodes } from '../forecast/fixtures.ts';
import { folderOf } from '../source/files/reading.ts';
import { command, SmallSource } from './console.ts';

const shop = `${nodes}${deployment('api', 2)}
- {kind: ConfigMap, name: stray, owners: [v1 ConfigMap gone]}
- {kind: ConfigMap, name: a, deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [foregroundDeletion]}
- {kind: ConfigMap, name: b, owners: [v1 ConfigMap a a +b], deletionTimestamp: "2026-11-21T11:48:00Z", finalizers: [example.com/hold]}
- {kind: ConfigMap, name: abroad, namespace: infra, owners: [v1 ConfigMap gone]}
`;

const run = (words: string) => command(words, { source: new SmallSource(shop) });

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
      'ConfigMaps a, b: deleting before, and still held',
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

  test('alone tells what happens if nobody acts, in one namespace where one is named', async () => {
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

  test('lists the remedies, and forecasts one', async () => {
    const { out, exitCode } = await run('plan unblock cm/a');
    expect(exitCode).toBe(0);
    expect(out).toContain(
      'kubectl gc-tree plan unblock configmap/a -n shop --remedy clear-block/configmap/b',
    );
    const names = await run('plan unblock cm/a -o name');
    expect(names.out.split('\n')[0]).toBe('clear-block/configmap/b');
    const listed = await run('plan unblock cm/a -o json');
    const schema = new URL('../../src/documents/schema/remedy-list.schema.json', import.meta.url);
    const validate = new Ajv2020({ strict: false }).compile(
      JSON.parse(readFileSync(schema, 'utf8')) as object,
    );
    expect(validate(JSON.parse(listed.out)), JSON.stringify(validate.errors)).toBe(true);
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
    expect(out).toContain('Equivalent: kubectl delete deployment api -n shop --cascade=orphan');
  });

  test.each([
    [
      'plan deploy/api',
      '"deploy/api" is no action. Write plan delete TARGET, plan unblock TARGET, plan taint node/NAME out-of-service, plan restart, or plan alone.',
    ],
    ['plan delete', 'name what to delete: plan delete TYPE/NAME, TYPE -l LABELS or TYPE --all.'],
    ['plan delete pods', 'name one of the pods, or select them with -l or --all.'],
    ['plan delete deploy/apo', 'deployment "apo" not found in namespace shop. Did you mean api?'],
    ['plan delete pods -l app=none', 'no object is selected, so there is nothing to plan.'],
    ['plan delete deploy/api --cascade=all', '--cascade: no all. Choose background, foreground or orphan.'],
    ['plan delete po/api-h-0 --grace-period=x', '--grace-period: x is no number of seconds.'],
    ['plan restart deploy/api', 'plan restart takes no target.'],
    ['plan --cascade=orphan', '--cascade, --grace-period and --force go with plan delete.'],
    ['plan delete deploy/api --remedy x', '--remedy goes with plan unblock.'],
    ['plan unblock', 'name the object to unblock: plan unblock TARGET [--remedy ID].'],
    [
      'plan unblock deploy/api --remedy redelete/background',
      'Deployment api gives no cause for the remedy "redelete/background". Leave --remedy out to see the remedies there are.',
    ],
    ['plan delete deploy/api -o dot', "a plan can't be drawn as dot. Use -o text, wide, json, yaml or name."],
    ['plan --watch', 'a plan is made once: leave --watch out.'],
  ])('%s is wrong use', async (words, message) => {
    const { out, err, exitCode } = await run(words);
    expect(err).toBe(`kubectl gc-tree: ${message}\n`);
    expect([out, exitCode]).toEqual(['', 2]);
  });
});
