/** Entry point of shell completion: kubectl runs `kubectl_complete-gc_tree` with the words typed so far. */

import { complete, leaveWith, processIo } from './cli/index.ts';
import { services } from './entry.ts';

/** Awaited by the module that imports this one. */
export const ended = complete(process.argv.slice(2), processIo(), services).then(leaveWith);
