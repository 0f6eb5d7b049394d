import { Writable } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ViewSubscription } from '../../../src/actions/run/follow-forecast.ts';
import { StatusLine } from '../../../src/cli/runtime/status-line.ts';
import { Terminal } from '../../../src/cli/runtime/terminal.ts';
import { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { Pausing } from '../../../src/model/exchange/changes.ts';

function line(stderrIsTerminal: boolean) {
  let written = '';
  const stderr = new Writable({
    write(chunk: Buffer, _, done) {
      written += chunk.toString();
      done();
    },
  });
  const terminal = new Terminal(stderr, stderrIsTerminal);
  const status = new StatusLine({
    stderr,
    stderrIsTerminal,
    terminal,
    errorColumns: () => (stderrIsTerminal ? 60 : undefined),
    now: () => 0,
  });
  const view = new ClusterView();
  const changes = new ViewSubscription();
  const over = new AbortController();
  const told = status.showPauses(view, changes, over.signal);
  const pause = async (pausing: Pausing | null): Promise<void> => {
    view.apply({ changes: [], pausing }, 0);
    changes.notify();
    await turn();
  };
  const end = (): Promise<void> => {
    over.abort();
    return told;
  };
  return { status, pause, end, written: () => written.split('\r\u001b[K').slice(stderrIsTerminal ? 1 : 0) };
}

describe('the line of an action', () => {
  it('gives way to what a request waits for, and comes back', async () => {
    const { status, pause, end, written } = line(true);
    status.show('request 1 of 2 …');
    await pause({ status: 429, until: 5_000 });
    await pause(null);
    status.wipe();
    await end();
    expect(written()).toEqual([
      'request 1 of 2 …',
      'the API server is too busy (429); trying again in 5s',
      'request 1 of 2 …',
      '',
    ]);
  });

  it('is one for each long pause where there is no terminal', async () => {
    const { status, pause, end, written } = line(false);
    status.show('request 1 of 2 …');
    await pause({ status: 429, until: 1_000 });
    await pause(null);
    await pause({ status: 503, until: 5_000 });
    await pause({ status: 503, until: 9_000 });
    await pause(null);
    await end();
    expect(written()).toEqual([
      'kubectl gc-tree: the API server is not available (503); trying again in 5s\n',
    ]);
  });
});
