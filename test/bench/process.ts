/** Runs a command as a whole process and tells when it said what, and what it took. */
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';

export interface Mark {
  /** Milliseconds from the call of spawn to the line. */
  readonly at: number;
  /** Resident memory at that moment, in MB; undefined where /proc cannot tell. */
  readonly rss: number | undefined;
}

export interface Run {
  /** Milliseconds from spawn to exit. */
  readonly wall: number;
  /** Peak resident memory in MB. */
  readonly peak: number | undefined;
  readonly code: number | null;
  readonly marks: ReadonlyMap<string, Mark>;
  readonly stderr: string;
}

export interface Command {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** Named patterns looked for in standard error, line by line; the first line of each is its mark. */
  readonly marks?: Readonly<Record<string, RegExp>>;
  /** Ends the process as soon as this mark was seen. */
  readonly until?: string;
}

export function runCommand(command: Command): Promise<Run> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const child = spawn(command.file, command.args, {
      env: { ...process.env, ...command.env },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const marks = new Map<string, Mark>();
    let peak: number | undefined;
    let stderr = '';
    let rest = '';
    const poll = setInterval(() => {
      peak = memory(child.pid, 'VmHWM') ?? peak;
    }, 20);
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text: string) => {
      const at = performance.now() - start;
      stderr += text;
      rest += text;
      const lines = rest.split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        for (const [name, pattern] of Object.entries(command.marks ?? {})) {
          if (marks.has(name) || !pattern.test(line)) continue;
          marks.set(name, { at, rss: memory(child.pid, 'VmRSS') });
          peak = memory(child.pid, 'VmHWM') ?? peak;
          if (name === command.until) child.kill('SIGTERM');
        }
      }
    });
    child.on('error', error => {
      clearInterval(poll);
      reject(error);
    });
    child.on('close', code => {
      clearInterval(poll);
      resolve({ wall: performance.now() - start, peak, code, marks, stderr });
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
