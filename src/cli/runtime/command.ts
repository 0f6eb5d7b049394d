/** What every command is given, and which there are. */

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
  /** The arguments behind the command's name. */
  readonly targets: readonly string[];
}

export const commandNames = [
  'tree',
  'why',
  'check',
  'plan',
  'podgc',
  'delete',
  'unblock',
  'undo',
  'demo',
  'schema',
  'completion',
  'version',
] as const;
export type CommandName = (typeof commandNames)[number];
