/**
 * Remedies for many, and for everything that waits, on a real control plane: by a selector, by keys on the screen, and gone on
 * with after the tool was killed in the middle. What wasn't chosen, and what is wrong in another way, stays as it is.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ActionResult } from '../../../src/cli/documents/definitions.ts';
import type { Cluster } from '../../harness/cluster.ts';
import { startControlPlane } from '../../harness/control-plane.ts';
import { type FaultProxy, startFaultProxy } from '../../harness/fault-proxy.ts';
import { keys, type Terminal } from '../../terminal/terminal.ts';
import { eventually } from '../eventually.ts';
import { openTool, runTool, startTool, type ToolOptions, type ToolResult } from '../tool.ts';

/** Longer than any of these tests. */
const HELD = { kind: 'delay', milliseconds: 3_600_000 } as const;
const DRAIN = 'example.com/drain';
const WIDGETS = 'prune-reference-from-all/configmap/Unresolvable/example.com/v1/Widget';

describe.skipIf(process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined)('remedies for many', () => {
  let cluster: Cluster;
  let proxy: FaultProxy;
  let direct: string;
  let through: string;
  let state: string;
  let namespaces = 0;
  let namespace = '';
  const open: Terminal[] = [];

  beforeAll(async () => {
    state = mkdtempSync(join(tmpdir(), 'gc-tree-many-'));
    cluster = await startControlPlane({ components: ['etcd', 'kube-apiserver', 'kube-controller-manager'] });
    const { ca, serving } = cluster.tls;
    proxy = await startFaultProxy({ upstream: cluster.server, upstreamCa: ca, certificate: serving });
    direct = await cluster.kubeconfig();
    through = await cluster.kubeconfig('admin', proxy.url);
  });
  afterEach(async () => {
    proxy.liftRules();
    await Promise.all(open.splice(0).map(terminal => terminal.close()));
  });
  afterAll(async () => {
    await proxy?.stop();
    await cluster?.stop();
    rmSync(state, { recursive: true, force: true });
  });

  async function newNamespace(): Promise<void> {
    namespaces += 1;
    namespace = `many-${namespaces}`;
    await cluster.kubectl(['create', 'namespace', namespace]);
  }

  const options = (kubeconfig: string): ToolOptions => ({
    kubeconfig,
    env: { XDG_STATE_HOME: join(state, namespace), GC_TREE_READ_ONLY: undefined },
  });
  const tool = (...args: readonly string[]): Promise<ToolResult> =>
    runTool([...args, '-n', namespace], options(direct));
  const get = (...args: string[]): Promise<string> => cluster.kubectl(['get', '-n', namespace, ...args]);

  interface Brief {
    readonly app: string;
    readonly finalizers?: readonly string[];
    readonly owners?: readonly string[];
  }

  async function configMaps(names: readonly string[], { app, finalizers = [], owners = [] }: Brief) {
    const metadata = (name: string): string =>
      `{name: ${name}, namespace: ${namespace}, labels: {app: ${app}}, finalizers: [${finalizers.join(', ')}], ownerReferences: [${owners.join(', ')}]}`;
    await cluster.apply(
      names.map(name => `apiVersion: v1\nkind: ConfigMap\nmetadata: ${metadata(name)}\n`).join('---\n'),
    );
  }

  /** ConfigMaps that are being deleted and held. */
  async function held(names: readonly string[], app: string): Promise<void> {
    await configMaps(names, { app, finalizers: [DRAIN] });
    await cluster.kubectl(['delete', 'configmap', '-n', namespace, '-l', `app=${app}`, '--wait=false']);
  }

  const left = async (app: string): Promise<string[]> =>
    (await get('configmaps', '-l', `app=${app}`, '-o', 'jsonpath={.items[*].metadata.name}'))
      .split(' ')
      .filter(each => each !== '');

  const numbered = (count: number, of: string): string[] =>
    Array.from({ length: count }, (_, index) => `${of}-${index}`);

  interface Journalled {
    readonly items: readonly {
      readonly outcome?: string;
      readonly requests: readonly { readonly status?: number }[];
    }[];
  }

  it('takes one finalizer off those that a selector names, and goes on after it was killed in the middle', async () => {
    await newNamespace();
    await held(numbered(6, 'old'), 'old');
    await held(['other'], 'other');
    const command = ['unblock', 'configmaps', '-l', 'app=old', '--remedy', `remove-finalizer/${DRAIN}`];
    const rule = proxy.addRule({ match: /PATCH (?!.*dryRun).*\/old-3$/u, fault: HELD });
    const running = startTool([...command, '--yes', '-n', namespace], options(through));
    await eventually(() => expect(rule.hits).toBe(1));
    running.child.kill('SIGKILL');
    await running.exit;
    expect(await left('old')).toEqual(['old-3', 'old-4', 'old-5']);

    const { code, stdout, stderr } = await tool(...command, '--yes', '-o', 'json');
    expect(stderr).not.toContain('kubectl gc-tree:');
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as ActionResult;
    expect(result.action.targets.map(({ name }) => name)).toEqual(['old-3', 'old-4', 'old-5']);
    expect(result.requests).toHaveLength(3);
    expect(await left('old')).toEqual([]);
    expect(await left('other')).toEqual(['other']);
    const { items } = JSON.parse((await tool('undo', '-o', 'json')).stdout) as Journalled;
    const statuses = items.map(({ requests }) => requests.map(({ status = 'unknown' }) => status).join(' '));
    expect(statuses.sort()).toEqual(['200 200 200', '200 200 200 unknown unknown unknown']);
    const { stdout: nothing } = await tool('unblock', 'configmap/other');
    expect(nothing).toContain(`remove-finalizer/${DRAIN}`);
  });

  /** ConfigMaps `top`, `middle` and `root`, each held by the next, and `root` by a finalizer that nothing handles. */
  async function chain(): Promise<void> {
    let owners: string[] = [];
    for (const [name, finalizers] of [
      ['top', ['example.org/copy']],
      ['middle', []],
      ['root', [DRAIN]],
    ] as const) {
      await configMaps([name], { app: 'chain', finalizers, owners });
      const uid = await get('configmap', name, '-o', 'jsonpath={.metadata.uid}');
      owners = [`{apiVersion: v1, kind: ConfigMap, name: ${name}, uid: ${uid}, blockOwnerDeletion: true}`];
    }
    const foreground = ['--cascade=foreground', '--wait=false'];
    await cluster.kubectl(['delete', 'configmap', 'top', '-n', namespace, ...foreground]);
    await eventually(async () => {
      const deleted = await get('configmap', 'root', '-o', 'jsonpath={.metadata.deletionTimestamp}');
      expect(deleted).not.toBe('');
    });
  }

  it('unblocks everything that waits in a namespace, and takes it back by one entry', async () => {
    await newNamespace();
    await chain();
    await configMaps(['kept'], { app: 'kept' });
    const command = ['unblock', `ns/${namespace}`, '--remedy', 'unblock-all', '--yes', '-o', 'json'];
    const { code, stdout, stderr } = await tool(...command);
    expect(stderr).not.toContain('kubectl gc-tree:');
    expect(code).toBe(0);
    const result = JSON.parse(stdout) as ActionResult;
    expect(result.requests.map(({ path }) => path.slice(path.lastIndexOf('/') + 1))).toEqual(['root', 'top']);
    expect(await left('chain')).toEqual([]);
    expect(await left('kept')).toEqual(['kept']);
    expect((JSON.parse((await tool('undo', '-o', 'json')).stdout) as Journalled).items).toHaveLength(1);
    const undone = await tool('undo', 'last', '--yes');
    expect([undone.code, undone.stderr]).toEqual([0, expect.not.stringContaining('kubectl gc-tree:')]);
    expect(await left('chain')).toEqual(['middle', 'root', 'top']);
    const owner = await get('configmap', 'root', '-o', 'jsonpath={.metadata.ownerReferences[*].name}');
    expect(owner).toBe('middle');
  });

  it('stops before a step whose object has got another owner', async () => {
    await newNamespace();
    await chain();
    await configMaps(['keeper'], { app: 'keeper' });
    const uid = await get('configmap', 'keeper', '-o', 'jsonpath={.metadata.uid}');
    const rule = proxy.addRule({
      match: /PATCH (?!.*dryRun).*\/root$/u,
      fault: { kind: 'delay', milliseconds: 5_000 },
    });
    const command = ['unblock', 'configmap/top', '--remedy', 'unblock-all', '--yes', '-n', namespace];
    const running = startTool(command, options(through));
    await eventually(() => expect(rule.hits).toBe(1));
    const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'keeper', uid };
    const patch = JSON.stringify({ metadata: { ownerReferences: [owner] } });
    await cluster.kubectl(['patch', 'configmap', 'top', '-n', namespace, '--type=merge', '-p', patch]);
    const code = await running.exit;
    expect(running.stdout()).toContain(
      `ConfigMap ${namespace}/top has another owner now, ConfigMap keeper; the forecast was that it has only those that it had`,
    );
    expect(running.stdout()).toContain('It stopped there: 1 of 2 requests was sent.');
    expect(code).toBe(1);
    expect(await left('chain')).toContain('top');
  });

  it('takes one kind of reference off, and leaves every other, and what nothing was chosen of', async () => {
    await newNamespace();
    await configMaps(['keeper'], { app: 'keeper' });
    const uid = await get('configmap', 'keeper', '-o', 'jsonpath={.metadata.uid}');
    const widget = (name: string): string =>
      `{apiVersion: example.com/v1, kind: Widget, name: ${name}, uid: ${name}}`;
    const keeper = `{apiVersion: v1, kind: ConfigMap, name: keeper, uid: ${uid}}`;
    const gadget = '{apiVersion: example.com/v1, kind: Gadget, name: g, uid: g}';
    await configMaps(['kept'], { app: 'old', owners: [widget('w1'), keeper] });
    await configMaps(['lone'], { app: 'old', owners: [widget('w2')] });
    await configMaps(['twice'], { app: 'old', owners: [gadget, widget('w3'), widget('w4')] });
    await configMaps(['beside'], { app: 'beside', owners: [widget('w5')] });
    const command = ['unblock', 'configmaps', '-l', 'app=old'];
    expect((await tool(...command, '-o', 'name')).stdout).toContain(`${WIDGETS}\n`);
    const rule = proxy.addRule({ match: /PATCH (?!.*dryRun).*\/lone$/u, fault: HELD });
    const running = startTool([...command, '--remedy', WIDGETS, '--yes', '-n', namespace], options(through));
    await eventually(() => expect(rule.hits).toBe(1));
    running.child.kill('SIGKILL');
    await running.exit;

    const { code, stderr } = await tool(...command, '--remedy', WIDGETS, '--yes');
    expect(stderr).not.toContain('kubectl gc-tree:');
    expect(code).toBe(0);
    const owners = async (name: string): Promise<string> =>
      get('configmap', name, '-o', 'jsonpath={.metadata.ownerReferences[*].name}');
    expect(await Promise.all(['kept', 'lone', 'twice', 'beside'].map(owners))).toEqual([
      'keeper',
      '',
      'g',
      'w5',
    ]);
  });

  it('tells before what of many will come of it, and sends nothing for a wish that is for one', async () => {
    await newNamespace();
    await held(numbered(3, 'old'), 'old');
    const wrong = await tool(
      'unblock',
      'configmaps',
      '-l',
      'app=old',
      '--remedy',
      'redelete/background',
      '--yes',
    );
    expect(wrong.code).toBe(2);
    expect(wrong.stderr).toContain('3 objects are selected');
    const plan = await tool(
      'plan',
      'unblock',
      'configmaps',
      '--all',
      '--remedy',
      `remove-finalizer/${DRAIN}`,
    );
    expect(plan.stdout).toContain('3 objects are deleted');
    expect(await left('old')).toHaveLength(3);
  });

  async function screen(): Promise<Terminal> {
    const terminal = openTool(['-n', namespace], { ...options(direct), cols: 160, rows: 45 });
    open.push(terminal);
    await terminal.waitFor(/\d kinds .*live/u);
    return terminal;
  }

  it('does it by keys: marks, u, and their number', async () => {
    await newNamespace();
    await held(numbered(4, 'old'), 'old');
    const terminal = await screen();
    await terminal.waitFor('ConfigMap old-3');
    const mark = async (name: string): Promise<void> => {
      terminal.send('/');
      await terminal.waitFor('Search kinds');
      terminal.send(`configmap ${name}`);
      await terminal.waitFor(/\d+ hits?\b/u);
      terminal.send(keys.enter);
      await terminal.waitFor(rows => rows.some(row => row.startsWith('>') && row.includes(name)));
      terminal.send(' ');
    };
    for (const name of ['old-0', 'old-1', 'old-2']) await mark(name);
    await terminal.waitFor('3 objects marked');
    terminal.send('u');
    await terminal.waitFor('Type 3 and press enter');
    terminal.send('3\r');
    await terminal.waitFor('As forecast');
    expect(await left('old')).toEqual(['old-3']);
  });

  it('does it by keys: the heading of a cause, with u, and the one remedy among all of them', async () => {
    await newNamespace();
    await held(numbered(12, 'old'), 'old');
    const terminal = await screen();
    terminal.send('2');
    await terminal.waitFor(rows => rows.some(row => row.startsWith('>▸ ✗ example.com/drain')));
    expect(terminal.text()).toContain('holds 12 ConfigMaps');
    terminal.send('U');
    await terminal.waitFor('from all 12 chosen');
    terminal.send(keys.escape);
    await terminal.waitFor(rows => !rows.some(row => row.includes('all 12 chosen')));
    terminal.send('2u');
    await terminal.waitFor('Type 12 and press enter');
    terminal.send('12\r');
    await terminal.waitFor('As forecast');
    expect(await left('old')).toEqual([]);
  });
});
