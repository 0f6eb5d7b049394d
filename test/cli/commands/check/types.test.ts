/** `check --include-types` and `--exclude-types`: findings on other types don't count. */
import { describe, expect, test } from 'vitest';
import { command, SmallSource } from '../../console.ts';

const cluster = `
- { kind: Namespace, name: shop, namespace: "" }
- { kind: Deployment, name: web }
- { kind: ReplicaSet, name: web-5d, owners: [apps/v1 Deployment gone gone +c] }
- { kind: ConfigMap, name: settings, owners: [apps/v1 Deployment legacy] }`;

const run = (words: string) => command(`check ${words}`, { source: new SmallSource(cluster) });
const columns = '-o custom-columns=NAME:.object.name --no-headers';

describe('check with types', () => {
  test.each([
    ['-n shop', ['settings', 'web-5d'], 1, ''],
    ['-n shop --include-types cm', ['settings'], 1, '3 objects of hidden types.\n'],
    ['-n shop --exclude-types configmaps,Deployment', ['web-5d'], 1, '2 objects of hidden types.\n'],
    ['-n shop --include-types deploy,ns', [], 0, '2 objects of hidden types.\n'],
    ['cm/settings -n shop --exclude-types cm --ignore-not-found', [], 0, '1 object of hidden types.\n'],
  ])('%s', async (words, names, code, said) => {
    const { out, err, exitCode } = await run(`${words} ${columns}`);
    expect(out.split('\n').filter(Boolean).sort()).toEqual(names);
    expect([exitCode, err]).toEqual([code, said]);
  });

  test.each([
    ['--include-types nosuch', /doesn't have a resource type "nosuch"/u],
    ['--exclude-types po,', /empty type/u],
  ])('%s is refused', async (words, message) => {
    const { err, exitCode } = await run(`-n shop ${words}`);
    expect(err).toMatch(message);
    expect(exitCode).toBe(2);
  });
});
