/** A forecast's fate for each object, for trees and pictures. */

import {
  type AssumedEffect,
  Forecast,
  type RecreatedObjects,
  refusedWords,
  type TerminatingObject,
} from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import { formatCount, showHidden, type Uid } from '../../model/index.ts';
import type { Style } from '../terminal/style.ts';
import { releaseWords } from './handlers.ts';
import { alterationsIn, countWords, surroundings } from './plan-words.ts';

/**
 * - `deleted`: gone at the end; `deletedThen`: gone once held objects are released.
 * - `waiting`: deleting until a handler acts; `stuck`: for good, as far as can be seen.
 * - `uncertain`: depends on the order of work, or on unknown admission.
 * - `altered`: still there at the end, with other references or finalizers.
 * - `refused`: a request for it is refused, and nothing else happens to it.
 * - `assumed`: a tool is documented to act on it, or it may break.
 * - `broken`: it stays, and fails without a deleted object.
 */
type FateKind =
  | 'deleted'
  | 'deletedThen'
  | 'waiting'
  | 'stuck'
  | 'uncertain'
  | 'altered'
  | 'refused'
  | 'assumed'
  | 'broken';

export interface Fate {
  readonly kind: FateKind;
  /** A sanitised clause: `deleted`, `waits for the finalizer example.com/drain`. */
  readonly words: string;
  /** Fewer words for a narrow column, the cause first: `example.com/drain holds web-2`. */
  readonly cause: string | undefined;
  /** True if it also happens without the action. */
  readonly anyway: boolean;
}

/** Objects that a controller creates to replace deleted ones. */
export interface Ghost extends Omit<RecreatedObjects, 'anyway' | 'above'> {
  readonly below: readonly Ghost[];
}

export interface Fates {
  of(uid: Uid): Fate | undefined;
  /** New objects by their controller's uid, or `''`; those of a new controller are nested below it. */
  readonly ghosts: ReadonlyMap<Uid | '', readonly Ghost[]>;
  /** Affected objects, unordered. */
  readonly objects: readonly Identity[];
}

/** ASCII signs: `-` deleted, `~` altered, `!` stuck, `?` uncertain, `x` broken; and `+` created. */
const fateSigns: Readonly<Record<FateKind, string>> = {
  deleted: '-',
  deletedThen: '-',
  waiting: '!',
  stuck: '!',
  uncertain: '?',
  altered: '~',
  refused: '!',
  assumed: '?',
  broken: 'x',
};

const GHOST_SIGN = '+';

const fateStyles: Readonly<Record<FateKind, Style>> = {
  deleted: 'struck',
  deletedThen: 'struck',
  waiting: 'warning',
  stuck: 'warning',
  uncertain: 'warning',
  altered: 'info',
  refused: 'warning',
  assumed: 'info',
  broken: 'danger',
};

/** Later entries win: a possible other end matters more than the end in the first order of work. */
function fatesOf(forecast: Forecast): Fates {
  const fates = new Map<Uid, Fate>();
  const objects: Identity[] = [];
  const put = (
    object: Identity,
    kind: FateKind,
    words: string,
    { anyway = false, cause }: Partial<Pick<TerminatingObject, 'anyway' | 'cause'>> = {},
  ): void => {
    if (object.uid === '') return;
    if (!anyway && fates.get(object.uid)?.anyway !== false) objects.push(object);
    fates.set(object.uid, { kind, words: showHidden(words), cause: cause && showHidden(cause), anyway });
  };
  for (const { user, when, because, certainty } of forecast.breaks ?? []) {
    if (when === 'leftBehind') continue;
    if (certainty === 'exact') put(user, 'broken', `breaks: ${because}`);
    else if (!fates.has(user.uid)) put(user, 'assumed', `may break: ${because}`);
  }
  for (const effect of forecast.logical ?? [])
    if (effect.effect !== 'kept') put(effect.object, 'assumed', assumedWords(effect));
  const alteration = alterationsIn(forecast);
  for (const each of forecast.changed) put(each.object, 'altered', alteration(each), each);
  for (const each of forecast.refused)
    put(each.object, 'refused', `${each.operation} refused: ${refusedWords(each.by, each.because)}`, each);
  for (const each of forecast.deleted) put(each.object, 'deleted', 'deleted', each);
  const namespace = surroundings(forecast.action.targets);
  for (const each of forecast.doomed)
    put(each.object, 'deletedThen', `deleted ${releaseWords(forecast, each, namespace)}`, each);
  const awaiting = Forecast.awaitingHandlers(forecast);
  for (const each of forecast.terminating) {
    const words = `waits for ${each.waitingFor.join('; ')}`;
    if (awaiting.has(each.object.uid)) put(each.object, 'waiting', words, each);
    else put(each.object, 'stuck', `stuck: ${words}`, each);
  }
  for (const object of forecast.dependsOnAdmission) {
    const known = fates.get(object.uid)?.words;
    put(object, 'uncertain', `${known ?? 'stays'}, unless admission has it otherwise`);
  }
  for (const each of forecast.timingDependent) {
    const outcomes = each.outcomes.map(({ words }) => words).join(' or ');
    put(each.object, 'uncertain', `${outcomes}, because ${each.because}`, each);
  }
  return {
    of: uid => fates.get(uid),
    ghosts: ghostsOf(Forecast.own(forecast.recreated)),
    objects,
  };
}

function ghostsOf(recreated: readonly RecreatedObjects[]): ReadonlyMap<Uid | '', readonly Ghost[]> {
  const createdBy = (creator: RecreatedObjects): readonly Ghost[] =>
    recreated.filter(each => creates(creator, each)).map(each => ghost(each));
  const ghost = (each: RecreatedObjects): Ghost => ({ ...each, below: createdBy(each) });
  const tops = recreated.filter(each => !recreated.some(creator => creates(creator, each))).map(ghost);
  return Map.groupBy(tops, ({ by }) => by?.uid ?? '');
}

/** Checks for objects of a controller that is new itself, because its own controller or an undo creates it. */
function creates(creator: RecreatedObjects, { by, above }: RecreatedObjects): boolean {
  if (by?.kind !== creator.kind) return false;
  if (above !== undefined) return above.uid === creator.by?.uid;
  return creator.named?.some(each => each.namespace === by.namespace && each.name === by.name) === true;
}

function assumedWords({ by, effect, when }: AssumedEffect): string {
  const what = effect === 'deleted' ? 'deletes it' : effect === 'recreated' ? 'recreates it' : 'reverts it';
  const condition =
    when === 'onRequest' ? ', once asked to' : when === 'unknown' ? ', which cannot be told for sure' : '';
  return `${by} ${what}${condition}`;
}

/** Returns `3 new Pods`, with the number that no node takes. */
function ghostTitle({ kind, count, pending }: Pick<Ghost, 'kind' | 'count' | 'pending'>): string {
  const waiting = pending === 0 ? '' : `, ${pending === count ? '' : `${formatCount(pending)} `}Pending`;
  return `${formatCount(count)} new ${countWords.plural(showHidden(kind), count)}${waiting}`;
}

export const Fates = { signs: fateSigns, styles: fateStyles, of: fatesOf, ghostTitle, ghostSign: GHOST_SIGN };
