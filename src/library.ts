/**
 * Entry point for other programs: opens what they ask about, and answers with documents. Importing it starts nothing: no
 * handlers of signals, nothing on the standard streams, nothing that keeps a process from ending.
 */
import { Writable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  Asker,
  capturedIo,
  describeFailure,
  type Flags,
  type Question,
  Unanswered,
  UsageError,
} from './cli/index.ts';
import type * as Exports from './library/exports.d.ts';
import { SourceError } from './source/index.ts';

declare const __VERSION__: string;

type Names = Exclude<keyof typeof Exports, 'GcTreeError'>;

export class GcTreeError extends Error {
  override readonly name = 'GcTreeError';
  readonly reason: 'usage' | 'source';

  constructor(message: string, reason: 'usage' | 'source') {
    super(message);
    this.reason = reason;
  }
}

const askers = new WeakMap<object, Asker>();
const nowhere = (): Writable => new Writable({ write: (_chunk, _encoding, done) => done() });

async function open(source: Exports.Cluster['source'], given: Partial<Flags>): Promise<Exports.Cluster> {
  const { env } = process;
  const time = {
    now: () => Date.now(),
    pause: (milliseconds: number, signal?: AbortSignal) =>
      sleep(milliseconds, undefined, signal && { signal }).catch(() => {}),
  };
  const never = new AbortController().signal;
  const asker = new Asker({
    flags: { headers: true, color: 'never', verbosity: 0, ...given },
    io: capturedIo(time, { stdout: nowhere(), stderr: nowhere(), gone: never, env }),
    services: {
      version: __VERSION__,
      openSource: async flags => {
        const { openCluster } = await import('./kube/open-cluster.ts');
        return openCluster(flags, { env, verbosity: 0, log: () => {}, terminal: undefined });
      },
    },
  });
  await told(() => asker.open());
  const close = (): Promise<void> => asker.close();
  const cluster = { source, close, [Symbol.asyncDispose]: close };
  askers.set(cluster, asker);
  return cluster;
}

/** Failures that are meant for people come as such; others are faults of this code, and stay what they are. */
async function told<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof Unanswered ? error.cause : error;
    const reason =
      cause instanceof UsageError ? 'usage' : cause instanceof SourceError ? 'source' : undefined;
    if (reason === undefined) throw cause;
    throw new GcTreeError(
      describeFailure(cause, 0)
        .replace(/^kubectl gc-tree: /u, '')
        .trimEnd(),
      reason,
    );
  }
}

async function ask<D>(
  cluster: Exports.Cluster,
  { command, words, flags }: Question,
  { signal, ...options }: Exports.QuestionOptions,
): Promise<D> {
  const asker = askers.get(cluster);
  if (asker === undefined)
    throw new GcTreeError('this is nothing that was opened with openCluster.', 'usage');
  const question = { command, words, flags: { ...defined(options), ...flags } };
  const { document } = await told(() => asker.ask(question, signal && { signal }));
  return document as D;
}

/** A property that is undefined counts as one that is left out. */
function defined(options: object): Partial<Flags> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function wordsOf(targets: Exports.Targets | undefined = []): readonly string[] {
  return typeof targets === 'string' ? [targets] : targets;
}

export const openCluster: (typeof Exports)['openCluster'] = (options = {}) =>
  open('cluster', defined(options));

export const openFiles: (typeof Exports)['openFiles'] = (paths, options = {}) =>
  open('files', { ...defined(options), filename: wordsOf(paths) });

export const openDemo: (typeof Exports)['openDemo'] = scenario => open('demo', { demo: scenario });

export const graph: (typeof Exports)['graph'] = (cluster, { targets, ...options } = {}) =>
  ask(cluster, { command: 'tree', words: wordsOf(targets), flags: { flat: true } }, options);

export const why: (typeof Exports)['why'] = (cluster, targets, options = {}) =>
  ask(cluster, { command: 'why', words: wordsOf(targets), flags: {} }, options);

export const check: (typeof Exports)['check'] = (cluster, { targets, codes, ...options } = {}) =>
  ask(cluster, { command: 'check', words: wordsOf(targets), flags: defined({ codes }) }, options);

export const plan: (typeof Exports)['plan'] = (cluster, action, options = {}) => {
  const { verb } = action;
  if (verb === 'none' || verb === 'restart')
    return ask(cluster, { command: 'plan', words: verb === 'none' ? [] : [verb], flags: {} }, options);
  const flags =
    verb === 'unblock'
      ? { remedy: action.remedy }
      : defined({ cascade: action.cascade, gracePeriod: action.gracePeriod?.toString() });
  return ask(cluster, { command: 'plan', words: [verb, ...wordsOf(action.targets)], flags }, options);
};

// Fails to compile if an export is missing.
({ openCluster, openFiles, openDemo, graph, why, check, plan }) satisfies Record<Names, unknown>;
