import { describe, expect, test } from 'vitest';
import { ActivityKind } from '../../src/activity/activity-entry.ts';
import { holdPage, readPage } from './checked-page.ts';

describe('docs/collector.md', () => {
  test('has a row for each kind of entry, in order', () => {
    const [, activity = ''] = /^## Activity\n([^]*?)^## /mu.exec(readPage('collector.md')) ?? [];
    const rows = [...activity.matchAll(/^\| `(\w+)` \|/gmu)].map(([, kind]) => kind);
    expect(rows).toEqual([...ActivityKind.all]);
  });

  holdPage('collector.md');
});
