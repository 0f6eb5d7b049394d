/** The pictures of the documentation are those of the screen as it is now. */
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, inject, test } from 'vitest';
import { pictures } from '../../../scripts/pictures/scenes.ts';

const folder = path.join(import.meta.dirname, '..', '..', '..', 'docs', 'pictures');

test('docs/pictures is current (else: npm run pictures)', async () => {
  const drawn = await pictures(path.join(inject('programs'), 'main.js'));
  expect((await readdir(folder)).toSorted()).toEqual([...drawn.keys()].toSorted());
  for (const [name, svg] of drawn) {
    const kept = await readFile(path.join(folder, name), 'utf8');
    expect(kept === svg, `${name} is current`).toBe(true);
    expect(svg.length).toBeLessThan(300 * 1024);
  }
});
