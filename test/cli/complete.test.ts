import { describe, expect, test } from 'vitest';
import { complete } from '../../src/cli/completion/complete-line.ts';
import { completionScript } from '../../src/cli/completion/scripts.ts';
import type { Services } from '../../src/cli/runtime/command.ts';
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
- {kind: Role, name: plain}
- {kind: Role, name: system:node}
- {kind: Role, name: "c;touch x;#"}
- {kind: Role, name: $(touch x)}
- {kind: Role, name: a b}
- {kind: Role, name: --all}
- {kind: Role, name: a=b}
- {kind: Secret, name: sh.helm.release.v1.web.v1}
- {kind: Secret, name: sh.helm.release.v1.web.v2}
- {kind: Secret, name: sh.helm.release.v1.api.v1}
- {kind: Role, name: "it's"}
- {kind: Role, name: résumé}
`;

/** Candidates without descriptions, and the directive. The last word is the one being completed. */
async function at(...words: string[]): Promise<string[]> {
  const { io, services, result } = consoleFor({ source: new SmallSource(shop) });
  expect(await complete(words, io, services)).toBe(0);
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
  // kubectl's scripts keep the flag for themselves.
  [['--namespace=s'], ['shop', ':4']],
  [['-n=s'], ['shop', ':4']],
  [
    ['check', '--output=js'],
    ['json', ':4'],
  ],
  [
    ['tree', '-o', 'd'],
    ['dot', ':4'],
  ],
  // check prints no graph.
  [['check', '-o', 'd'], [':4']],
  [
    ['--user', ''],
    ['u', ':4'],
  ],
  [['--cluster='], ['c', ':4']],
  [
    ['check', '--watch='],
    ['true', 'false', ':4'],
  ],
  [
    ['delete', '--wait=f'],
    ['false', ':4'],
  ],
  [
    ['check', '--fail-on=w'],
    ['warning', ':4'],
  ],
  [
    ['plan', '--fail-on=stuck,'],
    ['stuck,depends', 'stuck,recreated', 'stuck,cascades', 'stuck,breaks', 'stuck,refused', ':4'],
  ],
  [
    ['check', '--codes', 'OwnerCycle,PodV'],
    ['OwnerCycle,PodVolumeDeadlock', ':4'],
  ],
  [
    ['check', '--codes=OwnerCycle,PodV'],
    ['OwnerCycle,PodVolumeDeadlock', ':4'],
  ],
  [
    ['tree', 'pods,statefuls'],
    ['pods,statefulsets', ':4'],
  ],
  [['pods,statefuls'], ['pods,statefulsets', ':4']],
  [
    ['tree', 'sts,roles', ''],
    ['plain', 'system:node', 'web', 'worker', ':4'],
  ],
  // Refused by kubectl, which completes it, and by this tool.
  [['tree', 'pods,sts/w'], [':4']],
  [
    ['-ninfra', 'sts', ''],
    ['elsewhere', ':4'],
  ],
  [
    ['-An', 's'],
    ['shop', ':4'],
  ],
  [
    ['-n', '', 'sts', 'w'],
    ['web', 'worker', ':4'],
  ],
  [
    ['tree', 'role', '--', '-'],
    ['--all', ':4'],
  ],
  [
    ['help', 'tre'],
    ['tree', ':4'],
  ],
  [['tree', '-f', ''], [':0']],
  [['tree', '--filename='], [':0']],
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
    ['schema', 'P'],
    ['Plan', 'PodGCCandidateList', ':4'],
  ],
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
    ['plan', 'drain', 'node/node-1', ''],
    ['node/node-2', ':4'],
  ],
  [
    ['plan', 'uninstall', ''],
    ['helm/api', 'helm/web', ':4'],
  ],
  [['plan', 'uninstall', 'helm/web', ''], [':4']],
  // What cannot be shown cannot be typed either.
  [['cm', ''], [':4']],
  // kubectl's scripts put words on the line raw, and read the line back with `eval`.
  [['role/'], ['role/--all', 'role/plain', 'role/system:node', ':4']],
  // A word with a dash would be a flag.
  [
    ['role', ''],
    ['plain', 'system:node', ':4'],
  ],
])('%j', async (words, expected) => {
  expect(await at(...words)).toEqual(expected);
});

test('without a cluster the commands are still completed, and nothing fails', async () => {
  const { io, services, result } = consoleFor();
  expect(await complete(['t'], io, services)).toBe(0);
  expect(result().out).toMatch(/^tree\t.*\n:4\n$/u);
  const names = consoleFor();
  expect(await complete(['sts', ''], names.io, names.services)).toBe(0);
  expect(names.result()).toMatchObject({ out: ':4\n', err: '' });
});

test.each(['bash', 'zsh', 'fish', 'powershell'])(
  'the script for %s asks the one executable that has to be on the PATH',
  shell => {
    expect(completionScript(shell)).toContain('kubectl-gc_tree __complete');
  },
);

/** What a script of `completion` is answered: the text that it inserts, without descriptions. */
async function inserted(shell: string, ...argv: string[]): Promise<string[]> {
  const { io, services, result } = consoleFor({
    source: new SmallSource(shop),
    env: { GC_TREE_COMPLETE: shell },
  });
  expect(await complete(argv, io, services)).toBe(0);
  return result()
    .out.split('\n')
    .slice(0, -2)
    .map(line => line.split('\t')[0] ?? '');
}

test('zsh and fish are given names as they are, because they quote them', async () => {
  for (const shell of ['zsh', 'fish'])
    expect(await inserted(shell, 'why', 'role/')).toEqual(
      expect.arrayContaining(['role/c;touch x;#', 'role/$(touch x)', "role/it's", 'role/a b', 'role/--all']),
    );
});

test('PowerShell is given words in quotes where it would read something into them', async () => {
  expect(await inserted('powershell', 'why', 'role/')).toEqual(
    expect.arrayContaining(["'role/c;touch x;#'", "'role/$(touch x)'", "'role/it''s'", 'role/plain']),
  );
  expect(await inserted('powershell', 'plan', '""')).toContain('delete');
});

describe('bash', () => {
  test.each([
    ['kubectl-gc_tree why role/', 'role/', 'role/c\\;touch\\ x\\;\\#'],
    ['kubectl-gc_tree why role/it', 'role/it', "role/it\\'s"],
    ['FOO=1 kubectl-gc_tree -n shop why role/\\$', 'role/\\$', 'role/\\$\\(touch\\ x\\)'],
    // Of words with a colon or an equals sign readline replaces what is behind it.
    ['kubectl-gc_tree why role/system:', '', 'node'],
    ['kubectl-gc_tree why role/a=', '', 'b'],
    // Two candidates that differ behind a backslash leave it on the line.
    ['kubectl-gc_tree why role/a\\', 'role/a\\', 'role/a\\ b'],
    ['kubectl-gc_tree --context "a  b" why role/p', 'role/p', 'role/plain'],
    ['kubectl-gc_tree --namespace=s', 's', 'shop'],
    ['kubectl-gc_tree tree pods,statefuls', 'pods,statefuls', 'pods,statefulsets'],
  ])('continues %s', async (line, replaced, text) => {
    expect(await inserted('bash', line, replaced)).toContain(text);
  });

  test.each([
    ["kubectl-gc_tree why 'role/a", 'role/a'],
    ['kubectl-gc_tree why role/"a"', 'role/"a"'],
    ['kubectl-gc_tree why role/$(date)', 'role/$(date)'],
    ['kubectl-gc_tree why > role/p', 'role/p'],
    ['kubectl-gc_tree', 'kubectl-gc_tree'],
  ])('leaves %s alone', async (line, replaced) => {
    expect(await inserted('bash', line, replaced)).toEqual([]);
  });
});

test('bash hands over a line of kubectl, in which two words name the program', async () => {
  expect(await inserted('bash', 'FOO=1 kubectl gc-tree -n shop why role/\\$', 'role/\\$', '2')).toEqual([
    'role/\\$\\(touch\\ x\\)',
  ]);
  expect(await inserted('bash', 'kubectl gc-tree', 'gc-tree', '2')).toEqual([]);
});

test('behind kubectl, whose script reads the line too, fish is given only what that reads nothing into', async () => {
  expect(await inserted('fish-kubectl', 'why', 'role/')).toEqual([
    'role/--all',
    'role/plain',
    'role/system:node',
  ]);
  expect(await inserted('fish-kubectl', 'check', '--output=js')).toEqual(['--output=json']);
});

/** Flags that take what nobody can list. */
const free = new Set([
  '--as',
  '--as-group',
  '--as-uid',
  '--as-user-extra',
  '--at',
  '--depth',
  '--field-selector',
  '--for',
  '--grace-period',
  '--label-columns',
  '--request-timeout',
  '--selector',
  '--server',
  '--terminated-pod-gc-threshold',
  '--timeout',
  '--tls-server-name',
  '--token',
  '--verbosity',
]);

test('every flag that takes one of a few values, a file, or something of the cluster or the kubeconfig is completed', async () => {
  const shared = await at('--');
  expect(shared.length).toBeGreaterThan(30);
  const commands = [
    'check',
    'why',
    'plan',
    'podgc',
    'delete',
    'unblock',
    'undo',
    'record',
    'demo',
    'version',
  ];
  for (const command of ['tree', ...commands])
    for (const flag of await at(command, '--')) {
      if (command !== 'tree' && shared.includes(flag)) continue;
      // Those of one object; and the directive.
      if (flag === '--remedy' || flag === '--help' || flag.startsWith(':')) continue;
      const values = await at(command, `${flag}=`);
      const isCompleted = values.length > 1 || values[0] === ':0';
      expect([command, flag, isCompleted]).toEqual([command, flag, !free.has(flag)]);
    }
});

test('descriptions can do nothing to a terminal, nor add a candidate', async () => {
  const name = 'a\u001b[2J\nb\tc';
  const object = {
    kind: 'ConfigMap',
    name,
    deletionTimestamp: '2026-11-21T11:00:00Z',
    finalizers: ['foregroundDeletion'],
  };
  const { io, services, result } = consoleFor({ source: new SmallSource(`- ${JSON.stringify(object)}`) });
  await complete(['unblock', `cm/${name}`, '--remedy', 'redelete'], io, services);
  const lines = result().out.split('\n').slice(0, -2);
  expect(lines.map(line => line.split('\t')[0])).toEqual(['redelete/background']);
  expect(lines[0]).toMatch(/\tcaution: [^\t]*a%1B\[2J%0Ab%09c/u);
});

test.each([
  [['sts', 'w'], 'sts', 'shop'],
  [['-n', 'infra', 'sts/w'], 'sts', 'infra'],
  [['-A', 'sts', 'w'], 'sts', undefined],
  [['-n', 'w'], 'namespaces', 'shop'],
])('a live cluster is asked for the names of one type alone: %j', async (typed, word, namespace) => {
  const { io, services, result } = consoleFor({ source: new SmallSource(shop) });
  const asked: unknown[] = [];
  const openNames: Services['openNames'] = () =>
    Promise.resolve({
      namespace: 'shop',
      types: () => Promise.resolve([]),
      names: (...question) => {
        asked.push(question.slice(0, 2));
        return Promise.resolve(['web', 'other']);
      },
      close: () => Promise.resolve(),
    });
  await complete(typed, io, { ...services, openNames });
  expect(asked).toEqual([[word, namespace]]);
  expect(result().out).toContain('web\n');
});
