/** Runs an action from forecast to end. A forecast that promises something else must be confirmed again. */
import { handledForecasterInSlices, isForMany } from '../../diagnosis/index.ts';
import type { Identity } from '../../graph/index.ts';
import {
  ActAnswer,
  type ActRequest,
  type JsonRecord,
  type KubeObject,
  type LookUp,
  objectJson,
  Sliced,
  shownName,
  type Uid,
} from '../../model/index.ts';
import { Intent } from '../prepare/action-intent.ts';
import { byReading, type Examination, examine } from '../prepare/examine.ts';
import { type Expectation, expectationsOf, withBorn } from '../prepare/expectations.ts';
import { Prepared, prepareInSlices } from '../prepare/prepare.ts';
import { promises, promisesNoMore, readsAsMuch } from '../prepare/promise.ts';
import { rebuiltOwner } from '../prepare/rebuilt-owner.ts';
import { manifestOf } from '../undo/creation.ts';
import { Undo } from '../undo/plan-undo.ts';
import { OwnerResolver } from '../undo/recreation.ts';
import { carryOut, isConflict, type Sent, UnreadableObjects } from './carry-out.ts';
import { comparisonsOf, type Followed, followOn, progressOf } from './follow-forecast.ts';
import {
  type Before,
  catchUp,
  contradicted,
  differenceFrom,
  objectsByPath,
  objectsOf,
  observedEffect,
  readBack,
  renew,
  untilGone,
  untilServed,
} from './read-again.ts';
import type { ActingSource, Departure, Ended, FreshRead, RunPorts } from './run-ports.ts';

/** An object that changes all the time needs the user's attention. */
const MOST_ROUNDS = 10;

type Preparing = Pick<RunPorts, 'view' | 'now' | 'secretData'>;

function prepareNow(intent: Intent, ports: Preparing, begun?: ReadonlySet<Uid>): Prepared {
  return Sliced.atOnce(prepareNowInSlices(intent, ports, begun));
}

/** Like `prepareNow`, in slices: the view must not change in between. */
function* prepareNowInSlices(
  intent: Intent,
  { view, now, secretData }: Preparing,
  begun: ReadonlySet<Uid> = new Set(),
): Sliced<Prepared> {
  const forecaster = yield* handledForecasterInSlices(view, { now: now(), scope: 'action', begun });
  return yield* prepareInSlices(forecaster, intent, { secretData });
}

/** Completes requests from what forecasts don't know. Rejects with one line if it can't be read. */
async function completePrepared(
  prepared: Prepared,
  { view, source, signal }: Pick<RunPorts, 'view' | 'source' | 'signal'>,
): Promise<Prepared> {
  const get: ActingSource['get'] = (type, namespace, name) => source.get(type, namespace, name, signal);
  const requests = await rebuiltOwner.completed(prepared.requests, { catalog: view.catalog, get });
  return requests === prepared.requests ? prepared : { ...prepared, requests };
}

/** Milliseconds for finalizer handlers, some of which delete a load balancer or a disk. */
const HANDLERS_PATIENCE = 300_000;

/** Milliseconds to follow: a minute beyond the forecast's own time, and more if handlers must act. */
function usualTimeout({ forecast }: Prepared): number {
  const steps = forecast.steps();
  const patience = forecast.outcome === 'Depends' ? HANDLERS_PATIENCE : 60_000;
  return patience + (steps.at(-1)?.at ?? 0) - (steps[0]?.at ?? 0);
}

/** Rejects before anything is sent; failures after the first request are in the result. */
function performAction(prepared: Prepared, ports: RunPorts): Promise<Ended> {
  return new ActionRun(prepared, ports).run();
}

class ActionRun {
  readonly #ports: RunPorts;
  #current: Prepared;
  #confirmed: Prepared | undefined;
  #examination: Examination | undefined;
  /** The preparation confirmed before a newer forecast replaced it. */
  #asked: Prepared | undefined;
  #refreshed = false;
  readonly #entries: string[] = [];
  #taken = 0;
  readonly #done = new Set<Uid>();
  /** Objects of earlier requests, still being followed. */
  readonly #begun = new Set<Uid>();
  #expectations: readonly Expectation[] = [];
  /** Objects that were unexpectedly unreadable for the backup. */
  readonly #unread: Identity[] = [];
  #present: LookUp | undefined;
  /** Differences from the forecast that were found between two steps. */
  #departures: readonly Departure[] = [];
  #found: FreshRead | undefined;

  constructor(prepared: Prepared, ports: RunPorts) {
    this.#current = prepared;
    this.#ports = ports;
  }

  async run(): Promise<Ended> {
    for (let round = 0; round < MOST_ROUNDS; round += 1) {
      this.#refreshed = false;
      const ended = await this.#round().catch((error: unknown) => {
        // Requests that only read are broken off.
        if (this.#stopped) return this.#stoppedEarly();
        throw error;
      });
      if (ended !== undefined) return ended;
      // The user hasn't answered yet, so the round doesn't count.
      if (this.#refreshed) round -= 1;
    }
    return this.#end('refused', 'it keeps changing while it is being forecast; try again when it is calmer');
  }

  /** Returns undefined to start again with a new forecast. */
  async #round(): Promise<Ended | undefined> {
    if (this.#stopped) return this.#stoppedEarly();
    const examined = await this.#examine();
    if (examined !== 'passed') return examined;
    const wanted = await this.#isWanted();
    if (wanted === 'again') return undefined;
    if (!wanted) return this.#end('cancelled', 'not confirmed');
    if (this.#stopped) return this.#stoppedEarly();
    // The cluster may have changed between forecast and answer.
    const fresh = await this.#renewed();
    if (fresh === 'stale') return this.#stale();
    if (fresh === undefined) return this.#nothingLeft();
    if (!this.#accept(fresh)) return undefined;
    this.#expect(expectationsOf(this.#current, this.#ports.view, this.#begun));
    return this.#send();
  }

  get #stopped(): boolean {
    return this.#ports.signal?.aborted === true;
  }

  async #examine(): Promise<Ended | undefined | 'passed'> {
    const ports = this.#ports;
    const prepared = await completePrepared(this.#current, ports);
    this.#current = prepared;
    ports.tell({ event: 'examining', prepared });
    const { source, view } = ports;
    const dryRun = source.dryRun?.bind(source);
    const asked = await examine(prepared, {
      catalog: view.catalog,
      ask: request => source.act(request, ports.signal),
      dryRun: dryRun && (request => dryRun(request, ports.signal)),
    });
    const examination = { ...asked, unreadable: this.#unreadable(asked) };
    this.#examination = examination;
    this.#current = Prepared.withUnreadable(
      prepared,
      examination.unreadable.flatMap(({ objects }) => objects),
      view,
    );
    const [first] = examination.refused;
    if (first !== undefined && isConflict(first.status, first.request)) {
      return this.#afterConflict(first.message);
    }
    ports.tell({ event: 'examined', prepared: this.#current, examination });
    if (examination.denied.length > 0) return this.#end('denied', 'permissions are missing');
    return first === undefined ? 'passed' : this.#end('refused', first.message);
  }

  #unreadable({ unreadable }: Examination): Examination['unreadable'] {
    const known = new Set(unreadable.flatMap(({ objects }) => objects.map(({ uid }) => uid)));
    const others = this.#unread.filter(({ uid }) => !known.has(uid));
    return [...unreadable, ...byReading(others, this.#ports.view.catalog)];
  }

  async #isWanted(): Promise<boolean | 'again'> {
    const confirmed = this.#confirmed;
    const prepared = this.#current;
    const examination = this.#examination;
    if (
      confirmed !== undefined &&
      this.#promisesEnough(confirmed, prepared) &&
      readsAsMuch(confirmed, prepared)
    )
      return true;
    if (examination === undefined) return false;
    const answer = await this.#ports.confirm({ prepared, examination, before: confirmed ?? this.#asked });
    if (answer === false) return false;
    if (answer === true) {
      this.#confirmed = prepared;
      return true;
    }
    this.#asked = prepared;
    this.#current = answer.prepared;
    if (answer.answer === 'again') {
      this.#refreshed = true;
      return 'again';
    }
    this.#confirmed = this.#withUnread(answer.prepared);
    return true;
  }

  #withUnread(prepared: Prepared): Prepared {
    const unreadable = this.#examination?.unreadable.flatMap(({ objects }) => objects) ?? [];
    return Prepared.withUnreadable(prepared, unreadable, this.#ports.view);
  }

  /** After some requests, the rest promises only a part of the confirmed forecast. */
  #promisesEnough(before: Prepared, now: Prepared): boolean {
    if (this.#taken > 0) return promisesNoMore(before, now);
    return this.#ports.asksAgain === 'worse'
      ? promises.areNoWorse(before, now)
      : promises.areSame(before, now);
  }

  /** Renews the intent once the view is as new as the API server's answers. `changed`: a change is known. */
  async #renewed(changed = false): Promise<Prepared | undefined | 'stale'> {
    const ports = this.#ports;
    const done = this.#done;
    const current = this.#current;
    if (!(await catchUp(current.requests, ports, { changed }))) return 'stale';
    const { intent: before } = current;
    if (before.verb === 'unblock') {
      const about = isForMany(before.remedy.id)
        ? [before.target, ...objectsByPath(current.requests, ports.view).values()]
        : [before.target];
      this.#present = await contradicted(ports.absencesBehind?.(about) ?? [], ports);
      if (this.#present !== undefined) return 'stale';
    }
    const { view, journal } = ports;
    const remedyFor = ports.remedyFor.bind(ports);
    const intent = await renew(current.intent, { view, journal, remedyFor, done });
    if (intent === undefined) return undefined;
    if (ports.prepare === undefined) return completePrepared(prepareNow(intent, ports, this.#begun), ports);
    const renewed = ports.prepare(intent, this.#begun).then(each => completePrepared(each, ports));
    return renewed.catch((error: unknown) => {
      // Requests already sent must still be recorded.
      if (this.#stopped) return 'stale';
      throw error;
    });
  }

  /** Takes a new forecast; returns true if no question is needed. */
  #accept(fresh: Prepared): boolean {
    const before = this.#current;
    const confirmed = this.#confirmed;
    const ports = this.#ports;
    this.#current = fresh;
    const same = confirmed !== undefined && this.#promisesEnough(confirmed, fresh);
    if (!same || !sameRequests(before, fresh))
      ports.tell({ event: 'changed', before, prepared: fresh, same });
    return same;
  }

  /** Keeps expectations of earlier requests that the new forecast doesn't mention. */
  #expect(now: readonly Expectation[]): void {
    const spokenFor = new Set(now.map(subjectOf));
    const before = this.#expectations.filter(
      each =>
        each.end === 'made' ||
        (each.end !== 'kept' && this.#begun.has(subjectOf(each)) && !spokenFor.has(subjectOf(each))),
    );
    this.#expectations = [...before, ...now];
  }

  async #send(): Promise<Ended | undefined> {
    const prepared = this.#current;
    const before = objectsOf(prepared.requests, this.#ports.view);
    const sent = await this.#carryOut(prepared);
    // Nothing was sent; the new losses must be confirmed first.
    if (sent === undefined) {
      this.#confirmed = undefined;
      return undefined;
    }
    this.#entries.push(sent.entry);
    const took = sent.answers.filter(answer => ActAnswer.refusal(answer) === undefined).length;
    this.#taken += took;
    this.#expectations = withBorn(this.#expectations, sent.born);
    switch (sent.state) {
      case 'conflict':
        return this.#afterConflict(sent.message ?? '', sent, took);
      case 'refused':
        return this.#refuse(sent.message ?? '', sent);
      case 'unsent':
        return this.#giveUp(sent, sent.message ?? '');
      case 'stopped': {
        if (this.#departures.length > 0) return this.#depart(sent);
        const ended = await this.#giveUp(sent, sent.message ?? '');
        return sent.answers.length === 0 ? this.#stoppedEarly() : ended;
      }
      case 'failed':
      case 'unanswered': {
        // A doubtful request is never resent; its object is read instead.
        const doubtful = prepared.requests[took];
        return doubtful === undefined
          ? this.#giveUp(sent, sent.message ?? '')
          : this.#lookAt(sent, doubtful, before.get(doubtful.path));
      }
      case 'sent':
        this.#ports.tell({ event: 'sent', prepared, entry: sent.entry });
        return this.#follow(sent, '');
    }
  }

  /** Backs up and sends; undefined if an object that is to be backed up cannot be read. */
  #carryOut(prepared: Prepared): Promise<Sent | undefined> {
    const ports = this.#ports;
    const unreadable = this.#examination?.unreadable.flatMap(({ objects }) => objects) ?? [];
    const { intent, requests } = prepared;
    const inSteps = intent.verb === 'unblock' && intent.remedy.steps !== undefined;
    const seen = objectsByPath(inSteps ? requests : [], ports.view);
    let request = 0;
    return carryOut(prepared, {
      journal: ports.journal,
      now: () => ports.now(),
      reading: {
        read: object => this.#read(object),
        known: ({ uid }) => {
          const object = ports.view.graph.get(uid)?.object;
          return object && objectJson.write(object);
        },
        unreadable: new Set(unreadable.map(({ uid }) => uid)),
      },
      send: (each: ActRequest, entry): Promise<ActAnswer> => {
        ports.tell({ event: 'sending', prepared, request, entry });
        request += 1;
        return ports.source.act(each, ports.signal);
      },
      manifest: (object, json) => manifestOf(object, json, new OwnerResolver(ports.view)),
      ready: each =>
        each.replaces === true ? untilGone(each, ports, usualTimeout(prepared)) : untilServed(each, ports),
      ...(inSteps && { differs: ({ path }) => this.#differs(seen.get(path)) }),
      cluster: Undo.clusterUid(ports.view),
      context: ports.context,
      secretData: ports.secretData,
      signal: ports.signal,
    }).catch((error: unknown) => {
      if (!(error instanceof UnreadableObjects)) throw error;
      this.#unread.push(...error.objects);
      return undefined;
    });
  }

  async #differs(seen: KubeObject | undefined): Promise<string | undefined> {
    const itself = await differenceFrom(seen, this.#ports);
    const { departures } = progressOf(this.#expectations, this.#ports.view);
    this.#departures = [...(itself === undefined ? [] : [itself]), ...departures];
    return this.#departures.length === 0 ? undefined : becauseOf('departed', false);
  }

  async #depart(sent: Sent): Promise<Ended> {
    const because = sent.message ?? '';
    await sent.end('departed', because);
    return { ...this.#end('departed', because), departures: this.#departures };
  }

  async #lookAt(sent: Sent, request: ActRequest, before: Before | undefined): Promise<Ended> {
    const ports = this.#ports;
    const prepared = this.#current;
    const { message = '', state } = sent;
    const found = await readBack(request, before, ports);
    this.#found = found;
    ports.tell({ event: 'readBack', found });
    if (found.now.is === 'made' && request.formerUid !== undefined) {
      this.#expectations = withBorn(this.#expectations, new Map([[request.formerUid, found.now.uid]]));
    }
    if (observedEffect(found) === 'none') {
      return state === 'failed'
        ? this.#refuse(message, sent)
        : this.#giveUp(sent, `no answer came: ${message}`);
    }
    const doubt =
      state === 'failed'
        ? `the API server answered with an error, but the request may have taken effect: ${message}`
        : `no answer came, so the request may have taken effect: ${message}`;
    const isLast = prepared.requests.at(-1) === request;
    return isLast ? this.#follow(sent, doubt) : this.#giveUp(sent, doubt);
  }

  async #giveUp(sent: Sent, because: string): Promise<Ended> {
    await sent.end('unfinished', because);
    return this.#end('unfinished', because);
  }

  async #follow(sent: Sent, doubt: string): Promise<Ended> {
    const ended = await this.#followOn(doubt);
    await sent.end(ended.state, ended.because);
    return ended;
  }

  async #followOn(doubt: string): Promise<Ended & { readonly state: Followed['outcome'] }> {
    const { outcome: state, progress, compared } = await followOn(this.#expectations, this.#ports);
    const because = state === 'unfinished' && doubt !== '' ? doubt : becauseOf(state, this.#stopped);
    const { departures } = progress;
    return { ...this.#end(state, because), state, progress, compared, departures };
  }

  /** If nothing has changed after a conflict, the API server refuses for another reason, given in `message`. */
  async #afterConflict(message: string, sent?: Sent, took = 0): Promise<Ended | undefined> {
    const before = this.#current;
    const { intent } = before;
    if (took > 0) {
      // The rest of a remedy isn't that remedy, unless each request is about another object.
      if (intent.verb === 'unblock' && !isForMany(intent.remedy.id)) return this.#refuse(message, sent);
      for (const object of before.concerned) this.#begun.add(object.uid);
      const targets = intent.verb === 'delete' ? intent.targets.slice(0, took) : [];
      for (const { uid } of targets) this.#done.add(uid);
    }
    const fresh = await this.#renewed(true);
    // The rest was deleted along with the others.
    if (fresh === undefined && took > 0 && sent !== undefined) return this.#follow(sent, '');
    if (fresh !== undefined && fresh !== 'stale' && sameRequests(fresh, before)) {
      return this.#refuse(message, sent);
    }
    await sent?.end('refused', message);
    if (fresh === 'stale') return this.#stale();
    if (fresh === undefined) return this.#nothingLeft();
    this.#accept(fresh);
    return undefined;
  }

  async #refuse(message: string, sent: Sent | undefined): Promise<Ended> {
    await sent?.end('refused', message);
    return this.#end('refused', message);
  }

  async #read({ apiVersion, kind, namespace, name }: Identity): Promise<JsonRecord | undefined> {
    const { source, view } = this.#ports;
    const type = view.catalog.resolveKind(apiVersion, kind);
    return type === undefined ? undefined : source.get(type, namespace, name, this.#ports.signal);
  }

  #stoppedEarly(): Ended {
    const when = this.#taken === 0 ? 'before anything was sent' : 'before the rest was sent';
    return this.#end(this.#taken === 0 ? 'cancelled' : 'unfinished', `stopped ${when}`);
  }

  #stale(): Ended {
    if (this.#stopped) return this.#stoppedEarly();
    const present = this.#present;
    if (present !== undefined) {
      const title = `${shownName(present.kind)} ${shownName(present.name)}`;
      return this.#end('stale', `${title} is there, and was taken to be absent; look again`);
    }
    return this.#end('stale', 'something has changed, and the watch has not brought the change; try again');
  }

  /** Another actor may have done the rest, such as a controller that adopts its object again. */
  async #nothingLeft(): Promise<Ended> {
    if (this.#taken > 0) return this.#followOn('');
    const [target] = Intent.targets(this.#current.intent);
    const what =
      target === undefined ? 'what it was about' : `${shownName(target.type.kind)} ${shownName(target.name)}`;
    return this.#end('moot', `${what} has gone or changed so that there is nothing left to do`);
  }

  #end(state: Ended['state'], because: string): Ended {
    const prepared = this.#current;
    const examination = this.#examination;
    const entries = this.#entries;
    // Sent requests may have taken effect, whatever ended the action.
    const compared = entries.length === 0 ? [] : comparisonsOf(this.#expectations, this.#ports.view);
    const known = { ...(examination && { examination }), ...(this.#found && { found: this.#found }) };
    return { state, because, prepared, ...known, entries, taken: this.#taken, compared, departures: [] };
  }
}

function subjectOf(expectation: Expectation): Uid {
  return expectation.end === 'recreated' ? expectation.by.uid : expectation.object.uid;
}

function sameRequests(a: Prepared, b: Prepared): boolean {
  return JSON.stringify(a.requests) === JSON.stringify(b.requests);
}

function becauseOf(outcome: Followed['outcome'], stopped: boolean): string {
  switch (outcome) {
    case 'reached':
      return 'the cluster is as forecast';
    case 'departed':
      return 'the cluster did not follow the forecast';
    case 'unfinished':
      return stopped ? 'the wait was given up' : 'it was not there yet when the time was up';
  }
}

export const actionRun = {
  prepare: prepareNow,
  prepareInSlices: prepareNowInSlices,
  complete: completePrepared,
  perform: performAction,
  usualTimeout,
};
