/** Follows `demo --tour`. It reads the state, never the keys, so every way through a step counts. */
import type { GraphNode } from '../../graph/index.ts';
import type { Uid } from '../../model/index.ts';
import type { Effect, State } from '../state/state.ts';
import { type TourState, type TourStep, tourSteps } from '../state/tour.ts';
import { currentNode } from '../views/current.ts';

/** The tour's object in the scenario `shop`, the only one it supports. */
const tourTarget = { kind: 'StatefulSet', namespace: 'shop', name: 'web' } as const;
export const tourDependent = { kind: 'Pod', namespace: 'shop', name: 'web-2' } as const;

/** Returns the tour after a message, whose effects are still in the state; `isInput`: the user pressed something, or what was searched for is found. */
export function followTour(state: State, isInput: boolean): TourState | undefined {
  const { tour, cluster } = state;
  if (tour === undefined || cluster === undefined) return tour;
  const asked = tour.asked || (tour.step === 'ask' && state.effects.some(asksForForecast));
  let next: TourState = { ...tour, asked, begun: tour.begun || isInput, uid: tour.uid ?? living(state)?.uid };
  while (next.step !== 'end' && isDone(next, state)) next = { ...next, step: following(next, state) };
  const isFoundForUser = tour.step === 'find' && !isInput;
  if (!next.begun || isFoundForUser) next = { ...next, skipped: tourSteps.indexOf(next.step) };
  const same =
    next.begun === tour.begun &&
    next.step === tour.step &&
    next.uid === tour.uid &&
    next.asked === tour.asked;
  return same ? tour : next;
}

function asksForForecast(effect: Effect): boolean {
  return effect.type === 'openAction' && (effect.wish.what === 'plan' || effect.wish.what === 'delete');
}

/** Skips ahead if the object was freed early. */
function following({ step, uid }: TourState, state: State): TourStep {
  const next = tourSteps[tourSteps.indexOf(step) + 1] ?? 'end';
  const isEarly = tourSteps.indexOf(next) <= tourSteps.indexOf('free');
  return isEarly && isFreed(uid, state) ? 'gone' : next;
}

function isDone(tour: TourState, state: State): boolean {
  const { step, uid, asked } = tour;
  if (tourSteps.indexOf(step) < tourSteps.indexOf('free') && isFreed(uid, state)) return true;
  const isOpen = state.dialog?.kind === 'action';
  switch (step) {
    case 'find':
      return uid !== undefined && currentNode(state)?.uid === uid && state.dialog === undefined;
    case 'look':
      return is(currentNode(state), tourDependent);
    case 'ask':
      return asked && isOpen;
    case 'read':
      return !isOpen;
    case 'free':
      return isFreed(uid, state);
    case 'gone':
      return !isOpen || isBack(uid, state);
    case 'undo':
      return isBack(uid, state);
    case 'end':
      return false;
  }
}

function isFreed(uid: Uid | undefined, { cluster }: State): boolean {
  return uid !== undefined && cluster?.node(uid)?.object === undefined;
}

/** Reports whether another object of its name exists. */
function isBack(uid: Uid | undefined, state: State): boolean {
  const now = living(state);
  return now !== undefined && uid !== undefined && now.uid !== uid;
}

function living({ cluster }: State): GraphNode | undefined {
  const { kind, namespace, name } = tourTarget;
  const type = cluster?.view.catalog.resolveKind('apps/v1', kind);
  const node = type && cluster?.view.graph.find(type, namespace, name);
  return node?.object === undefined ? undefined : node;
}

export function is(
  node: GraphNode | undefined,
  wanted: { readonly kind: string; readonly namespace: string; readonly name: string },
): boolean {
  const { kind, namespace, name } = node?.identity ?? {};
  return kind === wanted.kind && namespace === wanted.namespace && name === wanted.name;
}
