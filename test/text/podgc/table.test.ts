import { expect, test } from 'vitest';
import { PodGcSurvey } from '../../../src/podgc/survey/podgc-survey.ts';
import { type PodGcTextOptions, podGcTable } from '../../../src/text/podgc/podgc-table.ts';
import { now, viewOf } from '../../cli/documents/cluster.ts';

const options: PodGcTextOptions = { wide: false, headers: true, width: undefined, ellipsis: '…', now };

/** A pod of a missing node and one that was never scheduled, as lines of at most `width` columns. */
function lines(more: Partial<PodGcTextOptions>): string[] {
  const view = viewOf(`
- { kind: Node, name: healthy, namespace: '' }
- { kind: Pod, name: lost, spec: { nodeName: gone } }
- { kind: Pod, name: early, deletionTimestamp: '2026-11-21T11:59:58Z', deletionGracePeriodSeconds: 0,
    finalizers: [example.com/hold], status: { phase: Pending } }
`);
  const items = new PodGcSurvey(view, { now }).items(now);
  const look = { ...options, ...more };
  const columns = podGcTable.widths(items, look);
  return [...podGcTable.lines(items, columns, look)].map(({ spans }) =>
    spans.map(({ text }) => text).join(''),
  );
}

test('on a narrow terminal a pod is a paragraph, whose time stands apart from its name', () => {
  expect(lines({ width: 60 })).toEqual([
    expect.stringMatching(/^in ~\d\ds {2}shop\/lost \(Orphaned\): gone does not exist/u),
    expect.stringMatching(/^now {6}shop\/early \(UnscheduledTerminating\): deleted before/u),
  ]);
});

test('a time of day stands apart from the name as well', () => {
  expect(lines({ width: 60, clock: true })).toEqual([
    expect.stringMatching(/^~\d\d:\d\d:\d\dZ {2}shop\/lost \(Orphaned\)/u),
    expect.stringMatching(/^now {9}shop\/early \(UnscheduledTerminating\)/u),
  ]);
});

test('where there is no room for columns, a wide answer says in words what they would say', () => {
  expect(lines({ width: 60, wide: true })).toEqual([
    expect.stringMatching(/quarantine runs; by 2026-11-21T12:0\d:\d\dZ; adds DisruptionTarget$/u),
    expect.stringMatching(/held by example.com\/hold afterwards; by 2026-11-21T12:0\d:\d\dZ$/u),
  ]);
});
