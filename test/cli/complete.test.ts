import { expect, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete.ts';
import { completionScript } from '../../src/cli/completion/scripts.ts';
import { scenarioNames } from '../../src/source/demo/scenarios.ts';
import { consoleFor, SmallSource } from './console.ts';

const shop = `
- {kind: StatefulSet, name: web}
- {kind: StatefulSet, name: worker}
- {kind: StatefulSet, name: elsewhere, namespace: infra}
- {kind: Namespace, name: shop}
- {kind: Namespace, name: infra}
- {kind: Node, name: node-1}
- {kind: Node, name: node-2}
- {kind: ConfigMap, name: "a\\u001b[2Jb"}
`;

/** Candidates without descriptions, and the directive. The last word is the one being completed. */
async function at(...words: string[]): Promise<string[]> {
  const { io, deps, result } = consoleFor({ source: new SmallSource(shop) });
  expect(await complete(words, io, deps)).toBe(0);
  return result()
    .out.trimEnd()
    .split('\n')
    .map(line => line.split('\t')[0] ?? '');
}

test.each([
  [['tre'], ['tree', ':4']],
  [['statefuls'], ['statefulsets', ':4']],
  [
    ['sts', ''],
    ['web', 'worker', ':4'],
  ],
  [
    ['tree', 'sts', 'w'],
    ['web', 'worker', ':4'],
  ],
  [
    ['tree', 'sts', 'web', ''],
    ['worker', ':4'],
  ],
  [['sts/we'], ['sts/web', ':4']],
  [
    ['-n', 'infra', 'sts', ''],
    ['elsewhere', ':4'],
  ],
  [
    ['-A', 'sts', ''],
    ['elsewhere', 'web', 'worker', ':4'],
  ],
  [
    ['tree', 'sts/web', 'deploym'],
    ['deployments/', ':6'],
  ],
  [
    ['-n', 's'],
    ['shop', ':4'],
  ],
  [['--namespace=s'], ['--namespace=shop', ':4']],
  [
    ['--context', ''],
    ['prod-eu', 'staging', ':4'],
  ],
  [
    ['tree', '-o', 'w'],
    ['wide', ':4'],
  ],
  [
    ['--sort-by', 'a'],
    ['age', ':4'],
  ],
  [['--kubeconfig', ''], [':0']],
  [['--watc'], ['--watch', ':4']],
  [
    ['completion', 'f'],
    ['fish', ':4'],
  ],
  [
    ['demo', ''],
    [...scenarioNames(), ':4'],
  ],
  [['version', ''], [':4']],
  [
    ['plan', 't'],
    ['taint', ':4'],
  ],
  [
    ['plan', 'taint', ''],
    ['node/node-1', 'node/node-2', ':4'],
  ],
  [
    ['plan', 'taint', 'node/node-1', ''],
    ['out-of-service', 'node/node-2', ':4'],
  ],
  [
    ['plan', 'taint', 'nodes', 'node-2', ''],
    ['out-of-service', 'node-1', ':4'],
  ],
  [['plan', 'taint', 'node/node-1', 'out-of-service', ''], [':4']],
  [
    ['cm', ''],
    ['ab', ':4'],
  ],
])('%j', async (words, expected) => {
  expect(await at(...words)).toEqual(expected);
});

test('without a cluster the commands are still completed, and nothing fails', async () => {
  const { io, deps, result } = consoleFor();
  expect(await complete(['t'], io, deps)).toBe(0);
  expect(result().out).toMatch(/^tree\t.*\n:4\n$/u);
  const names = consoleFor();
  expect(await complete(['sts', ''], names.io, names.deps)).toBe(0);
  expect(names.result()).toMatchObject({ out: ':4\n', err: '' });
});

test.each(['bash', 'zsh', 'fish', 'powershell'])(
  'the script for %s asks the completion executable',
  shell => {
    expect(completionScript(shell)).toContain('kubectl_complete-gc_tree');
  },
);
