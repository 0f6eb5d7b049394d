import { describe, expect, test } from 'vitest';
import { activityKinds } from '../../src/activity/entry.ts';
import { holdPage, readPage } from './checked-page.ts';

describe('docs/activity.md', () => {
  test('has a row for each kind of entry, in order', () => {
    const rows = [...readPage('activity.md').matchAll(/^\| `(\w+)` \|/gmu)].map(([, kind]) => kind);
    expect(rows).toEqual([...activityKinds]);
  });

  holdPage('activity.md');
});
