/** Priority of the threads on which V8 collects garbage and optimises, beside the main thread. */
import { readdirSync, readFileSync } from 'node:fs';
import { availableParallelism, setPriority } from 'node:os';
import { thisPlatform } from './platform.ts';

const TASKS = '/proc/self/task';
const LOWEST = 19;

/**
 * On a single processor the main thread goes first. There are four of them all the same, and a key otherwise waits for each:
 * at the 99th percentile 59 ms in place of 32 while 150,000 pods are read. Where there are more processors they have one to
 * themselves, unless others take it: then the main thread would wait for them for up to two seconds. On Linux a priority is a
 * thread's (setpriority(2)); elsewhere this does nothing, nor where it isn't allowed.
 */
export function putWorkersBehind(): void {
  if (thisPlatform.name !== 'linux' || availableParallelism() > 1) return;
  try {
    for (const task of readdirSync(TASKS))
      if (readFileSync(`${TASKS}/${task}/comm`, 'utf8').startsWith('node-V8Worker'))
        setPriority(Number(task), LOWEST);
  } catch {
    // As it was.
  }
}
