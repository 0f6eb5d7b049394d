/** The built product as cluster tests use it: from the outside, by its command line. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { guardFolder } from '../harness/processes/watchdog.ts';
import { openTerminal, type Terminal } from '../terminal/terminal.ts';
import { PATIENCE_MS } from './eventually.ts';

// Another build of the product can be tested in place of this checkout's.
const executable =
  process.env['GC_TREE_TEST_EXECUTABLE'] ?? join(import.meta.dirname, '..', '..', 'bin', 'kubectl-gc_tree');

export interface ToolResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ToolOptions {
  /** Path; none at all unless told. */
  readonly kubeconfig?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Milliseconds after which it is killed; ten minutes unless told. */
  readonly timeout?: number;
}

const home = mkdtempSync(join(tmpdir(), 'gc-tree-home-'));
guardFolder(home);

/** Nothing of the person's or the machine's own set-up, such as a kubeconfig or being in a cluster. */
function environment(options: ToolOptions): Record<string, string | undefined> {
  return {
    ...process.env,
    HOME: home,
    XDG_CONFIG_HOME: undefined,
    KUBECACHEDIR: undefined,
    KUBECONFIG: options.kubeconfig,
    KUBERNETES_SERVICE_HOST: undefined,
    ...options.env,
  };
}

/** Runs it to its end. */
export async function runTool(
  args: readonly string[],
  options: ToolOptions = {},
  program = executable,
): Promise<ToolResult> {
  const running = startTool(args, options, program);
  const code = await running.exit;
  return { code, stdout: running.stdout(), stderr: running.stderr() };
}

/** What it prints, on one line: where lines are folded doesn't matter then. */
export async function said(args: readonly string[], options: ToolOptions): Promise<string> {
  const { stdout } = await runTool(args, options);
  return stdout.replaceAll(/\s+/gu, ' ');
}

/** The candidates for the last of these words, as kubectl gets them. */
export async function completeWords(words: readonly string[], options: ToolOptions): Promise<string[]> {
  const { stdout } = await runTool(words, options, join(dirname(executable), 'kubectl_complete-gc_tree'));
  return stdout
    .trimEnd()
    .split('\n')
    .map(line => line.split('\t')[0] ?? '');
}

export interface RunningTool {
  readonly child: ChildProcess;
  stdout(): string;
  stderr(): string;
  readonly exit: Promise<number | null>;
}

export function startTool(
  args: readonly string[],
  options: ToolOptions = {},
  program = executable,
): RunningTool {
  const child = spawn(process.execPath, [program, ...args], {
    env: environment(options),
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: options.timeout ?? 600_000,
    killSignal: 'SIGKILL',
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exit = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject).once('close', resolve);
  });
  return { child, stdout: () => stdout, stderr: () => stderr, exit };
}

/** Its screen in a pseudo-terminal, which is waited for as long as a cluster is unless told. */
export function openTool(
  args: readonly string[],
  options: ToolOptions & { readonly cols?: number; readonly rows?: number } = {},
): Terminal {
  const { cols = 120, rows = 40 } = options;
  const terminal = openTerminal({
    file: process.execPath,
    args: [executable, ...args],
    env: environment(options),
    cols,
    rows,
  });
  return {
    ...terminal,
    waitFor: (expected, ms = PATIENCE_MS) => terminal.waitFor(expected, ms),
  };
}
