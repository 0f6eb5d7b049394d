/**
 * Makes sure that nothing of a control plane outlives the process that started it, even one that was killed:
 * a shell holds the other end of a pipe, and when the pipe closes it kills what the pid files name and
 * removes the folder.
 */
import { spawn } from 'node:child_process';

const script = `
trap '' INT TERM HUP
cat >/dev/null
for file in "$1"/*.pid; do
  [ -f "$file" ] && kill -9 "-$(cat "$file")" 2>/dev/null
done
sleep 0.2
rm -rf "$1"
`;

/** Guards `folder`, which must be the harness's own temporary one, until this process ends. */
export function guardFolder(folder: string): void {
  const shell = spawn('sh', ['-c', script, 'watchdog', folder], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  shell.unref();
  // A pipe keeps the event loop alive unless told otherwise; `unref` exists on sockets, which pipes are.
  (shell.stdin as unknown as { unref(): void }).unref();
  shell.stdin.on('error', () => {});
}
