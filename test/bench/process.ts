/** Runs a command as a whole process and tells when it said what, and what it took. A command that fails is no figure. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Mark {
  /** Milliseconds from the call of spawn to the line. */
  readonly at: number;
  /** Resident memory at that moment, in MB. */
  readonly rss: number;
  /** Milliseconds of processor time until then, in all threads. */
  readonly processor: number;
}

export interface Run {
  /** Milliseconds from spawn to exit. */
  readonly wall: number;
  /** Peak resident memory in MB. */
  readonly peak: number;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly stderr: string;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** What has to be on standard output; nothing at all unless told. Not asked of what is ended by `until`. */
  readonly prints?: RegExp;
  /** Named patterns looked for in standard error, line by line; the first line of each is its mark. */
  readonly marks?: Readonly<Record<string, RegExp>>;
  /** Ends the process as soon as this mark was seen. */
  readonly until?: string;
}

const POLL_MS = 10;

/** Rejects where the command exits with anything but 0, or prints something else. */
export function runCommand(command: Command): Promise<Run> {
  const name = [command.file, ...command.args].join(' ');
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(command.file, command.args, {
      env: { ...process.env, ...command.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const marks = new Map<string, Mark>();
    let peak = 0;
    let stdout = '';
    let stderr = '';
    let rest = '';
    const poll = setInterval(() => {
      peak = memory(child.pid, 'VmHWM') ?? peak;
    }, POLL_MS);
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      // Of a tree of a million lines nobody needs more.
      if (stdout.length < 1_000_000) stdout += text;
      peak = memory(child.pid, 'VmHWM') ?? peak;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      const at = performance.now() - start;
      stderr += text;
      rest += text;
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        for (const [mark, pattern] of Object.entries(command.marks ?? {})) {
          if (marks.has(mark) || !pattern.test(line)) continue;
          marks.set(mark, {
            at,
            rss: memory(child.pid, 'VmRSS') ?? Number.NaN,
            processor: child.pid === undefined ? Number.NaN : processorTime(child.pid),
          });
          peak = memory(child.pid, 'VmHWM') ?? peak;
          if (mark === command.until) child.kill('SIGTERM');
        }
      }
    });
    child.on('error', error => {
      clearInterval(poll);
      reject(error);
    });
    child.on('close', code => {
      clearInterval(poll);
      const wall = performance.now() - start;
      const isEnded = command.until !== undefined && marks.has(command.until);
      const missing = Object.keys(command.marks ?? {}).filter(mark => !marks.has(mark));
      const isRight = command.prints === undefined ? stdout === '' : command.prints.test(stdout);
      if (!isEnded && code !== 0) reject(new Error(`${name}: exit code ${code}\n${stderr.slice(-2000)}`));
      else if (missing.length > 0)
        reject(new Error(`${name}: said nothing of ${missing.join(', ')}\n${stderr.slice(-2000)}`));
      else if (!isEnded && !isRight)
        reject(new Error(`${name}: printed something else\n${stdout.slice(0, 2000)}`));
      else resolve({ wall, peak, marks, stderr });
    });
  });
}

function memory(pid: number | undefined, field: 'VmRSS' | 'VmHWM'): number | undefined {
  if (pid === undefined) return undefined;
  try {
    const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(
      readFileSync(`/proc/${pid}/status`, 'utf8'),
    );
    return match?.[1] === undefined ? undefined : Number(match[1]) / 1024;
  } catch {
    return undefined;
  }
}

/** Resident memory in MB. Throws where /proc cannot tell. */
export function residentMemory(pid: number): number {
  const megabytes = memory(pid, 'VmRSS');
  if (megabytes === undefined) throw new Error(`/proc tells nothing of process ${pid}`);
  return megabytes;
}

// Of Linux, for what a process sees of it (man 5 proc).
const TICKS_IN_SECOND = 100;

/** Milliseconds of processor time that a process has taken so far, in all its threads. */
export function processorTime(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The name of the program, in parentheses, may hold anything.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / TICKS_IN_SECOND;
}

/** Milliseconds for which the main thread of a process has waited so far for a processor that others had. */
export function processorWait(pid: number): number {
  // Of Linux: time on a processor and time spent waiting for one, in nanoseconds (Documentation/scheduler/sched-stats).
  const [, waited] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(waited) / 1e6;
}
