/** Priority of the threads on which V8 collects garbage and optimises, beside the main thread. */
import { readdirSync, readFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { thisPlatform } from './platform.ts';

const TASKS = '/proc/self/task';
const LOWEST = 19;

/**
 * The main thread goes first where they share a processor. There are four of them however few processors there are, and on
 * one processor a key otherwise waits for each: at the 99th percentile 59 ms in place of 37 while 150,000 pods are read.
 * What the main thread itself waits for isn't held up. On Linux a priority is a thread's (setpriority(2)); elsewhere this does
 * nothing, nor where it isn't allowed.
 */
export function putWorkersBehind(): void {
  if (thisPlatform.name !== 'linux') return;
  try {
    for (const task of readdirSync(TASKS))
      if (readFileSync(`${TASKS}/${task}/comm`, 'utf8').startsWith('node-V8Worker'))
        setPriority(Number(task), LOWEST);
  } catch {
    // As it was.
  }
}
