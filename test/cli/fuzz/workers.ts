/** Runs invocations in processes of their own, several in each, and ends a process that doesn't answer any more. */
import { type ChildProcess, fork } from 'node:child_process';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import type { Invocation } from './invocation.ts';
import { MOST_MILLISECONDS, type Outcome } from './judge.ts';

/** Most of them wait: for a signal, or for a simulated cluster to come to rest. */
const AT_ONCE = 12;

interface Message {
  readonly ready?: true;
  readonly id?: number;
  readonly outcome?: Outcome;
  readonly stray?: string;
  readonly during?: readonly (readonly string[])[];
}

export class Workers {
  /** What nobody caught, with what was running then. */
  readonly strays: string[] = [];
  readonly #folder: string;
  readonly #count: number;
  #children: Promise<Child[]> | undefined;

  constructor(folder: string, count = Math.max(1, availableParallelism() - 1)) {
    this.#folder = folder;
    this.#count = count;
  }

  /** Resolves when all have ended; `told` is called for each. */
  async run(
    invocations: readonly Invocation[],
    told: (invocation: Invocation, outcome: Outcome) => void,
  ): Promise<void> {
    const left = invocations.values();
    this.#children ??= Promise.all(
      Array.from({ length: this.#count }, () => Child.start(this.#folder, this.strays)),
    );
    const children = await this.#children;
    const lane = async (at: number): Promise<void> => {
      for (const invocation of left) {
        children[at] ??= await Child.start(this.#folder, this.strays);
        const child = children[at];
        const outcome = await child.run(invocation);
        // Its other invocations ended with it, and are told as that.
        if (child.isOver && children[at] === child)
          children[at] = await Child.start(this.#folder, this.strays);
        told(invocation, outcome);
      }
    };
    const lanes = children.flatMap((_, at) => Array.from({ length: AT_ONCE }, () => lane(at)));
    await Promise.all(lanes);
  }

  async close(): Promise<void> {
    for (const child of (await this.#children) ?? []) child.end();
  }
}

class Child {
  readonly #process: ChildProcess;
  readonly #waiting = new Map<number, (outcome: Outcome) => void>();
  #last = 0;
  isOver = false;

  private constructor(folder: string, strays: string[]) {
    this.#process = fork(path.join(import.meta.dirname, 'worker.ts'), [folder], {
      execArgv: [],
      stdio: 'inherit',
    });
    this.#process.on('message', ({ id, outcome, stray, during }: Message) => {
      if (stray !== undefined) strays.push(`${stray}\nduring one of ${JSON.stringify(during)}`);
      if (id !== undefined && outcome !== undefined) this.#settle(id, outcome);
    });
    this.#process.once('exit', code => {
      this.isOver = true;
      const err = `the process ended with ${code} during it or others`;
      for (const id of this.#waiting.keys())
        this.#settle(id, { exitCode: Number.NaN, out: '', err, milliseconds: 0 });
    });
  }

  static async start(folder: string, strays: string[]): Promise<Child> {
    const child = new Child(folder, strays);
    await new Promise<void>(resolve => {
      child.#process.once('message', () => resolve());
    });
    return child;
  }

  run(invocation: Invocation): Promise<Outcome> {
    this.#last += 1;
    const id = this.#last;
    return new Promise(resolve => {
      const timer = setTimeout(() => {
        this.#settle(id, {
          exitCode: Number.NaN,
          out: '',
          err: 'it never ended, whatever signal came',
          milliseconds: Number.POSITIVE_INFINITY,
        });
        this.end();
      }, 2 * MOST_MILLISECONDS);
      this.#waiting.set(id, outcome => {
        clearTimeout(timer);
        resolve(outcome);
      });
      if (this.isOver)
        this.#settle(id, { exitCode: Number.NaN, out: '', err: 'no process', milliseconds: 0 });
      else this.#process.send({ id, invocation });
    });
  }

  end(): void {
    this.isOver = true;
    this.#process.kill('SIGKILL');
  }

  #settle(id: number, outcome: Outcome): void {
    this.#waiting.get(id)?.(outcome);
    this.#waiting.delete(id);
  }
}
