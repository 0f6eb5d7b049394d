/** Holds the console blocks of a page to what their commands print; one place for every page that has such blocks. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { isRunnable, printed, shortened, shownCommands, withOutputs } from './console-blocks.ts';

/** `WRITE_STORIES=1` puts what is printed now into the page, to be read before it is committed. */
const writes = process.env['WRITE_STORIES'] === '1';

/** The text of a page of `docs/`. */
export function readPage(name: string): string {
  return readFileSync(pathOf(name), 'utf8');
}

/** Tests for each command of the page; called within a `describe`. */
export function holdPage(name: string): void {
  const page = readPage(name);
  const commands = shownCommands(page).filter(isRunnable);

  // The demo's cluster and the command line must agree on the time, and ages mustn't depend on when the test runs.
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-21T12:00:00Z') });
  });
  afterAll(() => {
    vi.useRealTimers();
  });

  test('shows at least one command that can be tried', () => {
    expect(commands.length).toBeGreaterThan(0);
  });

  test.runIf(writes)('is written anew', async () => {
    const outputs = new Map<number, string>();
    for (const command of commands)
      outputs.set(command.at, shortened(await printed(command), command.output));
    writeFileSync(pathOf(name), withOutputs(page, outputs));
  });

  test.skipIf(writes).each(commands)('line $at: $line prints what the page shows', async command => {
    expect(command.output).toBe(shortened(await printed(command), command.output));
  });
}

function pathOf(name: string): string {
  return join(import.meta.dirname, '..', '..', 'docs', name);
}
