/**
 * Answers AdmissionReviews with what a request does, by the forecast of `plan` on the followed cluster. Only a policy
 * refuses: whatever goes wrong, the request is allowed.
 */
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { CascadeReads, handledForecasterInSlices } from '../../../diagnosis/index.ts';
import type { Action, Forecast, Forecaster } from '../../../forecast/index.ts';
import { type LookUp, type Sliced, showHidden, type Uid } from '../../../model/index.ts';
import { admissionKinds } from '../../../simulation/index.ts';
import { planWords, truncate } from '../../../text/index.ts';
import type { History } from '../history/history.ts';
import { BoundedQueue } from '../http/bounded-queue.ts';
import { type Answer, failure } from '../http/http-server.ts';
import type { Metrics } from '../http/metrics.ts';
import type { Reviewer } from '../http/reviews.ts';
import type { FollowedCluster } from '../serve/follow.ts';
import { Review, type Verdict } from './admission-review.ts';
import { namesFor } from './caller-names.ts';
import type { GuardPolicy } from './policy.ts';
import { actionOf, isUnasked } from './reviewed-action.ts';
import { UserLists } from './user-lists.ts';

/** Milliseconds for an answer; the webhook's configuration gives up after two seconds. */
const ANSWER_MS = 1_200;
/** Milliseconds for the followed cluster to reach the version of the object that the API server sends. */
const CATCH_UP_MS = 250;
const CATCH_UP_STEP_MS = 10;
/** Forecasts of one request, each after the answers to the one before. */
const MOST_ROUNDS = 6;
/** Forecasts that wait while one is made, which occupies a core. */
const MOST_WAITING = 32;
/** Milliseconds for which a forecaster on an unchanged cluster is used again. */
const FORECASTER_MS = 1_000;

/** Limit on a warning, as the API asks. */
const MOST_CHARACTERS = 120;

type Outcome = 'silent' | 'warned' | 'refused' | 'unasked' | 'behind' | 'late' | 'failed';

interface GuardOptions {
  readonly cluster: FollowedCluster;
  readonly reviewer: Reviewer | undefined;
  readonly metrics: Metrics;
  /** Undefined if nothing is refused. */
  readonly policy: GuardPolicy | undefined;
  /** True while every change is followed. */
  readonly isLive: () => boolean;
  readonly history: History | undefined;
  readonly log: (line: string) => void;
}

interface KeptForecaster {
  readonly revision: number;
  readonly at: number;
  readonly forecaster: Forecaster;
  /** Look-ups that its forecasts rest on; it asks for each only once. */
  readonly asked: LookUp[];
}

const silence: Verdict = { allowed: true, warnings: [] };

export class Guard {
  readonly #options: GuardOptions;
  readonly #queue = new BoundedQueue(MOST_WAITING);
  readonly #lists: UserLists;
  #last: KeptForecaster | undefined;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#lists = new UserLists(options.cluster.session);
  }

  async answer(body: string): Promise<Answer> {
    const { metrics, log } = this.#options;
    const began = performance.now();
    const review = Review.parse(body);
    if (typeof review === 'string') return failure(400, review);
    let outcome: Outcome = 'failed';
    let verdict = silence;
    try {
      const told = await this.#judge(review, began + ANSWER_MS);
      [outcome, verdict] = typeof told === 'string' ? [told, silence] : [outcomeOf(told), told];
    } catch (error) {
      log(`an admission answer failed: ${error instanceof Error ? error.message : String(error)}`);
    }
    if (verdict.allowed) this.#note(review);
    metrics.countReview(outcome, (performance.now() - began) / 1_000);
    return { status: 200, body: Review.answerTo(review, verdict), contentType: 'application/json' };
  }

  /** Has the history know who sent a request. */
  #note(review: Review): void {
    const { history, cluster } = this.#options;
    if (history === undefined || review.dryRun || isUnasked(review)) return;
    const { operation, subresource, caller } = review;
    const isEviction = subresource === 'eviction';
    const verb = isEviction ? 'evict' : operation === 'DELETE' ? 'delete' : 'update';
    const uid = isEviction ? podOf(review, cluster) : review.oldObject?.uid;
    if (uid !== undefined) history.request({ uid: uid as Uid, user: caller.username, verb });
  }

  /** Returns why nothing is said, if so. `until`: by `performance.now()`. */
  async #judge(review: Review, until: number): Promise<Verdict | Outcome> {
    const { cluster, reviewer } = this.#options;
    const { view } = cluster.session;
    if (isUnasked(review)) return 'unasked';

    const forecast = await this.#confirmed(review, until);
    if (typeof forecast === 'string') return forecast;
    const reads = new CascadeReads(this.#lists.ports(until));
    const told = withoutItself(await reads.told(forecast));
    const names = await namesFor(review.caller, { reviewer, view, forecast: told, until });
    return this.#ruled(review, told, planWords.guard(told, names));
  }

  /** Forecasts again until the API server has been asked all that the forecast rests on, such as handlers' permissions. */
  async #confirmed(review: Review, until: number): Promise<Forecast | Outcome> {
    const { cluster, isLive } = this.#options;
    const { view } = cluster.session;
    for (let round = 1; ; round += 1) {
      if (!isLive()) return 'behind';
      let action = actionOf(review, view);
      const patient = performance.now() + CATCH_UP_MS;
      for (; action === 'behind' && performance.now() < patient; action = actionOf(review, view))
        await sleep(CATCH_UP_STEP_MS);
      if (typeof action === 'string') return action;
      const made = await this.#queue.run(() => this.#forecast(action, until));
      if (made === undefined) return 'late';
      const isKnown = made.asked.length === 0 || round === MOST_ROUNDS;
      if (isKnown) return made.forecast;
      if (!(await cluster.lookUp(made.asked, until))) return 'late';
    }
  }

  #ruled(review: Review, forecast: Forecast, warnings: readonly string[]): Verdict {
    const { policy, cluster, log } = this.#options;
    if (policy === undefined) return { allowed: true, warnings };
    const { view } = cluster.session;
    const now = cluster.session.now();
    const { message, overridden, ignored } = policy.refusal(review, { forecast, view, now });
    const { operation, subresource, namespace, name, caller } = review;
    const resource = [review.resource.resource, subresource].filter(each => each !== '').join('/');
    for (const each of overridden)
      log(
        showHidden(
          `${operation} of ${resource} ${namespace}/${name} by ${caller.username} is allowed: ${each}`,
        ),
      );
    if (ignored !== undefined) log(ignored);
    const all = ignored === undefined ? warnings : [truncate(ignored, MOST_CHARACTERS), ...warnings];
    return message === undefined
      ? { allowed: true, warnings: all }
      : { allowed: false, warnings: all, message: showHidden(message) };
  }

  /** Returns undefined if it isn't made in time. `asked`: look-ups that may change it. */
  async #forecast(
    action: Action,
    until: number,
  ): Promise<{ readonly forecast: Forecast; readonly asked: readonly LookUp[] } | undefined> {
    // Requests that arrived meanwhile begin to count their time.
    await setImmediate();
    const kept = this.#kept(until);
    const forecast = kept && inTime(kept.forecaster.forecastInSlices(action), until);
    kept?.asked.push(...this.#options.cluster.takeAsked());
    if (kept !== undefined && forecast !== undefined) return { forecast, asked: kept.asked };
    this.#last = undefined;
    return undefined;
  }

  #kept(until: number): KeptForecaster | undefined {
    const { session, revision } = this.#options.cluster;
    const at = performance.now();
    const last = this.#last;
    if (last?.revision === revision && at - last.at < FORECASTER_MS) return last;
    const made = handledForecasterInSlices(session.view, { now: session.now(), scope: 'action' });
    const forecaster = inTime(made, until);
    this.#last = forecaster && { revision, at, forecaster, asked: [] };
    return this.#last;
  }
}

function podOf({ namespace, name }: Review, { session }: FollowedCluster): Uid | undefined {
  const { catalog, graph } = session.view;
  const pods = catalog.resolveKind('v1', 'Pod');
  return pods && graph.find(pods, namespace, name)?.uid;
}

/** Returns undefined if the work isn't done by then, by `performance.now()`. The view stands still meanwhile. */
function inTime<T>(work: Sliced<T>, until: number): T | undefined {
  while (performance.now() < until) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
  return undefined;
}

/** Leaves out that the guard itself may refuse. */
function withoutItself(forecast: Forecast): Forecast {
  const warnings = forecast.warnings.filter(
    each => each.code !== 'admission' || each.by.webhook !== admissionKinds.refusalWebhook,
  );
  return { ...forecast, warnings };
}

function outcomeOf({ allowed, warnings }: Verdict): Outcome {
  if (!allowed) return 'refused';
  return warnings.length === 0 ? 'silent' : 'warned';
}
