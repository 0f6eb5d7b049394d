/**
 * Names of everything that a real API server takes, on a real control plane: it does take them, and the commands that
 * are printed for objects of such names, run by the real kubectl in a real shell, reach these objects and no other.
 */
import { execFile } from 'node:child_process';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TrackedView } from '../../../src/diagnosis/engine/tracked-view.ts';
import { removeFinalizer } from '../../../src/diagnosis/remedies/deletion-remedies.ts';
import { kubectlDelete } from '../../../src/forecast/request-paths.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { identityOfObject } from '../../../src/graph/ownership-node.ts';
import type { KubeObject } from '../../../src/model/object.ts';
import { type ShellCommands, shellLine } from '../../../src/model/text/shell-line.ts';
import { actionCommands } from '../../../src/text/actions/remedy-command.ts';
import { readCluster } from '../../conformance/real/live-view.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { pathSegments, sampled, visibleNames } from '../../shells/names.ts';
import { runTool } from '../tool.ts';

const run = promisify(execFile);
/** Commands that are run of each kind. */
const MOST = 60;
const FINALIZER = 'example.com/held';
let cluster: Cluster;
let view: ClusterView;

const names = [
  ...new Set([
    'c;touch x;#',
    '--all',
    '-n',
    '$(touch x)',
    "it's",
    'a,b',
    'a=b',
    'a b',
    '\\',
    '!!',
    '{a,b}',
    '~',
    '=ls',
    ...sampled(visibleNames, 60, 3),
    ...sampled(pathSegments, 240, 5),
  ]),
];

beforeAll(async () => {
  cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver'] });
  const items = names.map(name => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name, finalizers: [FINALIZER], labels: { 'gc-tree.dev/hostile': 'true' } },
    rules: [],
  }));
  await cluster.kubectl(['create', '-f', '-'], JSON.stringify({ apiVersion: 'v1', kind: 'List', items }));
  view = await readCluster(cluster);
});
afterAll(() => cluster.stop());

function roles(): KubeObject[] {
  const wanted = new Set(names);
  return [...view.graph.nodes()].flatMap(({ object }) =>
    object?.type.kind === 'ClusterRole' && wanted.has(object.name) ? [object] : [],
  );
}

/** Standard output of lines that are pasted, with the real kubectl, where `file` is what they must not make. */
async function pasted(lines: readonly string[]): Promise<string> {
  const { kubectl } = await controlPlaneBinaries();
  const kubeconfig = await cluster.kubeconfig();
  const home = dirname(kubeconfig);
  const env = {
    KUBECONFIG: kubeconfig,
    HOME: home,
    PATH: `${dirname(kubectl)}:/usr/bin:/bin`,
    LC_ALL: 'C.UTF-8',
  };
  const { stdout } = await run('bash', ['-c', lines.join('\n')], { env, cwd: home, maxBuffer: 1 << 26 });
  expect((await run('ls', [], { cwd: home })).stdout.split('\n')).not.toContain('x');
  return stdout;
}

const UID = `-o jsonpath='{.metadata.uid}{"\\n"}'`;

/** Each object whose name a line can hold, with its line. */
function lines(commands: (object: KubeObject) => ShellCommands): { object: KubeObject; line: string }[] {
  return roles().flatMap(object => {
    const line = shellLine(commands(object));
    return line === undefined ? [] : [{ object, line }];
  });
}

describe('objects of any name', () => {
  test('are taken by the API server, and read as they are called', () => {
    expect(
      roles()
        .map(({ name }) => name)
        .sort(),
    ).toEqual([...names].sort());
  });

  test('are reached by kubectl get, patch and delete as they are printed, each and no other', async () => {
    const tracked = new TrackedView(view, Date.now());
    for (const { commands, suffix } of [
      {
        commands: (object: KubeObject): ShellCommands => [
          {
            words: [
              'kubectl',
              'get',
              actionCommands.on(view.catalog, identityOfObject(object), ['why']).words[3],
            ],
          },
        ],
        suffix: UID,
      },
      {
        commands: (object: KubeObject): ShellCommands => removeFinalizer(tracked, object, FINALIZER).kubectl,
        suffix: `--dry-run=server ${UID}`,
      },
      {
        commands: (object: KubeObject): ShellCommands =>
          kubectlDelete(view.catalog, { verb: 'delete', cascade: 'background', targets: [object] }),
        suffix: '--dry-run=server -o name',
      },
    ]) {
      // Each starts kubectl anew, which takes its time.
      const said = lines(commands).slice(0, MOST);
      expect(said.length).toBe(MOST);
      const out = await pasted(said.map(({ line }) => `${line} ${suffix}`));
      const expected = said.map(({ object }) =>
        suffix.includes('-o name') ? `clusterrole.rbac.authorization.k8s.io/${object.name}` : object.uid,
      );
      // Names may end with a blank.
      expect(out.replace(/\n$/u, '').split('\n')).toEqual(expected);
    }
  });

  test('are reached together by one line that deletes them', async () => {
    const targets = lines(object => [{ words: [object.name] }]).map(({ object }) => object);
    const line = shellLine(kubectlDelete(view.catalog, { verb: 'delete', cascade: 'orphan', targets })) ?? '';
    const out = await pasted([
      line.replaceAll(' --cascade=orphan', ' --cascade=orphan --dry-run=server -o name'),
    ]);
    expect(out.replace(/\n$/u, '').split('\n').sort()).toEqual(
      targets.map(({ name }) => `clusterrole.rbac.authorization.k8s.io/${name}`).sort(),
    );
  });

  test('are named by the tool to itself', async () => {
    const kubeconfig = await cluster.kubeconfig();
    for (const name of names.slice(0, 13)) {
      const { stdout, code } = await runTool(['tree', `clusterrole/${name}`, '-o', 'json'], { kubeconfig });
      expect([
        code,
        (JSON.parse(stdout) as { roots: { object: { name: string } }[] }).roots.map(root => root.object.name),
      ]).toEqual([0, [name]]);
    }
  });
});
