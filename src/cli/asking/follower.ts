/**
 * A source that is read once and followed, for one question after the other: the questions take a copy of what is known,
 * and everything that comes meanwhile. Apart from which of them a question needs.
 */
import { ClusterView } from '../../graph/cluster-view.ts';
import { type Change, isBehind, type LookUp, type SourceBatch } from '../../model/exchange/changes.ts';
import { ANY_NAMESPACE, type ReadPlan } from '../../model/exchange/reads.ts';
import type { KubeObject } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { momentOf, type Source } from '../../source/source.ts';
import type { Io } from '../runtime/io.ts';

/** Milliseconds that a question waits for what is behind just now; then it is answered, and says so. */
const PATIENCE_MILLISECONDS = 3_000;

export class Follower {
  readonly source: Source;
  readonly view = new ClusterView();
  readonly #io: Pick<Io, 'now' | 'pause'>;
  readonly #listeners = new Set<(batch: SourceBatch) => void>();
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;
  #arrived = Promise.withResolvers<void>();

  constructor(source: Source, io: Pick<Io, 'now' | 'pause'>) {
    this.source = source;
    this.#io = io;
  }

  /** Resolves once it is known what is served. Rejects as the source does. */
  async begin(scope: ReadPlan['scope']): Promise<void> {
    await this.source.start(batch => this.#take(batch), {
      facts: true,
      follows: true,
      ...(scope !== undefined && { scope }),
    });
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  /** Resolves with how to give the turn back: look-ups are asked by one question at a time. */
  async turn(): Promise<() => void> {
    const { promise: over, resolve } = Promise.withResolvers<void>();
    const before = this.#last;
    this.#last = over;
    this.#waiting += 1;
    await before;
    return () => {
      this.#waiting -= 1;
      resolve();
    };
  }

  /** Resolves when everything was read; what is read again just now is waited for, but not for long. */
  async read(): Promise<void> {
    await this.source.factsComplete;
    const patience = new AbortController();
    const passed = this.#io.pause(PATIENCE_MILLISECONDS, patience.signal).then(() => 'passed');
    while (this.#isCatchingUp && (await Promise.race([passed, this.#arrived.promise])) !== 'passed');
    patience.abort();
  }

  get #isCatchingUp(): boolean {
    const { connection, statuses } = this.view;
    return isBehind(connection) || statuses.values().some(({ state }) => state === 'listing');
  }

  /** Tells what is known and then what comes, until what it returns is called. */
  tell(listener: (batch: SourceBatch) => void): () => void {
    const forward = (batch: SourceBatch): void => listener(withFound(this.view, batch));
    listener(this.#known());
    this.#listeners.add(forward);
    return () => this.#listeners.delete(forward);
  }

  #take(batch: SourceBatch): void {
    this.view.apply(batch, momentOf(this.source.info, this.#io.now()));
    for (const each of this.#listeners) each(batch);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers<void>();
  }

  #known(): SourceBatch {
    const { view } = this;
    const { catalog, failedGroups, statuses, connection, scope } = view;
    const changes: Change[] = [];
    for (const { type, state } of statuses.values()) {
      // Another answer's look at what cannot be listed would be from the past.
      if (state === 'gone') continue;
      for (const { object } of view.graph.ofType(type))
        if (object !== undefined && this.#follows(object)) changes.push({ op: 'upsert', object });
    }
    return {
      types: catalog.types,
      failedGroups,
      statuses: [...statuses.values()],
      changes,
      connection,
      ...(scope !== undefined && { scope }),
    };
  }

  #follows({ type, namespace }: KubeObject): boolean {
    return this.source.info.source !== 'cluster' || this.view.reads(type, namespace);
  }
}

/** An object that was read alone before, and hasn't changed since, comes with the answer that it was found. */
function withFound(view: ClusterView, batch: SourceBatch): SourceBatch {
  const found = (batch.lookUps ?? [])
    .filter(({ answer }) => answer.state === 'found')
    .flatMap(({ lookUp }) => objectsAt(view, lookUp));
  if (found.length === 0) return batch;
  return {
    ...batch,
    changes: [...batch.changes, ...found.map(object => ({ op: 'upsert', object }) as const)],
  };
}

function objectsAt(view: ClusterView, { apiVersion, kind, namespace, name }: LookUp): readonly KubeObject[] {
  const type = view.catalog.resolveKind(apiVersion, kind);
  if (type === undefined) return [];
  if (namespace !== ANY_NAMESPACE) {
    const found = view.graph.find(type, namespace, name)?.object;
    return found === undefined ? [] : [found];
  }
  return [...namesakes(view, type, name)];
}

function* namesakes(view: ClusterView, type: ResourceType, name: string): Generator<KubeObject> {
  for (const { object } of view.graph.ofType(type)) if (object?.name === name) yield object;
}
