/** Exec plugins as shell scripts, which hang or ask at the test's word, and the processes that they leave. */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { expect } from 'vitest';
import { temporaryFolder, write } from '../kubeconfig-files.ts';
import { cleanUp } from '../local-server.ts';

const v1 = 'client.authentication.k8s.io/v1';

export interface PluginOptions {
  /** From its first run on. */
  readonly hangs?: boolean;
  /** It and its child ignore a request to end. */
  readonly ignores?: boolean;
  /** How long what it gives lasts. */
  readonly lastsMs?: number;
  readonly token?: string;
  readonly interactiveMode?: 'Never' | 'IfAvailable' | 'Always';
  /** Shell commands before it answers; what they print on standard output is lost. */
  readonly before?: string;
}

/** Waits in a child of its own while there is a file `hang` in its folder, and notes the child's number. */
export function pluginScript(options: PluginOptions = {}) {
  const {
    hangs = false,
    ignores = false,
    lastsMs,
    token = 'abc',
    interactiveMode = 'Never',
    before = '',
  } = options;
  const folder = temporaryFolder();
  if (hangs) write(folder, 'hang', '');
  write(folder, 'token', token);
  // GNU's date, and BSD's.
  const expires =
    lastsMs === undefined
      ? ''
      : `at=$(( $(date +%s) + ${lastsMs / 1000} )); f=+%Y-%m-%dT%H:%M:%SZ; expires=$(date -u -d @$at $f 2>/dev/null || date -u -r $at $f)`;
  const script = `#!/bin/sh
cd ${folder}; echo run >> runs
${ignores ? "trap '' TERM" : ''}
if [ -e hang ]; then
  ${ignores ? "(trap '' TERM; exec sleep 300)" : 'sleep 300'} & echo $! >> pids; wait $!
fi
{ :
${before}
} >/dev/null
${expires}
printf '{"apiVersion":"${v1}","kind":"ExecCredential","status":{"token":"%s"' "$(cat token)"
[ -z "$expires" ] || printf ',"expirationTimestamp":"%s"' "$expires"
printf '}}'
`;
  write(folder, 'plugin', script, 0o700);
  const lines = (name: string) =>
    existsSync(`${folder}/${name}`) ? readFileSync(`${folder}/${name}`, 'utf8').trim().split('\n') : [];
  const running = () => lines('pids').map(Number).filter(isRunning);
  cleanUp(() => {
    for (const pid of running()) process.kill(pid, 'SIGKILL');
  });
  return {
    folder,
    /** As a user of a kubeconfig. */
    user: `{exec: {apiVersion: ${v1}, command: ${folder}/plugin, interactiveMode: ${interactiveMode}}}`,
    /** As messages call it, for the user `test`. */
    name: `the exec plugin ${folder}/plugin of user "test"`,
    runs: () => lines('runs').length,
    /** Numbers of the children that still wait. */
    running,
    /** How many children waited so far. */
    children: () => lines('pids').length,
    started: (withinMs?: number) => eventually(() => lines('pids').length > 0, withinMs),
    /** What it gives from now on. */
    give: (next: string) => write(folder, 'token', next),
    hang: () => write(folder, 'hang', ''),
    recover: () => rmSync(`${folder}/hang`, { force: true }),
  };
}

export const eventually = async (check: () => boolean, ms = 10_000) => {
  for (let i = 0; i < ms / 10 && !check(); i++) await new Promise(resolve => setTimeout(resolve, 10));
  expect(check()).toBe(true);
};

function isRunning(pid: number): boolean {
  try {
    return execFileSync('ps', ['-o', 'state=', '-p', String(pid)], { encoding: 'utf8' }).trim() !== 'Z';
  } catch {
    return false;
  }
}
