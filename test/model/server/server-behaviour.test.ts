import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { behaviourOf } from '../../../src/graph/server-behaviour.ts';
import { ServerBehaviour } from '../../../src/model/server/server-behaviour.ts';
import { viewOf } from '../../cli/documents/cluster.ts';

describe('the behaviour of a server', () => {
  it.each([
    ['v1.27.3-gke.100', '1.27', 'older'],
    ['v1.19.16', '1.19', 'older'],
    ['v1.28.0', '1.28', 'older'],
    ['v1.29.15', '1.29', 'older'],
    ['1.30', '1.30', undefined],
    ['v1.36.3+k3s1', '1.36', undefined],
    ['v1.37.2', '1.37', undefined],
    ['v1.38.0-alpha.1', '1.37', 'newer'],
    ['v2.0.0', '1.37', 'newer'],
    ['', '1.37', 'unknown'],
    [undefined, '1.37', 'unknown'],
    ['latest', '1.37', 'unknown'],
  ])('of %s is that of %s, unproven: %s', (version, release, unproven) => {
    const behaviour = new ServerBehaviour(version);
    expect(behaviour.release).toBe(release);
    expect(behaviour.unproven).toBe(unproven);
  });

  it('is proven from the oldest version on that tests pin', () => {
    const root = path.join(import.meta.dirname, '..', '..', '..');
    const minors = globSync('test/controlplane/versions/*', { cwd: root }).map(each =>
      Number(path.basename(each).replace('1.', '')),
    );
    const oldest = Math.min(...minors);
    expect(new ServerBehaviour(`1.${oldest}`).unproven).toBeUndefined();
    expect(new ServerBehaviour(`1.${oldest - 1}`).unproven).toBe('older');
  });

  it('counts what patch releases of older versions were given, of which the newest is meant where none is named', () => {
    const controls = (version: string) => new ServerBehaviour(version).has('claimRetentionControls');
    expect(['1.28.12', '1.29.7', '1.30.3', '1.27.16'].map(controls)).toEqual([false, false, false, false]);
    expect(['1.28.13', '1.29.8', '1.30.4', '1.31.0', '1.30'].map(controls)).toEqual(Array(5).fill(true));
  });

  it('follows a feature gate that is known to be set, except one that is locked or not there yet', () => {
    const ordered = (version: string, on: boolean) =>
      new ServerBehaviour(version, new Map([['OrderedNamespaceDeletion', on]])).has(
        'orderedNamespaceDeletion',
      );
    expect(ordered('v1.29.6', true)).toBe(false);
    expect(ordered('v1.32.13', true)).toBe(true);
    expect(ordered('v1.33.13', false)).toBe(false);
    expect(ordered('v1.34.4', false)).toBe(true);
  });

  it('names the gate that could change it, while nothing tells how that is set', () => {
    const open = (version: string, gates = new Map<string, boolean>()) =>
      new ServerBehaviour(version, gates).openGate('orderedNamespaceDeletion');
    expect(['v1.29.6', 'v1.30.14', 'v1.33.13', 'v1.34.4'].map(version => open(version))).toEqual([
      undefined,
      'OrderedNamespaceDeletion',
      'OrderedNamespaceDeletion',
      undefined,
    ]);
    expect(open('v1.33.13', new Map([['OrderedNamespaceDeletion', true]]))).toBeUndefined();
  });

  /** Of a 1.32 server, whose kube-controller-manager was started so on each of its nodes. */
  function isOrdered(...flags: readonly string[]): boolean {
    const managers = flags.map(
      (flag, index) =>
        `- {kind: Pod, name: kube-controller-manager-cp-${index}, namespace: kube-system, spec: {containers: [{name: main, command: [kube-controller-manager, ${flag}]}]}}`,
    );
    const view = viewOf(managers.join('\n') || '[]');
    view.settings = { ...view.settings, serverVersion: 'v1.32.13' };
    return behaviourOf(view).has('orderedNamespaceDeletion');
  }

  it('reads the gates that all replicas of kube-controller-manager show', () => {
    expect(isOrdered()).toBe(false);
    expect(isOrdered('--feature-gates=OrderedNamespaceDeletion=true')).toBe(true);
    expect(isOrdered('"--feature-gates=SomethingElse=false,OrderedNamespaceDeletion=true"')).toBe(true);
    expect(isOrdered('--feature-gates=OrderedNamespaceDeletion=true', '--leader-elect=true')).toBe(false);
    expect(
      isOrdered(
        '--feature-gates=OrderedNamespaceDeletion=true',
        '--feature-gates=OrderedNamespaceDeletion=true',
      ),
    ).toBe(true);
  });
});

test('versions of servers are compared nowhere else', () => {
  const root = path.join(import.meta.dirname, '..', '..', '..');
  const readers = globSync('src/**/*.{ts,tsx}', { cwd: root }).filter(file =>
    readFileSync(path.join(root, file), 'utf8').includes(String.raw`(\d+)\.(\d+)`),
  );
  expect(readers).toEqual([path.join('src', 'model', 'server', 'server-behaviour.ts')]);
});
