/** The screen's test program, as the tests of its files start it: on the demo, or on a cluster made in memory. */
import { type Program, programOf, untilJudged } from './program.ts';
import type { Terminal, TerminalOptions } from './terminal.ts';

interface ScreenProgram {
  /** What runs in each of the terminals. */
  readonly program: Program;
  readonly start: (options?: Partial<TerminalOptions>) => Terminal;
  /** The demo, with everything listed and looked at. */
  readonly demo: (options?: Partial<TerminalOptions>) => Promise<Terminal>;
  /** A `SyntheticSource` with these options. */
  readonly synthetic: (
    source: object,
    env?: Readonly<Record<string, string>>,
    size?: Partial<TerminalOptions>,
  ) => Terminal;
}

/** Call it at the top of a file. */
export function screenProgram(): ScreenProgram {
  const program = programOf('screen');
  const start: ScreenProgram['start'] = (options = {}) =>
    program.start([], { cols: 120, rows: 40, ...options });
  return {
    program,
    start,
    async demo(options) {
      const terminal = start(options);
      await untilJudged(terminal);
      return terminal;
    },
    synthetic: (source, env = {}, size = {}) =>
      start({ env: { SCREEN_SOURCE: JSON.stringify(source), ...env }, ...size }),
  };
}
