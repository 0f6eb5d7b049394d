import { describe, expect, test } from 'vitest';
import { forecast } from '../../../src/forecast/compose/forecaster.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { warningWords } from '../../../src/text/plan/warning-words.ts';
import { now, objectOf, planDelete, planUnblock, viewOf } from '../fixtures.ts';
import { namespace, node, podOn, statefulSet } from './fixtures.ts';

const world = (on: string, more = ''): ClusterView =>
  viewOf(
    namespace +
      node('alive', 'True') +
      node('lost', 'Unknown') +
      statefulSet('db', on, more) +
      podOn('bare', { node: on }) +
      podOn('done', { node: on, phase: 'Succeeded' }),
  );

const force = (view: ClusterView, uids: string): readonly string[] => {
  const targets = uids.split(' ').map(uid => objectOf(view, uid));
  const action = { verb: 'delete', cascade: 'background', gracePeriodSeconds: 0, targets } as const;
  return warningWords.sentences(forecast(view, action, { now }).alarms);
};

describe('a pod that is deleted by force', () => {
  test('could run twice where its StatefulSet makes it again, which comes before anything else', () => {
    const [alarm = '', ...more] = force(world('lost'), 'db-0');
    expect(more).toEqual([]);
    expect(alarm).toMatch(
      /^Pod shop\/db-0 could run twice: StatefulSet db recreates it, and lost is not ready/u,
    );
    expect(force(world('alive'), 'db-0')[0]).toContain('nothing waits for the kubelet of alive');
  });

  test('may run on unseen where nobody makes it again and no kubelet answers', () => {
    expect(force(world('lost'), 'bare')).toEqual([
      expect.stringContaining('none is known to answer for Pod shop/bare'),
    ]);
    expect(force(world('alive'), 'bare')).toEqual([]);
  });

  test('on a node that cannot be seen isn’t said to be on one that isn’t ready', () => {
    const some = world('unknown');
    const statuses = some.catalog.types
      .filter(({ kind }) => kind === 'Node')
      .map(type => ({ type, state: 'blind' as const, count: 0, facts: false, reason: 'forbidden' }));
    some.apply({ changes: [], statuses }, 0);
    expect(force(some, 'db-0')[0]).toContain('whether unknown answers cannot be seen');
  });

  test('and has finished, or waits for its kubelet, is nothing to be loud about', () => {
    expect(force(world('lost'), 'done')).toEqual([]);
    expect(warningWords.sentences(planDelete(world('lost'), 'db-0 bare').alarms)).toEqual([]);
  });

  test('by a remedy is told alike', () => {
    const deleting = ', deletionTimestamp: "2026-11-21T11:48:00Z", deletionGracePeriodSeconds: 30';
    const { alarms } = planUnblock(world('lost', deleting), 'db-0', 'redelete/background-now');
    expect(warningWords.sentences(alarms)).toEqual([
      expect.stringContaining('Pod shop/db-0 could run twice'),
    ]);
  });
});
