import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { rulesOfVersion } from '../../src/podgc/rules-of-version.ts';
import { isRunnable, printed, shownCommands, withOutputs } from './console-blocks.ts';

const path = join(import.meta.dirname, '..', '..', 'docs', 'podgc.md');
const page = readFileSync(path, 'utf8');
const commands = shownCommands(page).filter(isRunnable);
/** `WRITE_STORIES=1` puts what is printed now into the page, to be read before it is committed. */
const writes = process.env['WRITE_STORIES'] === '1';

// The demo's cluster and the command line must agree on the time, and ages mustn't depend on when the test runs.
beforeAll(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T12:00:00Z') });
});
afterAll(() => {
  vi.useRealTimers();
});

/** The minor versions of Kubernetes at which the product's rules become others than in the one before. */
function changes(): readonly string[] {
  const found: string[] = [];
  let before = '';
  for (let minor = 0; ; minor++) {
    const { version, assumed, ...rules } = rulesOfVersion(`v1.${minor}.0`);
    // Before the first that is known, and after the last.
    if (assumed && found.length > 0) return found;
    if (assumed) continue;
    const now = JSON.stringify(rules);
    if (now !== before) found.push(version);
    before = now;
  }
}

describe('docs/podgc.md', () => {
  test('has a row for each version that changed the rules, in order', () => {
    const rows = [...page.matchAll(/^\| (1\.\d+) \|/gmu)].map(([, version]) => version);
    expect(rows.filter(version => changes().includes(version ?? ''))).toEqual(changes());
  });

  test.runIf(writes)('is written anew', async () => {
    const outputs = new Map<number, string>();
    for (const command of commands) outputs.set(command.at, await printed(command));
    writeFileSync(path, withOutputs(page, outputs));
  });

  test.skipIf(writes).each(commands)('line $at: $line prints what the page shows', async command => {
    expect(command.output).toBe(await printed(command));
  });
});
