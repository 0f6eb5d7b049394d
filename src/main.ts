/**
 * Entry point of `kubectl gc-tree`: the only place that knows the command line and the live cluster both.
 */

import { processIo } from './cli/io.ts';
import { leaveWith } from './cli/leave.ts';
import { run } from './cli/run.ts';
import { deps } from './entry.ts';

leaveWith(await run(process.argv.slice(2), processIo(), deps));
