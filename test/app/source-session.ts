/** The session of the screen on one source, in which time passes when the test says so. */
import type { Ports } from '../../src/app/background/ports.ts';
import { ScreenSession } from '../../src/app/session/session.ts';
import type { Source } from '../../src/source/source.ts';
import { now } from '../cli/documents/cluster.ts';

/** The screen as tests have it unless they say otherwise. */
export const plainScreen = {
  namespace: undefined,
  allNamespaces: true,
  ascii: false,
  color: true,
  screenReader: false,
  readOnly: false,
} as const;

export interface SourceSession {
  readonly session: ScreenSession;
  /** Lets what waits go on so many times, and then a second pass. */
  readonly second: (turns: number) => Promise<void>;
}

export function sessionOn(source: Source, columns = 120, rows = 40): SourceSession {
  const timers: (() => void)[] = [];
  let time = now;
  const later = (run: () => void) => {
    timers.push(run);
    return () => {
      // It may have run by now.
      const at = timers.indexOf(run);
      if (at >= 0) timers.splice(at, 1);
    };
  };
  const ports: Partial<Ports> = {
    open: () => Promise.resolve(source),
    now: () => time,
    heapLimit: () => Number.POSITIVE_INFINITY,
    after: (milliseconds, run) => (milliseconds >= 1_000 ? () => {} : later(run)),
    soon: later,
  };
  const session = new ScreenSession({
    screen: plainScreen,
    columns,
    rows,
    ports: ports as Ports,
  });
  session.start();
  return {
    session,
    second: async turns => {
      for (let turn = 0; turn < turns; turn += 1) {
        await new Promise(resolve => setImmediate(resolve));
        for (const run of timers.splice(0)) run();
      }
      time += 1_000;
      session.dispatch({ type: 'tick', now: time });
    },
  };
}
