/** The same invocations through the product as it is built: real signals, real pipes, and FIFOs that nobody writes to. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { cp, mkdir, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { writeSchemas } from '../../../scripts/document-schemas.ts';
import { bundle } from '../../../scripts/loading/bundle.ts';
import type { Invocation } from './invocation.ts';
import { MOST_MILLISECONDS, type Outcome } from './judge.ts';

const AT_ONCE = 4;

/** - `silent`: nobody ever opens it to write. `closed`: somebody does, and writes nothing. */
export type Fifo = 'none' | 'silent' | 'closed';

export interface Executed extends Invocation {
  /** In place of the source that it names. */
  readonly fifo: Fifo;
}

export class Executable {
  readonly #folder: string;
  readonly #program: string;
  #fifos = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#program = path.join(folder, 'program', 'main.js');
  }

  static async build(folder: string): Promise<Executable> {
    const root = fileURLToPath(new URL('../../../', import.meta.url));
    const program = path.join(folder, 'program');
    await mkdir(program);
    await bundle(root, program, { main: 'src/main.ts' });
    await writeFile(path.join(program, 'package.json'), '{"type":"module"}');
    await cp(path.join(root, 'src/source/demo/scenarios'), path.join(program, 'scenarios'), {
      recursive: true,
    });
    await writeSchemas(path.join(program, 'schema'));
    return new Executable(folder);
  }

  async run(
    invocations: readonly Executed[],
    told: (invocation: Executed, outcome: Outcome) => void,
  ): Promise<void> {
    const left = invocations.values();
    const lane = async (): Promise<void> => {
      for (const invocation of left) told(invocation, await this.#perform(invocation));
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
  }

  /** The flags that name one, and who writes to it. */
  #fifo(kind: Fifo): { readonly flags: readonly string[]; readonly writer?: ChildProcess } {
    if (kind === 'none') return { flags: [] };
    this.#fifos += 1;
    const name = path.join(this.#folder, `fifo-${this.#fifos}.yaml`);
    execFileSync('mkfifo', [name]);
    const flags = ['-f', name];
    if (kind !== 'closed') return { flags };
    return { flags, writer: spawn('sh', ['-c', ': > "$0"', name], { stdio: 'ignore' }) };
  }

  #perform({ argv, env, stdin, signal, readerLeavesAfter, fifo }: Executed): Promise<Outcome> {
    const started = performance.now();
    const { flags, writer } = this.#fifo(fifo);
    const child = spawn(process.execPath, [this.#program, ...argv, ...flags], {
      cwd: this.#folder,
      env: {
        PATH: process.env['PATH'],
        HOME: this.#folder,
        XDG_STATE_HOME: this.#folder,
        KUBECONFIG: path.join(this.#folder, 'no-kubeconfig'),
        NODE_COMPILE_CACHE: path.join(this.#folder, 'compiled'),
        ...env,
      },
    });
    let [out, err, times] = ['', '', 0];
    child.stdout.on('data', (data: Buffer) => {
      out += data.toString();
      times += 1;
      if (readerLeavesAfter !== undefined && times > readerLeavesAfter) child.stdout.destroy();
    });
    child.stderr.on('data', (data: Buffer) => {
      err += data.toString();
    });
    // Who reads no standard input leaves the pipe behind.
    child.stdin.on('error', () => {});
    child.stdin.end(stdin);
    const timers = [
      setTimeout(() => child.kill('SIGKILL'), 2 * MOST_MILLISECONDS),
      ...(signal === undefined ? [] : [setTimeout(() => child.kill(signal.name), signal.after)]),
    ];
    return new Promise(resolve => {
      child.once('close', (code, name) => {
        for (const timer of timers) clearTimeout(timer);
        // It waits for a reader for ever, where the command had no use for the file.
        writer?.kill();
        const exitCode = code ?? 128 + constants.signals[name ?? 'SIGKILL'];
        resolve({ exitCode, out, err, milliseconds: performance.now() - started });
      });
    });
  }
}
