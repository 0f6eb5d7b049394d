/** Priority of the threads on which V8 collects garbage and optimises, beside the main thread. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { thisPlatform } from './platform.ts';

const TASKS = '/proc/self/task';
const LOWEST = 19;
/** As Node calls them: `V8Worker` in 24, with the prefix in 26; in 22 they have no names of their own. */
const WORKER = /^(?:node-)?V8Worker/u;

/**
 * On a single processor the main thread goes before them. V8 starts four however few processors there are, and a key otherwise
 * waits for each: at the 99th percentile 59 ms in place of 32 while 150,000 pods are read. With more processors they stay as they
 * are: where others take those, the main thread would wait for them for up to two seconds. On Linux a priority is a thread's
 * (setpriority(2)); elsewhere, and where it isn't allowed, this does nothing.
 */
export function putWorkersBehind(): void {
  if (thisPlatform.name !== 'linux' || availableParallelism() > 1) return;
  try {
    for (const task of readdirSync(TASKS))
      if (WORKER.test(readFileSync(`${TASKS}/${task}/comm`, 'utf8'))) setPriority(Number(task), LOWEST);
  } catch {
    // As it was.
  }
}
