import { describe, expect, it } from 'vitest';
import { ManagerLease } from '../../../src/model/exchange/manager-lease.ts';
import { ManagerRun } from '../../../src/podgc/survey/manager-run.ts';
import { node, pod } from '../fixtures.ts';
import { gone, start, surveyed } from '../survey-cluster.ts';

const lease = { holder: 'one', acquiredAt: start - 3_600_000, renewedAt: start - 1_000, duration: 15_000 };

describe('the lease of kube-controller-manager', () => {
  it('tells since when the run goes on', () => {
    const run = new ManagerRun();
    expect([run.holder, run.startedAt, run.isAway]).toEqual([undefined, undefined, false]);
    expect(run.learn(lease, start)).toBe(true);
    expect([run.holder, run.startedAt, run.isAway]).toEqual(['one', start - 3_600_000, false]);
    expect(run.learn({ ...lease, renewedAt: start + 4_000 }, start + 5_000)).toBe(false);
    expect(
      run.learn(
        { ...lease, holder: 'two', acquiredAt: start + 9_000, renewedAt: start + 9_000 },
        start + 10_000,
      ),
    ).toBe(true);
    expect(run.startedAt).toBe(start + 9_000);
  });

  it('tells that nobody runs the controllers once it is silent for a minute, or given up', () => {
    const run = new ManagerRun();
    run.learn(lease, start + 58_000);
    expect(run.isAway).toBe(false);
    run.learn(lease, start + 60_000);
    expect(run.isAway).toBe(true);
    run.learn({ ...lease, holder: '', renewedAt: start }, start + 2_000);
    expect([run.isAway, run.startedAt]).toEqual([false, undefined]);
    run.learn({ ...lease, holder: '', renewedAt: start }, start + 16_000);
    expect(run.isAway).toBe(true);
  });

  it('waits longer where the lease itself is longer', () => {
    const run = new ManagerRun();
    run.learn({ ...lease, duration: 60_000 }, start + 200_000);
    expect(run.isAway).toBe(false);
    run.learn({ ...lease, duration: 60_000 }, start + 240_000);
    expect(run.isAway).toBe(true);
  });

  it('takes a manager whose clock is behind for what it is, once it has renewed the lease', () => {
    const run = new ManagerRun();
    const behind = 300_000;
    run.learn({ ...lease, renewedAt: start - behind }, start);
    expect(run.isAway).toBe(true);
    run.learn({ ...lease, renewedAt: start + 3_000 - behind }, start + 3_000);
    expect([run.isAway, run.startedAt, run.renewedAt]).toEqual([
      false,
      lease.acquiredAt + behind,
      start + 3_000,
    ]);
    // It ends then.
    run.learn({ ...lease, renewedAt: start + 3_000 - behind }, start + 90_000);
    expect(run.isAway).toBe(true);
  });

  it('takes a manager whose clock is ahead for what it is', () => {
    const run = new ManagerRun();
    run.learn({ ...lease, acquiredAt: start + 295_000, renewedAt: start + 300_000 }, start);
    expect([run.isAway, run.startedAt]).toEqual([false, start - 5_000]);
  });

  it('is read from what kubectl shows, and nothing else is', () => {
    const spec = {
      holderIdentity: 'master_1',
      acquireTime: '2026-11-21T11:00:00.000000Z',
      renewTime: '2026-11-21T11:59:59.000000Z',
      leaseDurationSeconds: 15,
    };
    expect(ManagerLease.read({ spec })).toEqual({ ...lease, holder: 'master_1' });
    expect(ManagerLease.read({ spec: { ...spec, holderIdentity: undefined } })?.holder).toBe('');
    for (const json of [
      undefined,
      {},
      { spec: { ...spec, renewTime: 'never' } },
      { spec: { ...spec, leaseDurationSeconds: '15' } },
    ])
      expect(ManagerLease.read(json)).toBeUndefined();
  });
});

describe('a quarantine that a restart of kube-controller-manager begins anew', () => {
  const running = pod('a', { nodeName: 'worker', phase: 'Running' });

  it('runs from the new run on', () => {
    const { survey, apply } = surveyed([node('worker', true), running]);
    survey.learnManager(lease, start);
    apply([gone(node('worker', true))], start);
    expect(survey.items(start)[0]?.due).toMatchObject({ from: start + 39_000, by: start + 81_000 });
    const began = start + 30_000;
    const next = { holder: 'two', acquiredAt: began, renewedAt: began + 1_000, duration: 15_000 };
    survey.learnManager(next, began + 1_000);
    const [item] = survey.items(began + 1_000);
    expect(item?.due).toMatchObject({ when: 'at', from: began + 40_000, by: began + 81_000 });
    expect(item?.reason).toMatchObject({ kind: 'NodeGone', restarted: began });
  });

  it('is not overdue for the time without one', () => {
    const { survey, apply } = surveyed([node('worker', true), running]);
    survey.learnManager(lease, start);
    apply([gone(node('worker', true))], start);
    const late = start + 600_000;
    survey.learnManager(lease, late);
    expect(survey.items(late)[0]?.due).toMatchObject({ when: 'overdue', manager: 'away' });
    const next = { holder: 'two', acquiredAt: late, renewedAt: late, duration: 15_000 };
    survey.learnManager(next, late + 1_000);
    expect(survey.items(late + 1_000)[0]?.due).toMatchObject({ when: 'at', by: late + 81_000 });
    survey.learnManager({ ...next, renewedAt: late + 200_000 }, late + 200_000);
    expect(survey.items(late + 200_000)[0]?.due).toMatchObject({ when: 'overdue', manager: 'runs' });
  });
});
