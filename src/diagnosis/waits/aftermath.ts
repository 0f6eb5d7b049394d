/** Answers a forecast's questions on handlers: which one removes a finalizer, and what the action takes from it. */
import {
  type Aftermath,
  type FinalizerHandler,
  Forecaster,
  type ForecasterOptions,
} from '../../forecast/index.ts';
import type { ClusterView } from '../../graph/index.ts';
import { getOrInsert, type KubeObject, objectTitle, type Sliced } from '../../model/index.ts';
import { gatekeepersOf } from '../admission/gatekeepers.ts';
import { refusedRemovalIn } from '../admission/probe-answers.ts';
import { obstaclesIn } from '../engine/obstacles.ts';
import { type DependencyRecorder, TrackedView } from '../engine/tracked-view.ts';
import type { Handler } from '../finalizers/handler.ts';
import { lossOf, refusalOf, stopOf } from '../finalizers/handler-losses.ts';
import { waitingHandler } from './chain.ts';

/** Creates forecasters that know handlers. The view must not change while one is in use. */
export function createHandledForecaster(
  view: ClusterView,
  options: Omit<ForecasterOptions, 'handlers'>,
): Forecaster {
  return Forecaster.create(view, { ...options, handlers: handlersIn(view, options.now) });
}

export function handledForecasterInSlices(
  view: ClusterView,
  options: Omit<ForecasterOptions, 'handlers'>,
): Sliced<Forecaster> {
  return Forecaster.createInSlices(view, { ...options, handlers: handlersIn(view, options.now) });
}

/** Requires an unchanging view. */
function handlersIn(view: ClusterView, now: number): NonNullable<ForecasterOptions['handlers']> {
  let tracked: TrackedView | undefined;
  const known = new Map<KubeObject, Map<string, Handler>>();
  const recorder: DependencyRecorder = {
    dependsOn: () => {},
    recheckAt: () => {},
    restsOn: () => {},
    // The caller looks these up and makes the forecast again.
    asks: question => view.absences.ask(question),
  };
  return (object, finalizer, aftermath) => {
    tracked ??= new TrackedView(view, now);
    const asked = tracked;
    return asked.recording(recorder, () => {
      const handlers = getOrInsert(known, object, () => new Map<string, Handler>());
      const handler = getOrInsert(handlers, finalizer, () => waitingHandler(asked, object, finalizer));
      return handlerAfter(asked, object, { handler, aftermath });
    });
  };
}

function handlerAfter(
  tracked: TrackedView,
  object: KubeObject,
  { handler, aftermath }: { readonly handler: Handler; readonly aftermath: Aftermath },
): FinalizerHandler {
  const { finalizer, evidence, workloads } = handler;
  const [actor] = workloads;
  const name = handler.entry === undefined && actor !== undefined ? objectTitle(actor) : handler.name;
  const state = stateOf(handler);
  const words = state === 'outside' ? `${handler.words}; it is taken to run` : handler.words;
  const found = { finalizer, handler: name, awaits: handler.waits?.awaits };
  if (state === 'absent') return { ...found, state, evidence, words };
  const stop = stopOf(tracked, object, finalizer, aftermath);
  if (stop !== undefined)
    return { ...found, state: 'notReady', evidence: [...evidence, stop], words: `${words}; but ${stop}` };
  const quoted = quotedRefusal(tracked, object, { finalizer, aftermath });
  if (quoted !== undefined)
    return { ...found, state: 'notReady', evidence: [...evidence, quoted], words: `${words}; but ${quoted}` };
  const refusal = refusalOf(tracked, object, aftermath);
  if (refusal !== undefined)
    return { ...found, state: 'goesToo', evidence: [...evidence, refusal], words: refusal };
  const lost = workloads.flatMap(each => lossOf(tracked, each, object, aftermath) ?? []);
  const [loss] = lost;
  if (loss === undefined || state === 'outside' || state === 'unknown')
    return { ...found, state, evidence, words };
  // Any of several candidate workloads may be the handler.
  const isAll = lost.length === workloads.length;
  return {
    ...found,
    state: isAll ? 'goesToo' : state === 'running' ? 'unknown' : state,
    evidence: [...evidence, ...lost],
    words: isAll
      ? `${loss}, so that the removal may come too late`
      : `${words}; but ${loss}, which may be the one`,
  };
}

/** Returns a clause if an event or the status quotes a refusal by a gatekeeper that the action leaves in place. */
function quotedRefusal(
  tracked: TrackedView,
  object: KubeObject,
  { finalizer, aftermath }: { readonly finalizer: string; readonly aftermath: Aftermath },
): string | undefined {
  const said = tracked.content(object);
  const failures = said === undefined ? [] : obstaclesIn(object, said).filter(({ failing }) => failing);
  if (failures.length === 0) return undefined;
  const gatekeepers = gatekeepersOf(tracked, object, finalizer);
  for (const { message } of failures) {
    const refused = refusedRemovalIn(message, object, gatekeepers);
    const isLeft = gatekeepers.some(
      ({ name, objection }) =>
        refused?.blamed.some(each => each.name === name) === true &&
        aftermath.after(objection.configuration) !== undefined,
    );
    if (refused !== undefined && isLeft) return `when it last tried, ${refused.words}`;
  }
  return undefined;
}

function stateOf({ presence, outside = false, waits }: Handler): FinalizerHandler['state'] {
  // It needs an object that doesn't exist.
  if (waits?.awaits?.length === 0) return 'notReady';
  switch (presence) {
    case 'present':
      return 'running';
    case 'absent':
      return 'absent';
    case 'unknown':
      return outside ? 'outside' : 'unknown';
    case 'unhealthy':
      return 'notReady';
  }
}
