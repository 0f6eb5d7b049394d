/** What every command is given. */

import type { Output } from '../output/output.ts';
import type { Deps } from './deps.ts';
import type { Flags } from './flags.ts';
import type { Io } from './io.ts';

export interface Command {
  readonly flags: Flags;
  readonly io: Io;
  readonly deps: Deps;
  /** Standard output. */
  readonly output: Output;
}

export interface TargetCommand extends Command {
  readonly targets: readonly string[];
}
