/** Runs kubectl for a test, with a home of its own so that neither caches nor settings of the person count. */
import { spawn } from 'node:child_process';

export interface KubectlOptions {
  readonly binary: string;
  readonly kubeconfig: string;
  readonly home: string;
}

/** Resolves with standard output; rejects with standard error when kubectl fails or takes over two minutes. */
export async function runKubectl(
  { binary, kubeconfig, home }: KubectlOptions,
  args: readonly string[],
  input = '',
): Promise<string> {
  const child = spawn(binary, args, {
    env: { PATH: process.env['PATH'] ?? '', HOME: home, KUBECONFIG: kubeconfig },
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 120_000,
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
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${errors.trim() || `exit code ${code}`}`);
  return output;
}
