import { spawnSync } from 'node:child_process';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { Interrupted } from '../../../src/cli/runtime/errors.ts';
import { processIo } from '../../../src/cli/runtime/io.ts';
import { EndSignal } from '../../../src/platform/signals.ts';

/** As the system delivers it; no process can send Ctrl-Break to itself. */
const deliver = (signal: EndSignal): boolean => process.emit(signal, signal);

describe('what ends the running process', () => {
  const told: EndSignal[] = [];
  let stop = (): void => {};
  const listen = (): void => {
    stop = processIo().onInterrupt(signal => told.push(signal));
  };
  afterEach(() => {
    stop();
    told.length = 0;
    vi.restoreAllMocks();
  });

  test.each([
    ['SIGINT', 130],
    ['SIGHUP', 129],
    ['SIGTERM', 143],
    // Windows: Ctrl-Break.
    ['SIGBREAK', 149],
  ] as const)('is %s, and the exit code %i', (signal, exitCode) => {
    listen();
    expect(deliver(signal)).toBe(true);
    expect(told).toEqual([signal]);
    expect(new Interrupted(signal).exitCode).toBe(exitCode);
  });

  test('counts once where the terminal and the process that started this one send it', () => {
    const clock = vi.spyOn(performance, 'now');
    clock.mockReturnValue(1_000);
    listen();
    deliver('SIGBREAK');
    clock.mockReturnValue(1_030);
    deliver('SIGBREAK');
    expect(told).toEqual(['SIGBREAK']);
    clock.mockReturnValue(2_000);
    deliver('SIGBREAK');
    expect(told).toHaveLength(2);
  });

  test('is heard by each of many that wait, with one listener on the process', () => {
    const before = process.listenerCount('SIGHUP');
    const io = processIo();
    const heard: number[] = [];
    const stops = Array.from({ length: 20 }, (_, index) => io.onInterrupt(() => heard.push(index)));
    expect(process.listenerCount('SIGHUP')).toBe(before + 1);
    stops[3]?.();
    deliver('SIGHUP');
    expect(heard).toHaveLength(19);
    expect(heard).not.toContain(3);
    for (const each of stops) each();
    expect(process.listenerCount('SIGHUP')).toBe(before);
  });

  test('is left to the system once nobody listens', () => {
    const before = EndSignal.all.map(signal => process.listenerCount(signal));
    listen();
    stop();
    expect(EndSignal.all.map(signal => process.listenerCount(signal))).toEqual(before);
    for (const signal of ['SIGBREAK', 'SIGTERM'] as const)
      if (process.listenerCount(signal) === 0) expect(deliver(signal)).toBe(false);
    expect(told).toEqual([]);
  });
});

test.skipIf(process.platform === 'win32')(
  'a signal in the moment in which the wait is over is not lost',
  () => {
    const io = new URL('../../../src/cli/runtime/io.ts', import.meta.url).href;
    const script = `
    import { readFile } from 'node:fs';
    import { processIo, unlessInterrupted } from '${io}';
    const { promise, resolve } = Promise.withResolvers();
    unlessInterrupted(processIo(), promise).then(
      () => console.log('lost'),
      error => console.log(error.name),
    );
    // In a turn of the event loop as a connection begins it that has brought something.
    readFile('/dev/null', () => {
      process.kill(process.pid, 'SIGINT');
      resolve();
    });`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', script], {
      encoding: 'utf8',
    });
    expect(stdout, stderr).toBe('Interrupted\n');
  },
);
