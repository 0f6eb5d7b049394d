import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, test } from 'vitest';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import { folderOf } from '../../source/files/reading.ts';
import { command, type Setting, SmallSource } from '../console.ts';
import { schemaOf } from '../documents/schema.ts';
import { LastingDemo } from '../lasting-demo.ts';

const cluster = `
- {kind: Deployment, apiVersion: apps/v1, name: api}
- {kind: ReplicaSet, apiVersion: apps/v1, name: api-1, owners: [apps/v1 Deployment api c +b]}
- {kind: Pod, name: api-1-a, owners: [apps/v1 ReplicaSet api-1 c +b]}
- {kind: ConfigMap, name: settings}
- {kind: ConfigMap, name: abroad, namespace: infra}
- {kind: ConfigMap, name: other}
`;

const configMap = (name: string, more = ''): string =>
  `---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${name}${more}}\n`;
const api =
  '---\napiVersion: apps/v1\nkind: Deployment\nmetadata: {name: api, namespace: shop, uid: of-another-cluster}\n';

const run = (words: string, setting: Setting = {}) =>
  command(words, { source: new SmallSource(cluster), ...setting });

async function forecast(words: string, setting: Setting = {}): Promise<Plan> {
  const { out } = await run(`${words} -o json`, setting);
  return JSON.parse(out) as Plan;
}

const namesOf = ({ action }: Plan): string[] =>
  action.targets.map(({ namespace, name }) => `${namespace}/${name}`);

describe('plan delete -f', () => {
  test('is of the objects of the cluster that the files name, in the order of the files', async () => {
    const folder = folderOf({
      'b.yaml': api,
      'a.json': JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'settings' } }),
    });
    const plan = await forecast(`plan delete -f ${folder}`);
    expect(namesOf(plan)).toEqual(['shop/settings', 'shop/api']);
    expect(plan.basis.source).toBe('cluster');
    // The dependents are those of the cluster, and so are the uids.
    expect(plan.deleted.map(({ object }) => object.name).sort()).toEqual([
      'api',
      'api-1',
      'api-1-a',
      'settings',
    ]);
    expect(plan.deleted.some(({ object }) => object.uid === 'of-another-cluster')).toBe(false);
    const reversed = await forecast(`plan delete -f ${folder}/b.yaml -f ${folder}/a.json`);
    expect(namesOf(reversed)).toEqual(['shop/api', 'shop/settings']);
  });

  test('tells what the cluster doesn’t have, and fails as kubectl does, unless that is no matter', async () => {
    const file = `${folderOf({ 'all.yaml': `${configMap('settings')}${configMap('gone')}${configMap('gone', ', namespace: infra')}---\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: w}\n` })}/all.yaml`;
    const { out, err, exitCode } = await run(`plan delete -f ${file}`);
    expect(exitCode).toBe(1);
    expect(out).toContain('Deleting ConfigMap shop/settings');
    expect(err).toContain(`Warning: not in the cluster: ConfigMap shop/gone (${file}:6).`);
    expect(err).toContain(`Warning: not in the cluster: ConfigMap infra/gone (${file}:10).`);
    expect(err).toMatch(/Widget w \(.*all.yaml:14\), because it serves no kind Widget in example.com\/v1/u);
    // In a pull request each stands at its line, and in the summary of the job.
    const onGitHub = { env: { GITHUB_WORKSPACE: path.dirname(file) } };
    const annotated = await run(`plan delete -f ${file} -o github`, onGitHub);
    expect(annotated.out).toContain(
      '::warning file=all.yaml,line=6,title=kubectl gc-tree plan::not in the cluster: ConfigMap shop/gone.\n',
    );
    expect(annotated.out).toMatch(
      /^::warning file=all\.yaml,line=14,.*::not in the cluster: Widget w, because/mu,
    );
    expect((await run(`plan delete -f ${file} -o markdown`)).out).toContain(
      'not in the cluster: ConfigMap infra/gone.\n',
    );
    const plan = await forecast(`plan delete -f ${file}`);
    expect(plan.notFound).toEqual([
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'shop',
        name: 'gone',
        because: 'absent',
        source: { file, line: 6 },
      },
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        namespace: 'infra',
        name: 'gone',
        because: 'absent',
        source: { file, line: 10 },
      },
      {
        apiVersion: 'example.com/v1',
        kind: 'Widget',
        name: 'w',
        because: 'unserved',
        source: { file, line: 14 },
      },
    ]);
    const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(schemaOf('Plan'));
    expect(validate(plan), JSON.stringify(validate.errors)).toBe(true);
    expect((await run(`plan delete -f ${file} --ignore-not-found`)).exitCode).toBe(0);
  });

  test('finds an object by any version of its group, and none by a version that isn’t served', async () => {
    const folder = folderOf({ 'old.yaml': api.replace('apps/v1', 'apps/v1beta1') });
    const { err, exitCode } = await run(`plan delete -f ${folder}`);
    expect(err).toContain('because it serves no kind Deployment in apps/v1beta1');
    expect(exitCode).toBe(1);
  });

  test('refuses a namespace that differs from that of -n, and -A where none is named', async () => {
    const named = folderOf({ 'a.yaml': configMap('abroad', ', namespace: infra') });
    expect(await run(`plan delete -f ${named} -n shop`)).toMatchObject({
      exitCode: 2,
      out: '',
      err: expect.stringContaining('is in namespace infra by its manifest, and -n says shop') as string,
    });
    expect(namesOf(await forecast(`plan delete -f ${named} -n infra`))).toEqual(['infra/abroad']);
    const unnamed = folderOf({ 'a.yaml': configMap('abroad') });
    expect(namesOf(await forecast(`plan delete -f ${unnamed} -n infra`))).toEqual(['infra/abroad']);
    expect(await run(`plan delete -f ${unnamed} -A`)).toMatchObject({
      exitCode: 2,
      err: expect.stringContaining('names no namespace: say with -n in which') as string,
    });
  });

  test('reads folders in a folder with -R alone, and takes labels from the files', async () => {
    const folder = folderOf({
      'a.yaml': configMap('settings'),
      'sub/b.yaml': configMap('other', ', labels: {app: x}'),
    });
    expect(namesOf(await forecast(`plan delete -f ${folder}`))).toEqual(['shop/settings']);
    expect(namesOf(await forecast(`plan delete -R -f ${folder}`))).toEqual(['shop/settings', 'shop/other']);
    expect(namesOf(await forecast(`plan delete -R -l app=x -f ${folder}`))).toEqual(['shop/other']);
    // Nothing would be everything in scope.
    expect(await run(`plan delete -R -l app=y -f ${folder}`)).toMatchObject({ exitCode: 2, out: '' });
  });

  test('reads standard input, and lists', async () => {
    const stdin = JSON.stringify({
      apiVersion: 'v1',
      kind: 'List',
      items: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'other' } }],
    });
    expect(namesOf(await forecast('plan delete -f -', { stdin }))).toEqual(['shop/other']);
  });

  test('stays what it was where a target is named: files in place of a cluster', async () => {
    const folder = folderOf({ 'a.yaml': configMap('mine', ', namespace: shop') });
    const plan = await forecast(`plan delete cm/mine -f ${folder}`);
    expect(plan.basis.source).toBe('files');
    expect(plan.notFound).toBeUndefined();
  });

  test.each([
    ['--all', 'so --all would do nothing'],
    ['--field-selector metadata.name=a', 'doesn’t have the fields'],
    ['--closed-world', 'is about files in place of a cluster'],
    ['-k x', 'only one of -f or -k'],
  ])('refuses %s', async (flag, words) => {
    const { err, exitCode } = await run(
      `plan delete -f ${folderOf({ 'a.yaml': configMap('settings') })} ${flag}`,
    );
    expect(exitCode).toBe(2);
    expect(err.replaceAll(/\s+/gu, ' ').replaceAll("'", '’')).toContain(words);
  });

  test('fails where nothing is named, or not all of it can be read', async () => {
    for (const files of [
      {},
      { 'a.yaml': 'foo: bar\n' },
      { 'a.yaml': `${configMap('settings')}---\nkind: [` },
    ])
      expect(await run(`plan delete -f ${folderOf(files)}`)).toMatchObject({ exitCode: 2, out: '' });
  });
});

describe('delete -f', () => {
  const open: LastingDemo[] = [];
  afterEach(async () => {
    for (const each of open.splice(0)) await each.close();
  });

  test('deletes what the files name, and nothing where one of them isn’t there', async () => {
    const demo = new LastingDemo('policies-side-by-side');
    open.push(demo);
    const there = `${folderOf({ 'a.yaml': configMap('release-41') })}/a.yaml`;
    const gone = `${folderOf({ 'b.yaml': configMap('gone') })}/b.yaml`;
    const before = await demo.objects('ConfigMap');
    const refused = await demo.command(`delete -f ${there} -f ${gone} --cascade=orphan --yes`);
    expect(refused).toMatchObject({ exitCode: 2, out: '' });
    expect(refused.err).toContain('Nothing is deleted. With --ignore-not-found the others are.');
    expect(await demo.objects('ConfigMap')).toEqual(before);
    const done = await demo.command(
      `delete -f ${there} -f ${gone} --cascade=orphan --yes --ignore-not-found`,
    );
    expect(done.exitCode).toBe(0);
    expect(await demo.objects('ConfigMap')).toEqual(before.filter(each => each !== 'ConfigMap/release-41'));
  });

  test('takes files or a target, not both', async () => {
    const { err, exitCode } = await run(
      `delete cm/settings -f ${folderOf({ 'a.yaml': configMap('other') })} --yes`,
    );
    expect(exitCode).toBe(2);
    expect(err).toContain('-f names what to delete, and so does a target');
  });
});
