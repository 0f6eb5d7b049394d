/** What every command is given. */

import type { Output } from '../output/output.ts';
import type { Flags } from './flags.ts';
import type { Io } from './io.ts';
import type { Services } from './services.ts';

export interface CommandContext {
  readonly flags: Flags;
  readonly io: Io;
  readonly services: Services;
  /** Standard output. */
  readonly output: Output;
}

export interface TargetCommand extends CommandContext {
  readonly targets: readonly string[];
}
