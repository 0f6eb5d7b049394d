import fc from 'fast-check';
import { expect, test } from 'vitest';
import { PodGc } from '../../src/app/cluster/podgc-rows.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Change } from '../../src/model/exchange/changes.ts';
import { ResourceType } from '../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../src/source/built-in-types.ts';
import { now, objects } from '../cli/documents/cluster.ts';

const taint = `spec: { taints: [{ key: node.kubernetes.io/out-of-service, effect: NoExecute }] }`;
const deleting = `deletionTimestamp: '2026-11-21T11:59:00Z', deletionGracePeriodSeconds: 0`;

function condition(status: string): string {
  return `status: { conditions: [{ type: Ready, status: '${status}' }] }`;
}

/** Each in every state that a rule looks at. */
const states = [
  ...['n-1', 'n-2'].map(name => [
    `- { kind: Node, name: ${name}, namespace: '', ${condition('True')} }`,
    `- { kind: Node, name: ${name}, namespace: '', ${condition('Unknown')} }`,
    `- { kind: Node, name: ${name}, namespace: '', ${taint}, ${condition('Unknown')} }`,
  ]),
  ...[
    ['shop', 'a', 'n-1'],
    ['shop', 'b', 'n-1'],
    ['infra', 'c', 'n-2'],
    ['shop', 'd', ''],
  ].map(([namespace, name, node]) =>
    [
      `status: { phase: Running }`,
      `status: { phase: Failed }`,
      `${deleting}, status: { phase: Running }`,
      `${deleting}, finalizers: [example.com/hold], status: { phase: Failed }`,
    ].map(
      rest =>
        `- { kind: Pod, namespace: ${namespace}, name: ${name}, spec: { nodeName: '${node}' }, ${rest} }`,
    ),
  ),
].map(bodies => bodies.flatMap(each => objects(each)));

const anyChange = fc.constantFrom(
  ...states.flatMap((all): Change[] => {
    const [first] = all;
    if (first?.op !== 'upsert') return [];
    const { uid, type } = first.object;
    return [...all, { op: 'delete', uid, type }];
  }),
);

const anyHistory = fc.array(
  fc.record({
    changes: fc.array(anyChange, { maxLength: 4 }),
    after: fc.constantFrom(0, 33, 1_000, 20_000, 120_000),
  }),
  { maxLength: 20 },
);

/** Everything but times: those are known better to whoever has watched. */
function picture(podGc: PodGc) {
  const { due, elsewhere } = podGc.counts();
  const rows = podGc.rows.window(0, 1_000);
  return { due, elsewhere, rows: rows.map(row => (row.kind === 'group' ? [row.key, row.count] : row.key)) };
}

test.each([undefined, 'shop'])(
  'what PodGC deletes after any history is what a fresh look finds (scope %s)',
  scope => {
    fc.assert(
      fc.property(anyHistory, fc.boolean(), (history, looks) => {
        const view = new ClusterView();
        const statuses = builtInTypes
          .filter(ResourceType.isMonitored)
          .map(type => ({ type, state: 'synced' as const, count: 0, facts: true }));
        view.apply({ changes: [], types: builtInTypes, statuses, connection: { state: 'live' } }, 0);
        view.settings = { serverVersion: 'v1.36.3', terminatedPodGcThreshold: 1 };
        const kept = new PodGc(view, { now, scope });
        let time = now;
        for (const { changes, after } of history) {
          time += after;
          kept.advance(time);
          kept.apply(view.apply({ changes }, time), time);
          // Somebody who looks in between must not see anything else afterwards.
          if (looks) picture(kept);
        }
        expect(picture(kept)).toEqual(picture(new PodGc(view, { now: time, scope })));
      }),
      { numRuns: 200 },
    );
  },
);
