/** Reads and follows a source for one question after another: each gets the state and later changes. */
import { ClusterView } from '../../graph/index.ts';
import {
  type Change,
  Connection,
  type KubeObject,
  type LookUp,
  type ReadPlan,
  ReadScope,
  type ResourceType,
  type SourceBatch,
} from '../../model/index.ts';
import { type Source, SourceInfo } from '../../source/index.ts';
import type { Io } from '../runtime/io.ts';

/** Milliseconds that a question waits while the source is behind; the answer then mentions it. */
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

  /** Resolves once the served types are known. Rejects like the source. */
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

  /** Resolves with a function that ends the turn: one question at a time may ask look-ups. */
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

  /** Resolves once everything is read; waits only briefly for repeated reads. */
  async read(): Promise<void> {
    await this.source.factsComplete;
    const patience = new AbortController();
    const passed = this.#io.pause(PATIENCE_MILLISECONDS, patience.signal).then(() => 'passed');
    while (this.#isCatchingUp && (await Promise.race([passed, this.#arrived.promise])) !== 'passed');
    patience.abort();
  }

  get #isCatchingUp(): boolean {
    const { connection, statuses } = this.view;
    return Connection.isBehind(connection) || statuses.values().some(({ state }) => state === 'listing');
  }

  /** Delivers the current state and then changes, until the returned function is called. */
  tell(listener: (batch: SourceBatch) => void): () => void {
    const forward = (batch: SourceBatch): void => listener(withFound(this.view, batch));
    listener(this.#known());
    this.#listeners.add(forward);
    return () => this.#listeners.delete(forward);
  }

  #take(batch: SourceBatch): void {
    this.view.apply(batch, SourceInfo.moment(this.source.info, this.#io.now()));
    for (const each of this.#listeners) each(batch);
    this.#arrived.resolve();
    this.#arrived = Promise.withResolvers<void>();
  }

  #known(): SourceBatch {
    const { view } = this;
    const { catalog, failedGroups, statuses, connection, scope } = view;
    const changes: Change[] = [];
    for (const { type, state } of statuses.values()) {
      // A look at an unlistable kind from another answer would be outdated.
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

/** Adds look-up answers for objects that were read alone earlier and haven't changed. */
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
  if (namespace !== ReadScope.anyNamespace) {
    const found = view.graph.find(type, namespace, name)?.object;
    return found === undefined ? [] : [found];
  }
  return [...namesakes(view, type, name)];
}

function* namesakes(view: ClusterView, type: ResourceType, name: string): Generator<KubeObject> {
  for (const { object } of view.graph.ofType(type)) if (object?.name === name) yield object;
}
