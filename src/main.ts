/**
 * Entry point of `kubectl gc-tree`: the only place that knows the command line and the live cluster both. A Tab is
 * answered without loading what runs commands.
 */

import { leaveWith, processIo } from './cli/index.ts';
import { services } from './entry.ts';
import { enableTuning } from './platform/index.ts';

export { enableTuning };

const argv = process.argv.slice(2);

async function start(): Promise<number> {
  // Completion, as programs made with cobra answer it.
  if (argv[0] === '__complete') {
    const { complete } = await import('./cli/completion/complete-line.ts');
    return complete(argv.slice(1), processIo(), services);
  }
  const { runCommandLine } = await import('./cli/run-command-line.ts');
  return runCommandLine(argv, processIo(), services);
}

/** Awaited by the module that imports this one. */
export const ended = start().then(leaveWith);
