import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { isRunnable, printed, shownCommands, withOutputs } from './console-blocks.ts';

const path = join(import.meta.dirname, '..', '..', 'docs', 'actions.md');
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

describe('docs/actions.md', () => {
  test.runIf(writes)('is written anew', async () => {
    const outputs = new Map<number, string>();
    for (const command of commands) outputs.set(command.at, await printed(command));
    writeFileSync(path, withOutputs(page, outputs));
  });

  test.skipIf(writes).each(commands)('line $at: $line prints what the page shows', async command => {
    expect(command.output).toBe(await printed(command));
  });
});
