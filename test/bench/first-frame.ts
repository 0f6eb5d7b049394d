/** Time from spawn to the first frame of the screen, read from a pseudo-terminal. */
import { spawn } from '@lydell/node-pty';

/** Milliseconds from spawn until the tab line of the screen has been written, at 200 columns and 50 rows. */
export function firstFrame(command: {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: NodeJS.ProcessEnv;
}): Promise<number> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    const terminal = spawn(command.file, [...command.args], {
      name: 'xterm-256color',
      cols: 200,
      rows: 50,
      env: { ...process.env, ...command.env } as Record<string, string>,
    });
    let text = '';
    let at: number | undefined;
    const timeout = setTimeout(() => terminal.kill('SIGKILL'), 20_000);
    terminal.onData(data => {
      text += data;
      if (at === undefined && text.includes('gc-tree') && text.includes('Tree')) {
        at = performance.now() - start;
        terminal.kill('SIGTERM');
      }
    });
    terminal.onExit(() => {
      clearTimeout(timeout);
      if (at === undefined) reject(new Error(`no frame: ${JSON.stringify(text.slice(-500))}`));
      else resolve(at);
    });
  });
}
