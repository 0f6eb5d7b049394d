/** The cluster that `serve` follows like `check --watch` and `podgc --watch`. */
import { setTimeout as sleep } from 'node:timers/promises';
import { type Diagnosis, diagnoseCluster } from '../../../diagnosis/index.ts';
import type { LookUp } from '../../../model/index.ts';
import { PodGcSurvey } from '../../../podgc/index.ts';
import { Source } from '../../../source/index.ts';
import { inTime } from '../../commands/podgc/run-podgc.ts';
import type { Io } from '../../runtime/io.ts';
import { inNamespaces, keepConfirming } from '../../session/confirm.ts';
import type { ClusterSession } from '../../session/session.ts';
import { Watch } from '../../session/watch.ts';
import type { History } from '../history/history.ts';
import type { Watched } from '../http/health.ts';
import { type Observation, observe } from '../http/observation.ts';

/** Interval for checks of what becomes due by time alone. */
const TICK_MILLISECONDS = 1_000;

const ANSWER_STEP_MILLISECONDS = 5;

const everywhere = inNamespaces(undefined);

interface Judged {
  readonly diagnosis: Diagnosis;
  readonly survey: PodGcSurvey;
}

export class FollowedCluster {
  readonly session: ClusterSession;
  readonly #io: Io;
  readonly #history: History | undefined;
  #judged: Judged | undefined;
  #lastEvent: number | undefined;
  /** Look-ups that answers wait for. */
  readonly #urgent = new Set<LookUp>();
  /** Changes with the view. */
  revision = 0;

  constructor(session: ClusterSession, io: Io, history?: History) {
    this.session = session;
    this.#io = io;
    this.#history = history;
  }

  get synced(): boolean {
    return this.#judged !== undefined;
  }

  get state(): Pick<Watched, 'view' | 'synced'> {
    return { view: this.session.view, synced: this.synced };
  }

  get lastEvent(): number | undefined {
    return this.#lastEvent;
  }

  /** Returns undefined before everything was judged. `now`: the API server's clock, in milliseconds since the epoch. */
  observe(now: number): Observation | undefined {
    const { view } = this.session;
    return this.#judged && observe({ view, ...this.#judged }, now);
  }

  /** Rejects with `Interrupted`, or with a `SourceError` if nothing can be read. */
  async run(): Promise<never> {
    const { session } = this;
    const history = this.#history;
    if (history !== undefined) await session.until(history.restore());
    await session.load(true);
    const pending = session.holdStill(true);
    const { view } = session;
    const diagnosis = diagnoseCluster(view, session.now());
    const survey = new PodGcSurvey(view, { now: session.now() });
    history?.begin(view, session.now());
    this.#judged = { diagnosis, survey };
    this.#lastEvent = session.now();
    const watched = new Watch(session, this.#io, pending, true);
    this.#keepConfirming();
    let isAsking = false;
    for (;;) {
      const untilDue = diagnosis.nextDue - session.now();
      const batches = await watched.next(Math.min(TICK_MILLISECONDS, Math.max(0, untilDue)));
      const now = session.now();
      diagnosis.advance(now);
      for (const batch of batches) {
        this.revision += 1;
        history?.offer(batch, watched.arrivedAt(batch));
        const changes = view.apply(batch, now);
        diagnosis.apply(changes, now);
        survey.apply(changes, now);
        if (batch.changes.length > 0) this.#lastEvent = watched.arrivedAt(batch);
      }
      history?.take(now);
      if (batches.length > 0) this.#keepConfirming();
      watched.report();
      if (!isAsking && survey.asksManager(now)) {
        isAsking = true;
        void this.#askManager(survey).finally(() => {
          isAsking = false;
        });
      }
    }
  }

  /** Returns what forecasts on the view have asked since the last call; nothing if there is no API server to ask. */
  takeAsked(): readonly LookUp[] {
    const { source, view } = this.session;
    return source.lookUp === undefined ? [] : view.absences.takeAsked();
  }

  /** Resolves with false if there is no answer by then (`performance.now()`). */
  async lookUp(asked: readonly LookUp[], until: number): Promise<boolean> {
    const { absences } = this.session.view;
    const isOpen = (): boolean => asked.some(each => !absences.isAnswered(each));
    for (const each of asked) this.#urgent.add(each);
    this.#keepConfirming();
    while (isOpen() && performance.now() < until) await sleep(ANSWER_STEP_MILLISECONDS);
    for (const each of asked) this.#urgent.delete(each);
    return !isOpen();
  }

  #keepConfirming(): void {
    keepConfirming(this.session, everywhere, { ...this.#judged, urgent: this.#urgent });
  }

  async #askManager(survey: PodGcSurvey): Promise<void> {
    const { session } = this;
    const lease = await inTime(Source.managerLease(session.source, session.view.catalog));
    survey.learnManager(lease, session.now());
  }
}
