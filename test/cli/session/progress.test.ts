import { expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import type { SourceBatch } from '../../../src/model/exchange/changes.ts';
import { widgets } from '../../kube/follow.ts';
import { consoleFor, SmallSource } from '../console.ts';

class EndlessSource extends SmallSource {
  override readonly graphComplete = new Promise<void>(() => {});

  override start(listener: (batch: SourceBatch) => void): Promise<void> {
    listener({
      changes: [],
      statuses: [{ type: widgets, state: 'listing', count: 1_200_000, facts: false }],
      connection: { state: 'live' },
    });
    return new Promise(() => {});
  }
}

it('a terminal shows which kind is being read, and how many objects of it have come', async () => {
  const { io, services, interrupt } = consoleFor({ source: new EndlessSource('') });
  const shown: string[] = [];
  io.terminal.status = text => {
    shown.push(text);
    if (text.includes('listed')) interrupt();
  };
  expect(await runCommandLine(['tree'], { ...io, stderrIsTerminal: true }, services)).toBe(130);
  expect(shown[0]).toContain('0 of 1 kind listed, widgets.example.com at 1,200,000 …');
});
