/**
 * Processors of their own for what is measured and for what serves it: as a rule an API server runs on another machine, and
 * on the same one a key waits for a processor that the API server has. By `taskset` (Debian: util-linux).
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/** Lists of processors, as `taskset` takes them. */
export interface Processors {
  readonly all: string;
  readonly servers: string;
  readonly tool: string;
}

/** Throws where there is only one. */
export function processors(): Processors {
  const status = readFileSync('/proc/self/status', 'utf8');
  const all = /^Cpus_allowed_list:\s+(\S+)$/mu.exec(status)?.[1] ?? '';
  const each = all.split(',').flatMap(range => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
  if (each.length < 2) throw new Error('the API server and the tool need a processor each');
  const half = each.length >> 1;
  return { all, servers: each.slice(0, half).join(','), tool: each.slice(half).join(',') };
}

/** Moves processes with all their threads. Throws where there is no `taskset`, or no such process. */
export function place(pids: readonly number[], where: string): void {
  for (const pid of pids)
    execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', where, String(pid)], { stdio: 'pipe' });
}
