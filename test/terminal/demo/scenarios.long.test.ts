/** Every scenario by keys alone: it opens on a problem where it has one, and its help says what to look for. Each at one of four sizes. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { parseScenarios } from '../../../src/source/demo/parse-scenario.ts';
import { cursorRow, pressUntil, programOf, untilJudged } from '../program.ts';
import { keys } from '../terminal.ts';

const program = programOf('main');
const folder = path.join(import.meta.dirname, '..', '..', '..', 'src', 'source', 'demo', 'scenarios');
const sizes = [
  [200, 50],
  [120, 35],
  [80, 24],
  [60, 15],
] as const;

const scenarios = readdirSync(folder)
  .sort()
  .map((file, index) => {
    const [scenario] = parseScenarios(readFileSync(path.join(folder, file), 'utf8'), file);
    const [cols, rows] = sizes[index % sizes.length] ?? sizes[0];
    const [first = ''] = scenario?.look ?? [];
    return {
      name: file.replace('.yaml', ''),
      cols,
      rows,
      look: first,
      problems: scenario?.findings?.length ?? 0,
    };
  });

test.each(scenarios)('$name, at $cols by $rows', async ({ name, cols, rows, look, problems }) => {
  const terminal = program.start(['demo', name, '-A'], { cols, rows });
  await untilJudged(terminal);
  await terminal.settle();
  const row = cursorRow(terminal);
  if (problems > 0) expect(row).toMatch(/[✗⚠!?]/u);
  for (const line of terminal.screen()) expect(line.length).toBeLessThanOrEqual(cols);
  terminal.send('?');
  await terminal.waitFor(`The scenario ${name}`);
  const said = look.split(' ').slice(0, 2).join(' ');
  await pressUntil(terminal, keys.pageDown, () => terminal.text().includes(said));
});
