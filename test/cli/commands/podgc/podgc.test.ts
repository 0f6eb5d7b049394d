import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { PodGCCandidateList } from '../../../../src/cli/documents/definitions.ts';
import type { ResourceType } from '../../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import type { JsonObject } from '../../../../src/source/source.ts';
import { command, type Setting, SmallSource } from '../../console.ts';
import { objects } from '../../documents/cluster.ts';
import { schemaOf } from '../../documents/schema.ts';

// The console's clock stands at 12:00:00.
const troubled = `
- {kind: Namespace, name: shop, namespace: "", status: {phase: Active}}
- {kind: Namespace, name: batch, namespace: "", status: {phase: Active}}
- {kind: Node, name: node-1, namespace: "", status: {conditions: [{type: Ready, status: "True"}]}}
- {kind: Node, name: node-4, namespace: "", spec: {taints: [{key: node.kubernetes.io/out-of-service, value: nodeshutdown, effect: NoExecute}]}, status: {conditions: [{type: Ready, status: Unknown}]}}
- {kind: Node, name: node-5, namespace: "", status: {conditions: [{type: Ready, status: Unknown}]}}
- {kind: Pod, name: api-2924j, spec: {nodeName: node-7, containers: [{name: main}]}, status: {phase: Running}}
- {kind: Pod, name: db-1, deletionTimestamp: "2026-11-21T11:59:50Z", deletionGracePeriodSeconds: 30, spec: {nodeName: node-4, containers: [{name: main}]}, status: {phase: Running}}
- {kind: Pod, name: db-2, deletionTimestamp: "2026-11-21T11:59:50Z", deletionGracePeriodSeconds: 30, spec: {nodeName: node-5, containers: [{name: main}]}, status: {phase: Running}}
- {kind: Pod, name: web-0, spec: {nodeName: node-5, containers: [{name: main}]}, status: {phase: Running}}
- {kind: Pod, name: agent, spec: {nodeName: node-5, tolerations: [{operator: Exists}], containers: [{name: main}]}, status: {phase: Running}}
- {kind: Pod, name: import-x, namespace: batch, finalizers: [batch/keep], deletionTimestamp: "2026-11-21T11:59:55Z", deletionGracePeriodSeconds: 0, spec: {containers: [{name: main}]}, status: {phase: Pending}}
- {kind: Pod, name: report-1, namespace: batch, creationTimestamp: "2026-11-20T10:00:00Z", spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Succeeded}}
- {kind: Pod, name: report-2, namespace: batch, creationTimestamp: "2026-11-20T11:00:00Z", spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Failed}}
- {kind: Pod, name: evicted, namespace: batch, creationTimestamp: "2026-11-21T11:00:00Z", spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Failed, reason: Evicted}}
- {kind: Pod, name: well, spec: {nodeName: node-1, containers: [{name: main}]}, status: {phase: Running}}
`;

function run(words: string, setting: Setting = {}) {
  return command(words, { source: new SmallSource(troubled), ...setting });
}

async function document(words: string, setting: Setting = {}): Promise<PodGCCandidateList> {
  const { out, exitCode } = await run(`${words} -o json`, setting);
  expect(exitCode).toBe(0);
  return JSON.parse(out) as PodGCCandidateList;
}

describe('podgc', () => {
  test('tells of every namespace what goes, when and why, then what only looks like it, then the limit', async () => {
    const { out, err, exitCode } = await run('podgc');
    expect([err, exitCode]).toEqual(['', 0]);
    expect(out.replace(/ {2,}/gu, '  ')).toBe(
      `RULE  POD  NODE  DUE  BECAUSE
OutOfService  shop/db-1  node-4  now  node-4 not ready, tainted out-of-service
Orphaned  shop/api-2924j  node-7  in ~31s  node-7 does not exist; it was not seen since when its 40s quarantine runs
UnscheduledTerminating  batch/import-x  -  now  deleted before it was scheduled; held by batch/keep afterwards
-  shop/db-2  node-5  no  node-5 not ready, but not tainted out-of-service
Terminated: 3 of 12,500 finished pods (default threshold assumed); none due.
12,497 more may finish before one is deleted; first in line: batch/evicted, batch/report-1 and batch/report-2.
Times are estimates, and hold as long as kube-controller-manager runs.
node-5 is not ready. If it were tainted out-of-service, PodGC would delete 1 terminating pod, and 1 other pod would be evicted: shop/web-0; 1 tolerates it.
  kubectl gc-tree plan taint node/node-5 out-of-service
`,
    );
  });

  test('takes the threshold that it is given: evicted pods go first, then the oldest', async () => {
    const { items, threshold, thresholdAssumed, terminatedPods } = await document(
      'podgc --terminated-pod-gc-threshold=1',
    );
    expect([threshold, thresholdAssumed, terminatedPods]).toEqual([1, false, 3]);
    expect(items.slice(0, 2).map(({ pod, rule, due }) => [rule, pod.name, due])).toEqual([
      ['Terminated', 'evicted', 'now'],
      ['Terminated', 'report-1', 'now'],
    ]);
    const { out } = await run('podgc --terminated-pod-gc-threshold=0');
    expect(out).toContain('Terminated: 3 finished pods; no limit (threshold 0), so none is due.\n');
  });

  test('narrows to a namespace, and counts finished pods of the whole cluster all the same', async () => {
    const { items, terminatedPods } = await document('podgc -n batch');
    expect([items.map(({ pod: { name } }) => name), terminatedPods]).toEqual([['import-x'], 3]);
  });

  test('explains pods that are asked about, whatever becomes of them', async () => {
    const { items } = await document('podgc pod/well pod/web-0');
    expect(items.map(({ pod: { name }, due, because }) => `${name} ${due}: ${because}`).toSorted()).toEqual([
      'web-0 no: node-5 not ready, but the pod is not being deleted',
      'well no: not finished, not being deleted, and node-1 exists',
    ]);
    const onNode = await document('podgc node/node-5');
    expect(onNode.items.map(({ pod: { name } }) => name).toSorted()).toEqual(['agent', 'db-2', 'web-0']);
  });

  test('tells of the pods of a node that is gone', async () => {
    const { items } = await document('podgc node/node-7');
    expect(items.map(({ pod: { name }, rule }) => [name, rule])).toEqual([['api-2924j', 'Orphaned']]);
    expect((await document('podgc no/node-7 no/node-4')).items).toHaveLength(2);
  });

  test('prints documents as the schema says, in JSON and in YAML', async () => {
    const validate = new Ajv2020({ strict: true }).compile(schemaOf('PodGCCandidateList'));
    for (const words of ['podgc', 'podgc --terminated-pod-gc-threshold=1', 'podgc pod/well']) {
      const list = await document(words);
      expect(validate(list), JSON.stringify(validate.errors)).toBe(true);
      const { out } = await run(`${words} -o yaml`);
      expect({ ...(parse(out) as object), basis: 0 }).toEqual({ ...list, basis: 0 });
    }
    const { items } = await document('podgc');
    expect(items.find(({ rule }) => rule === 'Orphaned')).toMatchObject({
      pod: { apiVersion: 'v1', kind: 'Pod', namespace: 'shop', name: 'api-2924j' },
      node: { apiVersion: 'v1', kind: 'Node', name: 'node-7' },
      due: 'at',
      dueAt: '2026-11-21T12:00:30Z',
      dueBy: '2026-11-21T12:01:21Z',
      conditionAdded: 'DisruptionTarget',
      heldBy: [],
    });
  });

  test('prints what goes by name, and rows alone without headers', async () => {
    expect((await run('podgc -o name')).out).toBe('pod/db-1\npod/api-2924j\nbatch/pod/import-x\n');
    const { out, err } = await run('podgc --no-headers');
    expect(out.split('\n')).toHaveLength(5);
    expect(err).toContain('Terminated: 3 of 12,500');
  });

  test('fits a narrow terminal', async () => {
    const { out } = await run('podgc', { terminal: true, columns: 60, env: { NO_COLOR: '1' } });
    for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(60);
    expect(out).toContain('shop/db-1 (OutOfService): node-4 not ready');
  });

  test('says what it cannot tell where nodes cannot be seen', async () => {
    const nodes = builtInTypes.find(({ kind }) => kind === 'Node');
    if (nodes === undefined) throw new Error('no type of nodes');
    const blind = { type: nodes, state: 'blind', count: 0, facts: true, reason: '403' } as const;
    const without = troubled.replaceAll(/^- \{kind: Node,.*$/gmu, '');
    const { out, err } = await run('podgc', { source: new SmallSource(without, { statuses: [blind] }) });
    expect(out).not.toContain('Orphaned');
    expect(out).toMatch(/^- +shop\/db-1 +node-4 +unknown +nodes cannot be seen/mu);
    expect(out).toContain('Not all nodes can be seen');
    expect(err).toContain('nodes (403)');
  });

  test('--watch prints what becomes due and what is gone, once', async () => {
    const source = new SmallSource(troubled);
    let told = 0;
    const { out, exitCode } = await run('podgc -w --no-headers', {
      source,
      onOutput: (text, interrupt) => {
        const lines = text.split('\n').length - 1;
        if (told === 0 && lines >= 4) {
          told = 1;
          const fresh = objects(`
- {kind: Node, name: node-5, namespace: "", resourceVersion: "2", spec: {taints: [{key: node.kubernetes.io/out-of-service, effect: NoSchedule}]}, status: {conditions: [{type: Ready, status: Unknown}]}}
`);
          source.emit({ changes: fresh });
        } else if (told === 1 && /db-2 +node-5 +now/u.test(text)) {
          told = 2;
          const db = objects('- {kind: Pod, name: db-2}')[0];
          if (db?.op !== 'upsert') throw new Error('no pod');
          source.emit({ changes: [{ op: 'delete', uid: db.object.uid, type: db.object.type }] });
        } else if (told === 2 && text.includes('gone')) interrupt();
      },
    });
    expect(exitCode).toBe(130);
    expect(out).toMatch(
      /^OutOfService +shop\/db-2 +node-5 +now +node-5 not ready, tainted out-of-service$/mu,
    );
    expect(out).toContain('shop/db-2 on node-5: gone (OutOfService)\n');
  });

  test('speaks for no taint where the kubelet of the node reports', async () => {
    const reports = troubled.replace(
      'name: node-5, namespace: "", status: {conditions: [{type: Ready, status: Unknown}]}',
      'name: node-5, namespace: "", status: {conditions: [{type: Ready, status: "False"}]}',
    );
    const { out } = await run('podgc -o wide', { source: new SmallSource(reports) });
    expect(out).toContain(
      'node-5 is not ready, and its kubelet says so itself: its machine runs, and may end its pods yet. The taint out-of-service would be untrue: PodGC would delete 1 terminating pod, and 1 other pod would be evicted: shop/web-0; 1 tolerates it, while they may still run.\n',
    );
    expect(out).not.toContain('plan taint');
  });

  test('calls nothing overdue in files, which may have been copied long after', async () => {
    const old = troubled.replaceAll('11:59:5', '10:59:5');
    const files = new SmallSource(old);
    Object.assign(files.info, { source: 'files', takenAt: Date.parse('2026-11-21T12:00:00Z') });
    for (const source of [files, new SmallSource(old)]) {
      const { items } = await document('podgc', { source });
      expect(items.some(({ overdue }) => overdue === true)).toBe(source !== files);
    }
  });

  test('--watch prints nothing for an estimate that only time has passed by', async () => {
    const began = Date.parse('2026-11-21T12:00:00Z');
    let looks = 0;
    let lines = 0;
    const { out } = await run('podgc -w --no-headers', {
      source: new SmallSource(troubled),
      // After the first answer some seconds pass by, and then more than any estimate.
      now: () => {
        if (lines > 0) looks += 1;
        return began + (looks === 0 ? 0 : looks < 5 ? 3_000 : 300_000);
      },
      onOutput: (text, interrupt) => {
        lines = text.split('api-2924j').length - 1;
        if (/overdue.*api-2924j|api-2924j.*overdue/u.test(text)) interrupt();
      },
    });
    expect(out).toContain('overdue');
    // The first answer, and that it is overdue.
    expect(lines).toBe(2);
  });

  test('--watch tells of a pod that comes under a name that was asked about', async () => {
    const source = new SmallSource(troubled);
    let emitted = false;
    const { out } = await run('podgc pod/well -w --no-headers', {
      source,
      onOutput: (text, interrupt) => {
        if (!emitted && text.includes('shop/well')) {
          emitted = true;
          const old = objects('- {kind: Pod, name: well}')[0];
          const made = objects('- {kind: Pod, name: well, uid: again, spec: {nodeName: node-7}}');
          if (old?.op !== 'upsert') throw new Error('no pod');
          source.emit({ changes: [{ op: 'delete', uid: old.object.uid, type: old.object.type }, ...made] });
        } else if (text.includes('node-7')) interrupt();
      },
    });
    expect(out).toMatch(/^Orphaned +shop\/well +node-7 +~12:00:\d\dZ/mu);
  });

  describe('by the lease of kube-controller-manager', () => {
    const lease = (renewed: string, holder = 'master_1') => ({
      spec: {
        holderIdentity: holder,
        acquireTime: '2026-11-21T11:00:00.000000Z',
        renewTime: renewed,
        leaseDurationSeconds: 15,
      },
    });

    class LeasedSource extends SmallSource {
      readonly leases: JsonObject[];
      asked = 0;
      constructor(yaml: string, ...leases: JsonObject[]) {
        super(yaml);
        this.leases = leases;
      }
      override async get(type: ResourceType, namespace: string, name: string) {
        if (`${type.kind} ${namespace}/${name}` !== 'Lease kube-system/kube-controller-manager')
          return undefined;
        this.asked += 1;
        return this.leases[Math.min(this.asked, this.leases.length) - 1];
      }
    }

    test('says since when it runs, and that it does', async () => {
      const source = new LeasedSource(troubled, lease('2026-11-21T11:59:59.000000Z'));
      const { manager } = await document('podgc', { source });
      expect(manager).toEqual({
        holder: 'master_1',
        startedAt: '2026-11-21T11:00:00Z',
        renewedAt: '2026-11-21T11:59:59Z',
        away: false,
      });
      expect(source.asked).toBe(1);
    });

    test('says first that it is away, after a second look', async () => {
      const source = new LeasedSource(troubled, lease('2026-11-21T11:48:00.000000Z'));
      const { out, exitCode } = await run('podgc', { source });
      expect([exitCode, source.asked]).toEqual([0, 2]);
      expect(out).toContain(
        'kube-controller-manager last renewed its lease 12m ago. Unless it runs without leader election it is away: then PodGC deletes nothing until it is back, and every quarantine begins anew.\n',
      );
      expect(out).toContain('Times are estimates, and hold only if kube-controller-manager runs.\n');
    });

    test('says nothing against a manager whose clock is behind', async () => {
      const source = new LeasedSource(
        troubled,
        lease('2026-11-21T11:48:00.000000Z'),
        lease('2026-11-21T11:48:03.000000Z'),
      );
      expect((await run('podgc', { source })).out).not.toContain('renewed');
    });

    test('says that nobody runs the controllers where it was given up', async () => {
      const source = new LeasedSource(troubled, lease('2026-11-21T11:59:00.000000Z', ''));
      expect((await run('podgc', { source })).out).toContain(
        'kube-controller-manager gave up its lease 60s ago, and none holds it since: PodGC deletes nothing until one runs',
      );
    });

    test('is not asked for where nothing waits for it', async () => {
      const source = new LeasedSource(
        '- {kind: Namespace, name: shop, namespace: ""}',
        lease('2026-11-21T11:00:00Z'),
      );
      const { out } = await run('podgc', { source });
      expect([source.asked, out]).toEqual([
        0,
        expect.stringContaining('PodGC deletes no pod, and none looks as if it would.'),
      ]);
    });
  });

  test("goes by the API server's clock where this one differs", async () => {
    const late = troubled.replaceAll('11:59:5', '11:49:5');
    const skewed = new SmallSource(late);
    Object.assign(skewed.info, { clockOffset: -600_000 });
    const overdue = (await document('podgc', { source: new SmallSource(late) })).items;
    expect(overdue.some(item => item.overdue === true)).toBe(true);
    const { items } = await document('podgc', { source: skewed });
    expect(items.some(item => item.overdue === true)).toBe(false);
    expect(items[0]).toMatchObject({ due: 'now', dueBy: '2026-11-21T11:50:21Z' });
  });

  test.each([
    ['podgc -o dot', 'podgc cannot print dot. Use -o text, wide, json, yaml, name or markdown.'],
    [
      'podgc -o junit',
      'podgc cannot print junit, which is for check and wait. Use -o text, wide, json, yaml, name or markdown.',
    ],
    ['podgc --terminated-pod-gc-threshold=many', 'No "many"'],
    ['podgc node/node-9', 'node "node-9" not found'],
    ['podgc ns/batch', 'no pod is meant'],
    ['podgc --sort-by=name', "podgc prints pods in PodGC's own order"],
  ])('refuses %s in one line', async (words, message) => {
    const { out, err, exitCode } = await run(words);
    expect([out, exitCode]).toEqual(['', 2]);
    expect(err.toLowerCase()).toContain(message.toLowerCase().replace('no "many"', 'no many'));
    expect(err.trimEnd().split('\n').length).toBeLessThanOrEqual(2);
  });
});

test('files with some of the nodes are judged by these, and blind for the others', async () => {
  const pod = (name: string, node: string): string => `---
apiVersion: v1
kind: Pod
metadata: {name: ${name}, namespace: shop, uid: ${name}, creationTimestamp: "2026-11-01T00:00:00Z", deletionTimestamp: "2026-11-01T01:00:00Z", deletionGracePeriodSeconds: 30}
spec: {nodeName: ${node}, containers: [{name: a, image: a}]}
status: {phase: Running}
`;
  const node = `
apiVersion: v1
kind: Node
metadata: {name: n1, uid: n1, creationTimestamp: "2026-10-01T00:00:00Z"}
spec: {taints: [{key: node.kubernetes.io/out-of-service, effect: NoExecute, value: x}]}
status: {conditions: [{type: Ready, status: Unknown}]}
`;
  const { out } = await command('podgc -A -f -', { stdin: `${node}${pod('a', 'n1')}${pod('b', 'n9')}` });
  expect(out).toMatch(/OutOfService +shop\/a +n1 +now/u);
  expect(out).toMatch(/shop\/b +n9 +unknown +nodes cannot be seen/u);
  expect(out).toContain('Not all nodes can be seen');
});
