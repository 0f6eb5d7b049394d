/** Ends a process together with every process that it started. */
import { type ChildProcess, spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { Platform } from './platform.ts';

/** Milliseconds that a process has to end by itself. */
const GRACE_MS = 500;
const LOOK_AGAIN_MS = 20;

const guarded = new Set<ChildProcess>();

/** Ends `child` when this process exits, unless this process is killed. */
function guard(child: ChildProcess): void {
  if (guarded.size === 0) process.on('exit', endAllNow);
  guarded.add(child);
  child.once('exit', () => {
    guarded.delete(child);
    if (guarded.size === 0) process.off('exit', endAllNow);
  });
}

/** Asks them to end, kills them after half a second, and resolves when none is left. */
async function endFamily(child: ChildProcess): Promise<void> {
  const family = familyOf(child);
  signal(family, 'SIGTERM');
  const patience = Date.now() + GRACE_MS;
  while (family.some(isAlive) && Date.now() < patience)
    await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS));
  // Children started during the grace period are included.
  signal([...family, ...familyOf(child)], 'SIGKILL');
  if (isRunning(child)) await new Promise(resolve => child.once('exit', resolve));
}

function endAllNow(): void {
  for (const child of guarded) signal(familyOf(child), 'SIGKILL');
}

function isRunning({ pid, exitCode, signalCode }: ChildProcess): boolean {
  return pid !== undefined && exitCode === null && signalCode === null;
}

/** Lists the child first; empty once it has ended, because its number may be reused. */
function familyOf(child: ChildProcess): number[] {
  if (child.pid === undefined || !isRunning(child)) return [];
  const children = Map.groupBy(processes(), ({ parent }) => parent);
  const family = [child.pid];
  for (const member of family) family.push(...(children.get(member) ?? []).map(({ id }) => id));
  return family;
}

function signal(family: readonly number[], name: 'SIGTERM' | 'SIGKILL'): void {
  if (Platform.current.isWindows) {
    // taskkill ends the children too. The full path avoids a taskkill in the current folder.
    const taskkill = path.join(
      process.env['SystemRoot'] || String.raw`C:\Windows`,
      'System32',
      'taskkill.exe',
    );
    for (const pid of family) spawnSync(taskkill, ['/PID', String(pid), '/T', '/F'], { windowsHide: true });
    return;
  }
  for (const pid of family) {
    try {
      process.kill(pid, name);
    } catch {
      // The process has ended by itself.
    }
  }
}

function isAlive(pid: number): boolean {
  // A zombie still has its number but has ended.
  if (Platform.current.name === 'linux') return fromProc(String(pid)).some(({ state }) => state !== 'Z');
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

interface Process {
  readonly id: number;
  readonly parent: number;
  readonly state: string;
}

function processes(): Process[] {
  if (Platform.current.isWindows) return [];
  if (Platform.current.name === 'linux') return numbersInProc().flatMap(fromProc);
  const { stdout } = spawnSync('ps', ['-A', '-o', 'pid=,ppid=,state='], { encoding: 'utf8' });
  return (stdout ?? '').split('\n').flatMap(line => {
    const [id = '', parent = '', state = ''] = line.trim().split(/\s+/u);
    return state === '' ? [] : [{ id: Number(id), parent: Number(parent), state }];
  });
}

function numbersInProc(): string[] {
  try {
    return readdirSync('/proc').filter(name => /^\d+$/u.test(name));
  } catch {
    return [];
  }
}

function fromProc(id: string): Process[] {
  try {
    const stat = readFileSync(`/proc/${id}/stat`, 'utf8');
    // The program's name is in parentheses and may contain some; state and parent follow.
    const [state = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return [{ id: Number(id), parent: Number(parent), state }];
  } catch {
    return [];
  }
}

export const childFamily = { end: endFamily, guard };
