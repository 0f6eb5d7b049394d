import { describe, expect, it } from 'vitest';
import type { Health } from '../../../../src/cli/servers/http/health.ts';
import { Metrics } from '../../../../src/cli/servers/http/metrics.ts';
import type { FindingCount, Observation } from '../../../../src/cli/servers/http/observation.ts';

const now = Date.parse('2026-11-21T12:00:00Z');

const healthy: Health = {
  synced: true,
  live: true,
  tells: true,
  followedUntil: now,
  blind: { expected: 0, unexpected: 0 },
  polled: 0,
  reasons: [],
};

function finding(namespace: string, count = 1): FindingCount {
  return { code: 'OwnerCycle', severity: 'warning', namespace, count };
}

function observed(...findings: FindingCount[]): Observation {
  return {
    at: now,
    objects: 10,
    findings,
    deleting: 3,
    stuck: { count: 2, oldest: now - 90_000 },
    pending: { count: 0, oldest: undefined },
    podGc: undefined,
  };
}

async function linesOf(metrics: Metrics, observation: Observation | undefined, health = healthy) {
  const text = await metrics.render({ health, now, lastEvent: now - 5_000, observation });
  return text.split('\n').filter(line => line !== '' && !line.startsWith('#'));
}

function some(most: number): Metrics {
  return new Metrics({ version: '1.2.3', maxNamespaces: most, withProcess: false });
}

describe('namespaces', () => {
  it('have series of their own up to a number; the others are counted together, and how many is told', async () => {
    const metrics = some(2);
    const lines = await linesOf(
      metrics,
      observed(finding('a', 1), finding('b', 5), finding('c', 3), finding('d', 2), finding('', 7)),
    );
    const told = lines.filter(line => line.startsWith('gc_tree_findings')).sort();
    expect(told).toEqual([
      'gc_tree_findings{code="OwnerCycle",severity="warning",namespace="_cluster"} 7',
      'gc_tree_findings{code="OwnerCycle",severity="warning",namespace="_other"} 3',
      'gc_tree_findings{code="OwnerCycle",severity="warning",namespace="b"} 5',
      'gc_tree_findings{code="OwnerCycle",severity="warning",namespace="c"} 3',
    ]);
    expect(lines).toContain('gc_tree_namespaces_over_limit 2');
    expect(lines).toContain('gc_tree_severity_findings{severity="warning"} 18');
  });

  it('keep their series as long as they have findings, whatever comes elsewhere', async () => {
    const metrics = some(1);
    await linesOf(metrics, observed(finding('a')));
    const kept = await linesOf(metrics, observed(finding('a'), finding('b', 9)));
    expect(kept).toContain('gc_tree_findings{code="OwnerCycle",severity="warning",namespace="a"} 1');
    const passedOn = await linesOf(metrics, observed(finding('b', 9)));
    expect(passedOn).toContain('gc_tree_findings{code="OwnerCycle",severity="warning",namespace="b"} 9');
    expect(passedOn.join()).not.toContain('namespace="a"');
  });
});

describe('what cannot be told', () => {
  it('has no series before everything was listed, and none again after it was not followed for long', async () => {
    const metrics = some(9);
    const unsynced = { ...healthy, synced: false, live: false, tells: false, followedUntil: undefined };
    const before = await linesOf(metrics, undefined, unsynced);
    expect(before).toContain('gc_tree_view_synced 0');
    expect(before.join()).not.toMatch(/stuck|objects|findings|podgc|age_seconds/u);
    expect(await linesOf(metrics, observed(finding('a')))).toContain('gc_tree_stuck_deletions 2');
    const lost = { ...healthy, live: false, tells: false, followedUntil: now - 120_000 };
    const after = await linesOf(metrics, observed(finding('a')), lost);
    expect(after).toContain('gc_tree_view_age_seconds 120');
    expect(after.join()).not.toMatch(/stuck|objects|findings|podgc/u);
  });

  it('is left out of PodGC where nodes or pods cannot be seen', async () => {
    const metrics = some(9);
    expect((await linesOf(metrics, observed())).join()).not.toContain('podgc');
    const podGc = new Map([['Orphaned', { candidates: 4, overdue: 1 }] as const]);
    const lines = await linesOf(metrics, { ...observed(), podGc });
    expect(lines).toContain('gc_tree_podgc_candidates{rule="Orphaned"} 4');
    expect(lines).toContain('gc_tree_podgc_overdue_candidates{rule="Orphaned"} 1');
  });
});

it('tells ages in seconds, and 0 where nothing waits', async () => {
  const lines = await linesOf(some(9), observed());
  expect(lines).toContain('gc_tree_oldest_stuck_deletion_age_seconds 90');
  expect(lines).toContain('gc_tree_oldest_pending_collection_age_seconds 0');
  expect(lines).toContain(`gc_tree_last_event_timestamp_seconds ${(now - 5_000) / 1_000}`);
});

it('tells the size of a history and whether it is written, if there is one', async () => {
  const metrics = some(9);
  const told = { health: healthy, now, lastEvent: undefined, observation: undefined };
  expect(await metrics.render(told)).not.toMatch(/^gc_tree_history/mu);
  const history = { bytes: 4_096, entries: 3, isWritten: false };
  const text = await metrics.render({ ...told, history });
  expect(text.match(/^gc_tree_history.*$/gmu)).toEqual([
    'gc_tree_history_bytes 4096',
    'gc_tree_history_entries 3',
    'gc_tree_history_written 0',
  ]);
});
