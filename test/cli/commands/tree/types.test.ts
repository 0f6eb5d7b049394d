/** `tree --include-types` and `--exclude-types`: what they leave out is said. */
import { describe, expect, test } from 'vitest';
import { command, SmallSource } from '../../console.ts';

const cluster = `
- { kind: Namespace, name: shop, namespace: "" }
- { kind: Deployment, name: web }
- { kind: ReplicaSet, name: web-5d, owners: [apps/v1 Deployment web web +c] }
- { kind: Pod, name: web-5d-x, owners: [apps/v1 ReplicaSet web-5d web-5d +c] }
- { kind: ConfigMap, name: settings }`;

function run(words: string) {
  return command(`tree ${words}`, { source: new SmallSource(cluster) });
}

async function rows(words: string): Promise<readonly string[]> {
  const { out, err, exitCode } = await run(`${words} --no-headers`);
  expect(exitCode).toBe(0);
  return [
    ...out
      .trimEnd()
      .split('\n')
      .map(line => line.replace(/ {3,}.*\d+m/u, ' |').trimEnd()),
    err,
  ];
}

describe('tree with types', () => {
  test.each([
    [
      '-n shop --include-types deploy,Pod',
      [
        'Deployment shop/web |   1 dependent of hidden types',
        'Pod shop/web-5d-x |   owned by ReplicaSet web-5d',
        '2 objects of hidden types.\n',
      ],
    ],
    [
      '-n shop --exclude-types replicasets.apps --exclude-types cm',
      [
        'Deployment shop/web |   1 dependent of hidden types',
        'Pod shop/web-5d-x |   owned by ReplicaSet web-5d',
        '2 objects of hidden types.\n',
      ],
    ],
    [
      'rs/web-5d -n shop --exclude-types rs,po',
      [
        'Deployment shop/web |',
        '└─ ReplicaSet web-5d |   1 dependent of hidden types',
        '1 object of hidden types.\n',
      ],
    ],
    [
      '-n shop --include-types deploy,rs --depth 0',
      ['Deployment shop/web |   1 dependent below --depth', '1 object of hidden types.\n'],
    ],
  ])('%s', async (words, expected) => {
    expect((await rows(words)).map(line => line.replace(/^\* | {2}(?=[A-Z├└])/u, ''))).toEqual(expected);
  });

  test.each([
    ['--include-types nosuch', /doesn't have a resource type "nosuch"/u],
    ['--exclude-types deploymen', /Did you mean deployment/u],
    ['--exclude-types po,', /empty type/u],
    ['--by=manager --include-types po', /--include-types is for owners/u],
  ])('%s is refused', async (words, message) => {
    const { err, exitCode } = await run(`-n shop ${words}`);
    expect(err).toMatch(message);
    expect(exitCode).toBe(2);
  });
});
