import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ActivityEntry } from '../../src/activity/activity-entry.ts';
import { ActivityLog } from '../../src/app/cluster/activity-rows.ts';
import { ClusterView } from '../../src/graph/cluster-view.ts';
import type { Change } from '../../src/model/exchange/changes.ts';
import type { ResourceVersion, Uid } from '../../src/model/object.ts';
import { listedBatch, now, objects } from '../cli/documents/cluster.ts';

const owners = ['', 'v1 ConfigMap a a +b', 'v1 ConfigMap b b +c', 'v1 ConfigMap c c +b'];
const deletions = [
  '',
  ", deletionTimestamp: '2026-11-21T11:59:00Z', finalizers: [foregroundDeletion]",
  ", deletionTimestamp: '2026-11-21T11:59:00Z', finalizers: [orphan]",
  ", deletionTimestamp: '2026-11-21T11:59:00Z', finalizers: [example.com/x]",
];

/** A chain of owners, with what hangs on it in two namespaces: each comes, is marked, changes its owners, or goes. */
const anyChange: fc.Arbitrary<Change> = fc
  .record({
    name: fc.constantFrom('a', 'b', 'c', 'd', 'e'),
    owner: fc.constantFrom(...owners),
    deletion: fc.constantFrom(...deletions),
    isGone: fc.boolean(),
    again: fc.boolean(),
    // Watches of different kinds report late: what came first is told by the versions.
    version: fc.nat({ max: 40 }),
  })
  .map(({ name, owner, deletion, isGone, again, version }) => {
    const namespace = name === 'e' ? 'infra' : 'shop';
    const owned = owner === '' ? '' : `, owners: [${owner}]`;
    const uid = again ? `, uid: ${name}-2` : '';
    const [change] = objects(
      `- { kind: ConfigMap, namespace: ${namespace}, name: ${name}, resourceVersion: '${version}'${uid}${owned}${deletion} }`,
    );
    if (change?.op !== 'upsert') throw new Error('no object');
    const { uid: known, type, resourceVersion } = change.object;
    return isGone ? { op: 'delete', uid: known, type, resourceVersion } : change;
  });

const anyHistory = fc.array(
  fc.record({ changes: fc.array(anyChange, { maxLength: 5 }), wait: fc.constantFrom(0, 100, 1_000, 6_000) }),
  { maxLength: 25 },
);

/** What is shown: by action, the ids of the entries below it. */
function picture(log: ActivityLog): readonly (readonly [string, ...string[]])[] {
  const groups: [string, ...string[]][] = [];
  for (const row of log.rows.window(0, 10_000)) {
    if (row.kind === 'item') groups.at(-1)?.push(row.key);
    else groups.push([row.key]);
  }
  return groups;
}

test.each([undefined, 'shop'])('each entry stands once, below its action, by ids (scope %s)', scope => {
  fc.assert(
    fc.property(anyHistory, fc.constantFrom('', 'configmap b', 'collected'), (history, words) => {
      const view = new ClusterView();
      view.apply(listedBatch(objects('- { kind: ConfigMap, name: a }')), now);
      const log = new ActivityLog(view, { now, scope, standsStill: false });
      let at = now;
      // Narrowed from the beginning, and looked at now and then: kept batch by batch.
      log.rows.setFilter(words);
      for (const { changes, wait } of history) {
        at += wait;
        log.offer(changes, at);
        view.apply({ changes }, at);
        log.take(at);
        if (wait > 0) picture(log);
      }
      const kept = picture(log);
      // Looked at anew, with other words between.
      log.rows.setFilter('other words');
      expect(picture(log).flat()).toEqual([]);
      log.rows.setFilter(words);
      expect(picture(log)).toEqual(kept);
      if (words !== '' || scope !== undefined) return;
      const shown = log.rows.window(0, 10_000).flatMap(row => {
        if (row.kind === 'item') return [[row.item, row.group] as const];
        return row.head.of === 'action' ? [[row.head.entry, row.key] as const] : [];
      });
      expect(shown).toHaveLength(log.length);
      expect(new Set(shown.map(([entry]) => entry)).size).toBe(log.length);
      for (const [entry, group] of shown) expect(group).toBe(`e${ActivityEntry.root(entry).id}`);
      for (const group of kept) {
        const ids = group.slice(1).map(key => Number(key.slice(1)));
        expect(ids).toEqual(ids.toSorted((a, b) => a - b));
      }
    }),
    { numRuns: 500 },
  );
});

test('what is forgotten is shown no more, however long it goes on', () => {
  const view = new ClusterView();
  view.apply(listedBatch(objects('- { kind: ConfigMap, name: root }')), now);
  const log = new ActivityLog(view, { now, scope: undefined, standsStill: false });
  for (let round = 0; round < 70; round += 1) {
    const names = Array.from({ length: 100 }, (_, i) => `- { kind: ConfigMap, name: n${round}-${i} }`);
    const made = objects(names.join('\n'));
    const gone = made.flatMap(change =>
      change.op === 'upsert'
        ? [{ op: 'delete' as const, uid: change.object.uid, type: change.object.type }]
        : [],
    );
    for (const changes of [made, gone]) {
      log.offer(changes, now + round);
      view.apply({ changes }, now + round);
      log.take(now + round);
    }
  }
  expect(log.length).toBe(5_000);
  expect(log.forgotten).toBe(2_000);
  // With the line from which on it was followed.
  expect(log.rows.length).toBe(5_001);
  const [, first] = log.rows.window(0, 2);
  expect(first?.kind === 'group' && first.head.of === 'action' && first.head.entry.object.name).toBe('n20-0');
});

test('what follows from an action moves with it below the one that is reported late', () => {
  const view = new ClusterView();
  const chain = objects(`
- { kind: Deployment, name: a }
- { kind: ReplicaSet, name: b, owners: [apps/v1 Deployment a a +c +b] }
- { kind: Pod, name: c, owners: [apps/v1 ReplicaSet b b +c +b] }`);
  view.apply(listedBatch(chain), now);
  const log = new ActivityLog(view, { now, scope: undefined, standsStill: true });
  const goes = (uid: string, resourceVersion: string): void => {
    const { object } = view.graph.get(uid as Uid) ?? {};
    if (object === undefined) throw new Error(`no ${uid}`);
    const changes: Change[] = [
      {
        op: 'delete',
        uid: object.uid,
        type: object.type,
        resourceVersion: resourceVersion as ResourceVersion,
      },
    ];
    log.offer(changes, now);
    view.apply({ changes }, now);
    log.take(now);
  };
  goes('b', '5');
  goes('c', '6');
  expect(picture(log)).toEqual([['e1', 'e2']]);
  goes('a', '4');
  expect(picture(log)).toEqual([['e3', 'e1', 'e2']]);
});
