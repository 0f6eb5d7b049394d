import { describe, expect, test } from 'vitest';
import { schemas } from '../cli/documents/schema.ts';
import { holdPage, readPage } from './checked-page.ts';

describe('docs/documents.md', () => {
  test('lists every kind that has a schema', () => {
    const kinds = schemas.map(({ title }) => title);
    const [, table = ''] = /^## Kinds\n([^]*?)^## /mu.exec(readPage('documents.md')) ?? [];
    const listed = [...table.matchAll(/^\| ([^|]+) \|/gmu)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/gu)].map(([, kind]) => kind),
    );
    expect(kinds.length).toBeGreaterThan(10);
    expect(new Set(listed)).toEqual(new Set(kinds));
  });

  holdPage('documents.md');
});
