/** What a section of the bench is, and what it is given: a cluster with a population, or nothing. */
import { fileURLToPath } from 'node:url';
import type { BenchCluster } from '../clusters/clusters.ts';
import type { Programs } from '../comparison.ts';
import type { Row } from '../figures.ts';
import { Screen } from '../screen.ts';

export interface Context {
  readonly cluster: BenchCluster;
  readonly kubeconfig: string;
  /** For every process: the kubeconfig, and a home of its own with the caches of this run. */
  readonly env: NodeJS.ProcessEnv;
  readonly pods: number;
  readonly rounds: number;
  /** Processors that the screen has for itself; undefined where it shares all of them with the servers. */
  readonly own: string | undefined;
  readonly programs: Programs;
  /** Tells how far it is. */
  readonly say: (line: string) => void;
}

export type Section = { readonly name: string; readonly about: string } & (
  | {
      readonly on: 'cluster';
      readonly measure: (context: Context) => Promise<Row[]>;
      /** Latency of the screen, measured on processors of its own. */
      readonly apart?: true;
      /** What it measures is the same where lists are multiplied. */
      readonly multiplies?: true;
    }
  | { readonly on: 'memory'; readonly measure: (say: Context['say']) => Promise<Row[]> }
);

export const node = process.execPath;
/** The product as it is built. */
export const main = fileURLToPath(new URL('../../../bin/kubectl-gc_tree', import.meta.url));

/** The screen with these arguments. */
export function openScreen({ env, own }: Pick<Context, 'env' | 'own'>, args: readonly string[]): Screen {
  const command = [node, main, ...args];
  const [file = node, ...rest] = own === undefined ? command : ['taskset', '--cpu-list', own, ...command];
  return new Screen({ file, args: rest, env });
}

/** In each population: it has five pods, among 400 in its namespace. */
export const TARGET = { namespace: 'team-00001', name: 'statefulset-2', objects: 8 } as const;

/** Values by name, in the order in which they come first. */
export class Samples {
  readonly #values = new Map<string, number[]>();

  add(name: string, value: number): void {
    const values = this.#values.get(name);
    if (values === undefined) this.#values.set(name, [value]);
    else values.push(value);
  }

  of(name: string): readonly number[] {
    return this.#values.get(name) ?? [];
  }
}
