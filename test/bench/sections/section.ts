/** What a section of the bench is, and what it is given: a cluster with a population, or nothing. */
import { fileURLToPath } from 'node:url';
import type { Cluster } from '../../harness/cluster.ts';
import type { Programs } from '../comparison.ts';
import type { Row } from '../figures.ts';

export interface Context {
  readonly cluster: Cluster;
  readonly kubeconfig: string;
  /** For every process: the kubeconfig, and a home of its own with the caches of this run. */
  readonly env: NodeJS.ProcessEnv;
  readonly pods: number;
  readonly rounds: number;
  readonly programs: Programs;
  /** Tells how far it is. */
  readonly say: (line: string) => void;
}

export type Section = { readonly name: string; readonly about: string } & (
  | { readonly on: 'cluster'; readonly measure: (context: Context) => Promise<Row[]> }
  | { readonly on: 'memory'; readonly measure: () => Promise<Row[]> }
);

export const node = process.execPath;
/** The product as it is built. */
export const main = fileURLToPath(new URL('../../../bin/kubectl-gc_tree', import.meta.url));

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
