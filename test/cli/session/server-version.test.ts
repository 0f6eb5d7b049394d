import { describe, expect, it } from 'vitest';
import { candidates } from '../../../src/cli/completion/complete-line.ts';
import type { Plan } from '../../../src/cli/documents/definitions.ts';
import { folderOf } from '../../source/files/reading.ts';
import { command, consoleFor } from '../console.ts';

/** A namespace with a pod that a finalizer holds. */
const held = `
apiVersion: v1
kind: Namespace
metadata: {name: shop, uid: ns}
spec: {finalizers: [kubernetes]}
status: {phase: Active}
---
apiVersion: v1
kind: Pod
metadata: {name: held, namespace: shop, uid: pod, finalizers: [example.com/hold]}
spec: {containers: [{name: main}]}
status: {phase: Pending}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: settings, namespace: shop, uid: settings}
`;
const dump = folderOf({
  'all.yaml': held,
  'version.json': '{"major": "1", "minor": "30", "gitVersion": "v1.30.4"}',
});

async function planned(words: string, stdin?: string) {
  const { out, err } = await command(
    `plan delete ns/shop ${words} -o json`,
    stdin === undefined ? {} : { stdin },
  );
  const { basis, deleted } = JSON.parse(out) as Plan;
  return { basis, err, deleted: deleted.map(({ object }) => object.name) };
}

describe('--server-version', () => {
  it('is the version that files are judged by, whatever they say themselves', async () => {
    const found = await planned(`-f ${dump}`);
    expect(found.deleted).toEqual(['settings']);
    expect(found.basis).toMatchObject({ serverVersion: 'v1.30.4', serverVersionFrom: 'files' });
    expect(found.basis).not.toHaveProperty('serverVersionInFiles');
    const given = await planned(`-f ${dump} --server-version=1.33`);
    expect(given.deleted).toEqual([]);
    expect(given.basis).toMatchObject({
      serverVersion: 'v1.33',
      serverVersionFrom: 'flag',
      serverVersionInFiles: 'v1.30.4',
    });
    expect(given.err).toBe('');
  });

  it('may name a patch release, or that of a distribution', async () => {
    for (const version of ['v1.29.4', '1.29.4-gke.100', '1.29'])
      expect((await planned(`-f - --server-version=${version}`, held)).deleted).toEqual(['settings']);
  });

  it.each([
    [
      '1.38',
      'newer',
      'Kubernetes v1.38 is newer than this tool knows. Answers assume that it behaves like 1.37; this is not tested.',
    ],
    [
      '1.29',
      'older',
      'Kubernetes v1.29 is older than the versions that this tool is tested on, 1.30 to 1.37. Its differences are read from its source, and not tested.',
    ],
    [
      '1.27',
      'older',
      'Kubernetes v1.27 is older than this tool knows. Unless more is known, answers assume that it behaves like 1.28; this is not tested.',
    ],
  ])('of %s is said to be unproven: %s', async (version, unproven, words) => {
    const { basis, err } = await planned(`-f - --server-version=${version}`, held);
    expect(basis.serverVersionUnproven).toBe(unproven);
    expect(err).toBe(`Warning: ${words}\n`);
  });

  it('is what the cluster of a scenario does', async () => {
    const { out } = await command('plan delete ns/shop --demo shop --server-version=1.32 -o json');
    expect((JSON.parse(out) as Plan).basis).toMatchObject({
      source: 'demo',
      serverVersion: 'v1.32',
      serverVersionFrom: 'flag',
    });
    const own = await command('plan delete ns/shop --demo shop -o json');
    expect((JSON.parse(own.out) as Plan).basis).toMatchObject({ serverVersionFrom: 'scenario' });
  });

  it.each(['latest', '2.0', '29', '1.29.4.5', 'v1'])('is no %s', async version => {
    const { err, out, exitCode } = await command(`plan -f ${dump} --server-version=${version}`);
    expect(err).toBe(
      `kubectl gc-tree: --server-version: no ${version}. A version is one of Kubernetes: 1.29 or v1.29.4. See kubectl gc-tree --help.\n`,
    );
    expect({ out, exitCode }).toEqual({ out: '', exitCode: 2 });
  });

  it('is none where it is empty', async () => {
    const { err, out, exitCode } = await command(`plan -f ${dump} --server-version=`);
    expect(err).toBe(
      'kubectl gc-tree: --server-version is empty. Leave it out, or give it a value. See kubectl gc-tree --help.\n',
    );
    expect({ out, exitCode }).toEqual({ out: '', exitCode: 2 });
  });

  it('is refused beside a cluster, which says its own', async () => {
    const { err, exitCode } = await command('plan delete ns/shop --server-version=1.29');
    expect(err).toBe(
      'kubectl gc-tree: --server-version is for files and scenarios: a cluster states its own version, and so does a recording. Omit it, or give files with -f.\n',
    );
    expect(exitCode).toBe(2);
  });

  it('completes to the releases whose sources were read', async () => {
    const { io, services } = consoleFor({});
    const found = await candidates(['plan', '--server-version', ''], { io, services });
    expect(found.candidates.map(({ word }) => word)).toEqual([
      '1.28',
      '1.29',
      '1.30',
      '1.31',
      '1.32',
      '1.33',
      '1.34',
      '1.35',
      '1.36',
      '1.37',
    ]);
  });
});
