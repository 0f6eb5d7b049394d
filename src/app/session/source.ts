/** Opens sources and feeds them to the screen; a change of context runs two at once. */
import { ViewSubscription } from '../../actions/index.ts';
import { formatCount, type SourceBatch, showHidden } from '../../model/index.ts';
import type { Source } from '../../source/index.ts';
import { FIRST_COLLECTOR, unprovenWarning } from '../../text/index.ts';
import type { Ports } from '../background/ports.ts';
import { ClusterModel } from '../cluster/model.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';
import { BatchQueue } from './batch-queue.ts';

export interface SourceRunnerOptions {
  readonly ports: Pick<Ports, 'open' | 'now' | 'after' | 'heapLimit'>;
  readonly getState: () => State;
  readonly dispatch: (message: Message) => void;
  /** Called before a source replaces another. */
  readonly changing: () => void;
  readonly describe: (error: unknown) => string;
}

/** Milliseconds until a frame is on the terminal: frames follow each other after 9 ms. */
const DRAWING_MS = 20;

/** Milliseconds longer than a pause in typing. */
const TYPING_MS = 400;

interface Shown {
  readonly source: Source;
  /** Requested context; undefined for the one at the start. */
  readonly context: string | undefined;
  readonly queue: BatchQueue;
  /** Holds the cluster unchanged until the resulting function is called. */
  readonly still: () => Promise<() => void>;
  readonly changes: ViewSubscription;
}

export class SourceRunner {
  readonly #options: SourceRunnerOptions;
  #shownNow: Shown | undefined;
  /** Starting may take for ever. */
  #starting: Source | undefined;
  #openNumber = 0;
  /** Reads the rest of a source after its first namespace. */
  #rest: { readonly of: Source; readonly read: () => void } | undefined;
  #ended = false;

  constructor(options: SourceRunnerOptions) {
    this.#options = options;
  }

  get shown(): Pick<Shown, 'source' | 'context' | 'changes' | 'still'> | undefined {
    return this.#shownNow;
  }

  /** Reads the rest once the screen's content is judged and drawn; call it after each message. */
  follow(): void {
    const { cluster } = this.#options.getState();
    const rest = this.#rest;
    if (rest === undefined || rest.of !== this.#shownNow?.source || cluster === undefined) return;
    if (cluster.namespace !== undefined && cluster.problems?.complete !== true) return;
    this.#rest = undefined;
    this.#options.ports.after(DRAWING_MS, rest.read);
  }

  /** Slows intake until a while after the last key; call it for each key. */
  giveWay(): void {
    this.#shownNow?.queue.giveWay(TYPING_MS);
    this.#shownNow?.source.giveWay?.(TYPING_MS);
  }

  open(context: string | undefined): void {
    void this.#openNow(context);
  }

  async close(): Promise<void> {
    this.#ended = true;
    this.#openNumber += 1;
    const shownNow = this.#shownNow;
    const starting = this.#starting;
    this.#shownNow = undefined;
    shownNow?.queue.stop();
    await Promise.all([shownNow?.source.close(), starting !== shownNow?.source && starting?.close()]);
  }

  async #openNow(context: string | undefined): Promise<void> {
    const { ports, dispatch, describe } = this.#options;
    this.#openNumber += 1;
    const number = this.#openNumber;
    if (this.#starting !== this.#shownNow?.source) void this.#starting?.close().catch(() => undefined);
    this.#starting = undefined;
    const current = (): boolean => number === this.#openNumber && !this.#ended;
    let source: Source | undefined;
    try {
      source = await ports.open(context);
      if (!current()) return await source.close();
      this.#starting = source;
      await this.#follow(source, context, current);
    } catch (error) {
      if (current()) dispatch({ type: 'openFailed', message: describe(error) });
      await source?.close().catch(() => undefined);
    }
  }

  /** Replaces the old source once the new one delivers. */
  async #follow(source: Source, context: string | undefined, current: () => boolean): Promise<void> {
    const { ports, dispatch, getState } = this.#options;
    const { cluster, options: screen } = getState();
    const first = cluster === undefined;
    const changes = new ViewSubscription();
    const warnOfMemory = memoryWarning(ports.heapLimit(), dispatch);
    const queue = new BatchQueue(ports, (batch, now) => {
      dispatch({ type: 'batch', batch, now });
      warnOfMemory(getState().cluster?.view.graph.size ?? 0);
      changes.notify();
    });
    const shown: Shown = { source, context, queue, still: () => queue.still(), changes };
    const begin = (): void => {
      if (this.#shownNow !== shown) this.#begin(shown, first);
    };
    const warn = warnings(source, dispatch);
    // The shown source is followed even while another is being opened, perhaps in vain.
    const isWanted = (): boolean => !this.#ended && (this.#shownNow === shown || current());
    // The first cluster is shown from its first batch on; another has to answer first.
    const listen = (batch: SourceBatch): void => {
      if (!isWanted()) return;
      const { connection } = batch;
      if (connection?.state === 'connecting' && this.#shownNow !== shown) {
        dispatch({ type: 'waiting', who: connection.waitingFor });
        return;
      }
      if (first && current()) begin();
      queue.push(batch);
      warn();
    };
    await source.start(listen, {
      states: true,
      first: (first ? screen.namespace : undefined) ?? source.info.namespace,
      afterFirst: () =>
        new Promise(read => {
          // Its batches wait for no frame.
          queue.afterwards(() => {
            this.#rest = { of: source, read };
            this.follow();
          });
        }),
    });
    if (!isWanted()) return await source.close();
    begin();
    await tellLoaded(source, message => queue.afterwards(() => isWanted() && dispatch(message)));
  }

  #begin(shown: Shown, first: boolean): void {
    const { dispatch, getState, changing } = this.#options;
    const { source, context, queue } = shown;
    const { options: screen, cluster: before, tree } = getState();
    const old = this.#shownNow;
    if (old !== undefined) changing();
    this.#shownNow = shown;
    old?.queue.stop();
    void old?.source.close().catch(() => undefined);
    const all = first ? screen.allNamespaces : before?.namespace === undefined;
    const named = first ? screen.namespace : undefined;
    const place = named ?? source.info.namespace;
    const cluster = new ClusterModel({ namespace: all ? undefined : place, first: place });
    cluster.setSort(tree.sort);
    cluster.view.settings = {
      serverVersion: source.info.serverVersion,
      collector: source.info.collector,
      standsStill: source.info.source === 'files',
      listsMayLag: source.lookUp !== undefined,
      contentOf: object => source.content?.(object),
      catalogue: screen.catalogue,
      terminatedPodGcThreshold: context === undefined ? screen.terminatedPodGcThreshold : undefined,
    };
    dispatch({ type: 'opened', info: source.info, cluster });
    queue.open();
  }
}

/** Reports when the graph and the facts are complete, and when the rules are loaded. */
async function tellLoaded(source: Source, tell: (message: Message) => void): Promise<void> {
  const loading = import('../cluster/diagnostics.ts');
  void source.graphComplete.then(
    () => {
      tell({ type: 'graphComplete', info: source.info });
      const unproven = unprovenWarning(source.info.serverVersion);
      if (unproven !== '') tell({ type: 'notice', text: `Warning: ${unproven}`, style: 'warning' });
      if (source.info.collector === '1.5') tell({ type: 'notice', text: FIRST_COLLECTOR, style: 'warning' });
    },
    () => undefined,
  );
  void Promise.all([loading, source.graphComplete, source.factsComplete]).then(
    ([{ diagnostics }]) => tell({ type: 'factsComplete', info: source.info, diagnostics }),
    () => undefined,
  );
  if (source.prefer === undefined) return;
  const { diagnostics } = await loading;
  tell({ type: 'diagnosticsLoaded', diagnostics });
}

/** Memory per object and of the program alone, measured with 530,000 objects. */
const BYTES_PER_OBJECT = 1_000;
const BYTES_OF_PROGRAM = 40_000_000;
const MB = 2 ** 20;

/** Returns a function that warns once before the heap is full, which would make Node end the program. */
function memoryWarning(limit: number, dispatch: (message: Message) => void): (objects: number) => void {
  let isTold = false;
  return objects => {
    const needed = BYTES_OF_PROGRAM + objects * BYTES_PER_OBJECT;
    if (isTold || needed < 0.75 * limit) return;
    isTold = true;
    const room = `${formatCount(Math.round(limit / MB))} MB`;
    const text = `Memory may run out: ${formatCount(objects)} objects so far, and Node gives this program ${room}. NODE_OPTIONS=--max-old-space-size=${Math.ceil((4 * limit) / MB)} gives it more.`;
    dispatch({ type: 'notice', text, style: 'warning' });
  };
}

/** Returns a function that shows new warnings. Those of files are printed at the end. */
function warnings(source: Source, dispatch: (message: Message) => void): () => void {
  let told = 0;
  return () => {
    const { warnings: all = [], info } = source;
    const [first, ...more] = all.slice(told);
    told = all.length;
    if (first === undefined || info.source !== 'cluster') return;
    const rest = more.length === 0 ? '' : ` (and ${more.length} more, which are printed at the end)`;
    dispatch({ type: 'notice', text: showHidden(`Warning: ${first}${rest}`), style: 'warning' });
  };
}
