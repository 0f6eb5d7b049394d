/** Moves the screen along a recording's time line; a new target replaces a pending one, as in dragging. */
import type { Source, TimedBatch } from '../../source/index.ts';
import type { Cancel, Ports } from '../background/ports.ts';
import { SlicedWork } from '../background/sliced-work.ts';
import { ClusterModel } from '../cluster/model.ts';
import type { Message } from '../state/messages.ts';
import type { State } from '../state/state.ts';

export interface TimelineRunnerOptions {
  readonly ports: Pick<Ports, 'now' | 'after' | 'soon'>;
  readonly getState: () => State;
  readonly source: () => Source | undefined;
  readonly dispatch: (message: Message) => void;
  readonly describe: (error: unknown) => string;
}

const FRAME_MS = 200;
const TICK_MS = 1_000;
/** Maximum number of ticks between two changes. */
const MOST_TICKS = 60;
/** Parts in which deletions are counted: more than a terminal has columns. */
const PARTS = 1_200;

export class TimelineRunner {
  readonly #options: TimelineRunnerOptions;
  readonly #marking: SlicedWork;
  #wanted: number | undefined;
  #seeking: Cancel | undefined;
  #playing: Cancel | undefined;
  #marked: NonNullable<Source['timeline']> | undefined;

  constructor(options: TimelineRunnerOptions) {
    this.#options = options;
    this.#marking = new SlicedWork(options.ports);
  }

  /** Shows the moment nearest to this one. */
  seek(moment: number): void {
    this.#wanted = moment;
    this.#seeking ??= this.#options.ports.soon(() => this.#seekWanted());
  }

  #seekWanted(): void {
    this.#seeking = undefined;
    const wanted = this.#wanted;
    this.#wanted = undefined;
    if (wanted !== undefined) this.#seekNow(wanted);
  }

  seekChange(direction: 1 | -1): void {
    // Starts from the moment that an earlier key of the same read leads to.
    this.#seeking?.();
    this.#seekWanted();
    const { timeline } = this.#options.source() ?? {};
    const moment = timeline?.neighbour(direction);
    if (timeline !== undefined) this.seek(moment ?? (direction > 0 ? timeline.to : timeline.from));
  }

  play(): void {
    this.#playing?.();
    this.#playing = this.#options.ports.after(FRAME_MS, () => {
      this.#playing = undefined;
      const { replay } = this.#options.getState();
      const { timeline } = this.#options.source() ?? {};
      if (timeline === undefined || !replay.playing) return;
      const next = Math.min(timeline.to, timeline.moment + FRAME_MS * replay.speed);
      this.#seekNow(next);
      if (next >= timeline.to) this.#options.dispatch({ type: 'played' });
      else this.play();
    });
  }

  /** Counts deletions by part, in slices, and sends `marks`. */
  mark(): void {
    const { timeline } = this.#options.source() ?? {};
    if (timeline === undefined || timeline === this.#marked) return;
    this.#marked = timeline;
    const { from, to } = timeline;
    const marks = new Uint32Array(PARTS);
    const parts = timeline.deletions()[Symbol.iterator]();
    this.#marking.start(() => {
      try {
        const { done, value } = parts.next();
        for (const at of value ?? []) {
          const part = Math.min(PARTS - 1, Math.floor(((at - from) / Math.max(1, to - from)) * PARTS));
          marks[part] = (marks[part] ?? 0) + 1;
        }
        if (done === true) this.#options.dispatch({ type: 'marks', marks });
        return done === true;
      } catch {
        // A damaged part is reported when the user goes there.
        return true;
      }
    });
  }

  stop(): void {
    this.#seeking?.();
    this.#playing?.();
    this.#marking.stop();
  }

  /** Rebuilds the shown moment with its history, for a view that needs it. */
  again(): void {
    const { timeline } = this.#options.source() ?? {};
    if (timeline !== undefined) this.#seekNow(timeline.moment, true);
  }

  #seekNow(moment: number, again = false): void {
    const { source, dispatch, describe, getState } = this.#options;
    const { timeline } = source() ?? {};
    const { cluster } = getState();
    if (timeline === undefined || cluster === undefined) return;
    const to = Math.max(timeline.from, Math.min(timeline.to, Math.round(moment)));
    try {
      const shown = timeline.moment;
      const on = again ? undefined : timeline.proceed(to);
      if (on !== undefined) {
        takeAll(cluster, shown, on, to);
        this.#tell(to, cluster);
        return;
      }
      const { at, batch, news } = timeline.show(to);
      const anew = likeBefore(cluster, getState());
      anew.apply(batch, at);
      anew.settle();
      const { diagnostics } = cluster.problems ?? {};
      if (diagnostics !== undefined) {
        anew.startDiagnosis(diagnostics, at);
        while (anew.prepareMore(at));
      }
      if (getState().view === 'collector') anew.collector?.begin(at, { latestFirst: true });
      takeAll(anew, at, news, to);
      this.#tell(to, anew);
    } catch (error) {
      dispatch({ type: 'notice', text: describe(error), style: 'danger' });
    }
  }

  #tell(moment: number, cluster: ClusterModel): void {
    this.#options.dispatch({ type: 'sought', moment, cluster });
  }
}

/** Applies batches as if live: time passes between them, and simultaneous ones are merged. */
function takeAll(cluster: ClusterModel, from: number, batches: readonly TimedBatch[], until: number): void {
  let now = from;
  for (let next = 0; next < batches.length; ) {
    const { at, batch } = batches[next] ?? { at: now, batch: { changes: [] } };
    const changes = [...batch.changes];
    next += 1;
    for (let more = batches[next]; isMore(more, at); more = batches[++next])
      changes.push(...more.batch.changes);
    passTime(cluster, now, at);
    cluster.apply({ ...batch, changes }, at);
    now = at;
  }
  passTime(cluster, now, until);
}

function isMore(next: TimedBatch | undefined, at: number): next is TimedBatch {
  return next?.at === at && Object.keys(next.batch).length === 1;
}

/** Ticks as a live screen does, less often in long gaps. */
function passTime(cluster: ClusterModel, from: number, to: number): void {
  const step = Math.max(TICK_MS, (to - from) / MOST_TICKS);
  for (let now = from + step; now < to; now += step) cluster.activity?.take(now);
  if (to > from) cluster.advance(to);
}

/** Returns an empty cluster with the old one's settings, scope and folds. */
function likeBefore(before: ClusterModel, { tree }: State): ClusterModel {
  const cluster = new ClusterModel({ namespace: before.namespace, like: before });
  cluster.setSort(tree.sort);
  cluster.view.settings = before.view.settings;
  return cluster;
}
