/**
 * The two ends that a plan tells, of handlers that have done nothing and of those that have done their work, and
 * whether a cluster comes to one of them.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import type { Cluster } from '../../harness/cluster.ts';
import { eventually } from '../eventually.ts';
import { QUIET_MS } from '../settled.ts';
import { runTool } from '../tool.ts';

export interface Entry {
  readonly object: {
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
  };
}

export interface End {
  readonly deleted: readonly Entry[];
  readonly terminating: readonly (Entry & {
    readonly anyway?: true;
    readonly handlers: readonly {
      readonly finalizer: string;
      readonly handler: string;
      readonly state: string;
      readonly evidence: readonly string[];
    }[];
  })[];
}

/** What a tool beside the control plane is expected to do. */
interface Assumed extends Entry {
  readonly effect: string;
  readonly when?: string;
}

export interface Plan extends End {
  readonly outcome: string;
  readonly ifHandled?: End;
  readonly logical?: readonly Assumed[];
  readonly warnings: readonly string[];
}

export interface Live {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly uid: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
}

/** Those of these kinds, in all namespaces. */
export async function liveObjects(cluster: Cluster, kinds: string): Promise<readonly Live[]> {
  const text = await cluster.kubectl(['get', kinds, '-A', '-o', 'json']);
  return (JSON.parse(text) as { readonly items: readonly Live[] }).items;
}

/** The same, once they have stopped coming, going and being marked: whatever an earlier test has begun is over. */
export async function restingObjects(cluster: Cluster, kinds: string): Promise<readonly Live[]> {
  let last = await liveObjects(cluster, kinds);
  return eventually(async () => {
    const before = last;
    await sleep(QUIET_MS);
    last = await liveObjects(cluster, kinds);
    expect(marks(last)).toEqual(marks(before));
    return last;
  });
}

/** Runs `plan … -o json`, which has to succeed. */
export async function planOf<T = Plan>(kubeconfig: string, args: readonly string[]): Promise<T> {
  const { code, stdout, stderr } = await runTool(['plan', ...args, '-o', 'json'], { kubeconfig });
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as T;
}

/** `NAME STATE` of each handler that is waited for; what was being deleted before has no part in it. */
export function states({ terminating }: End): string[] {
  return terminating.flatMap(({ object, handlers, anyway = false }) =>
    anyway ? [] : handlers.map(({ state }) => `${object.name} ${state}`),
  );
}

/** Without what changes in a status alone. */
function marks(objects: readonly Live[]): string[] {
  return objects
    .map(({ metadata: { uid, deletionTimestamp } }) => `${uid} ${deletionTimestamp ?? ''}`)
    .sort();
}

function left(objects: readonly Live[]): string[] {
  return objects
    .map(
      ({ kind, metadata: { name, deletionTimestamp } }) =>
        `${kind} ${name}${deletionTimestamp === undefined ? '' : ' deleting'}`,
    )
    .sort();
}

/** Resolves once of these objects those are left that the end says, and are being deleted where it says so. */
export async function comesToEnd(
  cluster: Cluster,
  kinds: string,
  before: readonly Live[],
  { deleted, terminating }: { readonly [List in 'deleted' | 'terminating']: readonly Entry[] },
): Promise<void> {
  const gone = new Set(deleted.map(({ object }) => object.uid));
  const deleting = new Set(terminating.map(({ object }) => object.uid));
  const foretold = before
    .filter(({ metadata }) => !gone.has(metadata.uid))
    .map(({ kind, metadata }) => ({
      kind,
      metadata: { ...metadata, ...(deleting.has(metadata.uid) ? { deletionTimestamp: 'yes' } : {}) },
    }));
  const known = new Set(before.map(({ metadata }) => metadata.uid));
  await eventually(async () => {
    const after = (await liveObjects(cluster, kinds)).filter(({ metadata }) => known.has(metadata.uid));
    expect(left(after)).toEqual(left(foretold));
  });
}
