/** Acting on the screen, by keys alone, on a real control plane: what was forecast comes true, and can be taken back. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { panelHas, panelSays } from '../../terminal/program.ts';
import { keys, type Terminal } from '../../terminal/terminal.ts';
import { eventually } from '../eventually.ts';
import { openShop } from '../stories/shop.ts';
import { makeWebStuck } from '../stories/stuck-web.ts';
import { openTool } from '../tool.ts';

describe('actions on the screen', () => {
  let cluster: Cluster;
  let state: string;
  const open: Terminal[] = [];

  beforeAll(async () => {
    state = mkdtempSync(path.join(tmpdir(), 'gc-tree-screen-actions-'));
    cluster = await startControlPlane({
      nodes: 3,
      users: [{ name: 'reader', token: 'reader-token', groups: ['readers'] }],
    });
    await openShop(cluster);
    await cluster.kubectl(['create', 'clusterrole', 'see-all', '--verb=get,list,watch', '--resource=*.*']);
    await cluster.kubectl([
      'create',
      'clusterrolebinding',
      'readers',
      '--clusterrole=see-all',
      '--group=readers',
    ]);
  });
  afterEach(async () => {
    await Promise.all(open.splice(0).map(terminal => terminal.close()));
  });
  afterAll(async () => {
    await cluster.stop();
    rmSync(state, { recursive: true, force: true });
  });

  async function screen(user?: string): Promise<Terminal> {
    const terminal = openTool(['-n', 'shop'], {
      kubeconfig: await cluster.kubeconfig(user),
      env: { XDG_STATE_HOME: state },
      cols: 160,
      rows: 45,
    });
    open.push(terminal);
    await terminal.waitFor(/Problems \d/u);
    // Before everything is read, no key acts.
    await terminal.waitFor(/\d kinds .*live/u);
    return terminal;
  }

  function cursorRow(terminal: Terminal): string {
    return terminal.screen().find(line => line.startsWith('>')) ?? '';
  }

  async function goTo(terminal: Terminal, words: string, row: string): Promise<void> {
    await terminal.waitFor(/^ (?:NAME|PROBLEM)/mu);
    terminal.send('/');
    await terminal.waitFor('Search kinds');
    terminal.send(words);
    await terminal.waitFor(/\d+ hits?\b/u);
    terminal.send(keys.enter);
    await terminal.waitFor(() => !terminal.text().includes('Search kinds'));
    await terminal.waitFor(() => cursorRow(terminal).includes(row));
  }

  async function closeDialog(terminal: Terminal): Promise<void> {
    terminal.send(keys.escape);
    await terminal.waitFor(rows => rows.at(-1)?.includes('q quit') === true);
  }

  /** However strong a confirmation it asks for. */
  async function confirm(terminal: Terminal): Promise<void> {
    const asked = await panelSays(terminal, /y confirms|to confirm:/u);
    const word = /Type (\S+) and press enter/u.exec(asked)?.[1];
    terminal.send(word === undefined ? 'y' : `${word}\r`);
    await panelSays(terminal, 'As forecast');
  }

  async function undo(terminal: Terminal): Promise<void> {
    terminal.send('z');
    await panelSays(terminal, 'Which action is undone?');
    terminal.send(keys.enter);
    await confirm(terminal);
    await closeDialog(terminal);
  }

  function get(...args: string[]): Promise<string> {
    return cluster.kubectl(['get', '-n', 'shop', ...args]);
  }

  /** A parent that two children refer to, one of which has another owner. */
  async function family(): Promise<void> {
    await cluster.kubectl(['delete', 'configmap', '-n', 'shop', '-l', 'family', '--ignore-not-found']);
    await cluster.apply(configMap('parent', []));
    const uid = await get('configmap', 'parent', '-o', 'jsonpath={.metadata.uid}');
    await cluster.apply(['child-1', 'child-2'].map(name => configMap(name, [uid])).join('---\n'));
  }

  it('a stuck foreground deletion of a StatefulSet is unblocked with u and y', async () => {
    await makeWebStuck(cluster);
    const terminal = await screen();
    await terminal.waitFor('waits for web-2');
    // The one pod that is held is what it waits for then.
    await eventually(async () => expect(await get('pods', '-o', 'name')).not.toMatch(/web-[01]/u));
    await goTo(terminal, 'statefulset web', 'StatefulSet web');
    await terminal.waitFor('u unblock');
    terminal.send('u');
    await panelSays(terminal, 'y confirms');
    await panelHas(terminal, 'Request');
    await panelSays(terminal, 'PATCH');
    terminal.send('y');
    await panelSays(terminal, 'As forecast');
    expect(await get('statefulsets', '-o', 'name')).not.toContain('web');
    expect(await get('pods', '-o', 'name')).toContain('web-2');
    await closeDialog(terminal);
    await undo(terminal);
    expect(await get('statefulsets', '-o', 'name')).toContain('web');
    await cluster.kubectl(['patch', 'pod', 'web-2', '-n', 'shop', '-p', '{"metadata":{"finalizers":null}}']);
  });

  it.each([
    ['1', 'background', []],
    ['2', 'foreground', []],
    ['3', 'orphan', ['configmap/child-1', 'configmap/child-2']],
  ] as const)('d %s deletes in the policy %s, and z makes everything again', async (key, policy, left) => {
    await family();
    const terminal = await screen();
    await goTo(terminal, 'configmap parent', 'ConfigMap parent');
    await terminal.waitFor('ConfigMap child-2');
    terminal.send('d');
    await terminal.waitFor('[1 background]');
    terminal.send('w');
    await panelHas(terminal, 'child-1 deleted deleted orphaned');
    terminal.send('w');
    terminal.send(`${key}\r`);
    await panelSays(terminal, `ConfigMap shop/parent, ${policy}`);
    await confirm(terminal);
    const names = (): Promise<string> => get('configmaps', '-l', 'family', '-o', 'name');
    expect((await names()).trim().split('\n').filter(Boolean)).toEqual(left);
    await closeDialog(terminal);
    await undo(terminal);
    expect((await names()).trim().split('\n')).toEqual([
      'configmap/child-1',
      'configmap/child-2',
      'configmap/parent',
    ]);
    const uid = await get('configmap', 'parent', '-o', 'jsonpath={.metadata.uid}');
    const owner = await get('configmap', 'child-1', '-o', 'jsonpath={.metadata.ownerReferences[*].uid}');
    expect(owner).toBe(uid);
  });

  it('o orphans, and z takes it back', async () => {
    const terminal = await screen();
    await goTo(terminal, 'deployment api', 'Deployment api');
    terminal.send('o');
    await confirm(terminal);
    expect(await get('deployments', '-o', 'name')).toBe('');
    expect(await get('replicasets', '-o', 'jsonpath={.items[*].metadata.ownerReferences}')).toBe('');
    await closeDialog(terminal);
    await undo(terminal);
    const uid = await get('deployment', 'api', '-o', 'jsonpath={.metadata.uid}');
    expect(await get('replicasets', '-o', 'jsonpath={.items[*].metadata.ownerReferences[*].uid}')).toBe(uid);
  });

  it('asks again where the cluster has changed between question and answer', async () => {
    await family();
    const terminal = await screen();
    await goTo(terminal, 'configmap parent', 'ConfigMap parent');
    await terminal.waitFor('ConfigMap child-2');
    terminal.send('d');
    await terminal.waitFor('[1 background]');
    terminal.send(keys.enter);
    await panelSays(terminal, 'to confirm:');
    const uid = await get('configmap', 'parent', '-o', 'jsonpath={.metadata.uid}');
    await cluster.apply(configMap('child-3', [uid]));
    await cluster.kubectl(['annotate', 'configmap', 'parent', '-n', 'shop', 'note=changed']);
    const again = await panelSays(terminal, 'also deletes ConfigMap shop/child-3');
    expect(again).toContain('The cluster has changed since you were asked');
    expect(await panelHas(terminal, '4 objects are deleted')).toContain('4 objects are deleted');
    expect(await get('configmaps', '-l', 'family', '-o', 'name')).toContain('configmap/parent');
    terminal.send('parent\r');
    await panelSays(terminal, 'As forecast');
    expect(await get('configmaps', '-l', 'family', '-o', 'name')).toBe('');
  });

  it('for a user who may only read the keys are grey, and the dialog says which permission is missing', async () => {
    await family();
    const terminal = await screen('reader');
    await goTo(terminal, 'configmap parent', 'ConfigMap parent');
    await terminal.waitFor('(d delete)');
    await terminal.waitFor(rows => /\(d delete\) +p plan .*\(o orphan\)/u.test(rows.at(-1) ?? ''));
    terminal.send('o');
    const refused = await panelSays(terminal, 'Not permitted');
    expect(refused).toContain('delete on configmaps parent in namespace shop');
    expect(refused).toContain('Nothing was sent.');
    await closeDialog(terminal);
    terminal.send(':');
    await terminal.waitFor('Command');
    terminal.send('delete');
    await terminal.waitFor('not permitted: the permission delete');
    expect(await get('configmaps', '-l', 'family', '-o', 'name')).toContain('configmap/parent');
  });
});

function configMap(name: string, owners: readonly string[]): string {
  const references = owners
    .map(uid => `{apiVersion: v1, kind: ConfigMap, name: parent, uid: ${uid}, blockOwnerDeletion: true}`)
    .join(', ');
  return `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, namespace: shop, labels: {family: smith}, ownerReferences: [${references}]}
`;
}
