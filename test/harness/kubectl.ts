/** Runs kubectl for a test, with a home of its own so that neither caches nor settings of the person count. */
import { spawn } from 'node:child_process';

export interface KubectlOptions {
  readonly binary: string;
  readonly kubeconfig: string;
  readonly home: string;
}

export class KubectlFailed extends Error {
  override readonly name = 'KubectlFailed';
  /** Standard output until then. */
  readonly output: string;

  constructor(message: string, output: string) {
    super(message);
    this.output = output;
  }
}

/** Longer than tests wait for anything: what didn't come is to be said by whoever waited for it. */
const KILLED_AFTER_MS = 300_000;

/** Resolves with standard output; rejects with standard error when kubectl fails or takes over five minutes. */
export async function runKubectl(
  { binary, kubeconfig, home }: KubectlOptions,
  args: readonly string[],
  input = '',
): Promise<string> {
  const child = spawn(binary, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: kubeconfig },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: KILLED_AFTER_MS,
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  // kubectl may end without reading its input, which is its right.
  child.stdin.on('error', () => {}).end(input);
  const ended = await new Promise<string | undefined>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(code === 0 ? undefined : `ended with ${signal ?? code}`));
  });
  if (ended !== undefined)
    throw new KubectlFailed(`kubectl ${args.join(' ')}: ${errors.trim() || ended}`, output);
  return output;
}
