/** What a forecast makes of each object, one by one: for whatever shows it where the object stands, as a tree or a picture does. */
import { refusedWords } from '../../forecast/admission.ts';
import type { AssumedEffect } from '../../forecast/plan/assumed.ts';
import { type Forecast, own, type RecreatedObjects } from '../../forecast/plan/plan.ts';
import type { Identity } from '../../graph/node.ts';
import type { Uid } from '../../model/object.ts';
import { showHidden } from '../../model/text/shown.ts';
import { formatCount } from '../../model/text/titles.ts';
import type { Style } from '../terminal/style.ts';
import { releaseWords } from './handlers.ts';
import { alterationsIn, plural, surroundings } from './words.ts';

/**
 * - `deleted`: gone at the end; `deletedThen`: gone once what is held has been released.
 * - `waiting`: still there, deleting, until a handler does its work; `stuck`: for good, as far as can be seen.
 * - `uncertain`: it depends on the order of work, or on admission that nobody can tell.
 * - `altered`: there at the end, with other references or finalizers.
 * - `refused`: a request about it is refused, and nothing else happens to it.
 * - `assumed`: a tool beside the control plane is documented to act on it.
 */
export type FateKind =
  | 'deleted'
  | 'deletedThen'
  | 'waiting'
  | 'stuck'
  | 'uncertain'
  | 'altered'
  | 'refused'
  | 'assumed';

export interface Fate {
  readonly kind: FateKind;
  /** A clause without control characters: `deleted`, `waits for the finalizer example.com/drain`. */
  readonly words: string;
  /** Happens without the action, too. */
  readonly anyway: boolean;
}

/** What a controller creates in the place of what is deleted. */
export interface Ghost extends Omit<RecreatedObjects, 'anyway' | 'above'> {
  /** What these create in their turn. */
  readonly below: readonly Ghost[];
}

export interface Fates {
  /** Undefined for what stays as it is. */
  of(uid: Uid): Fate | undefined;
  /**
   * What is created anew, by the uid of its controller; `''` for what no known controller creates. What a controller creates
   * that is created itself stands below that.
   */
  readonly ghosts: ReadonlyMap<Uid | '', readonly Ghost[]>;
  /** Everything that something becomes of by the action, in no order. */
  readonly objects: readonly Identity[];
}

/** One character for each, ASCII: `-` goes, `~` is altered, `!` hangs, `?` cannot be told; and `+` for what is created. */
export const fateSigns: Readonly<Record<FateKind, string>> = {
  deleted: '-',
  deletedThen: '-',
  waiting: '!',
  stuck: '!',
  uncertain: '?',
  altered: '~',
  refused: '!',
  assumed: '?',
};

export const GHOST_SIGN = '+';

export const fateStyles: Readonly<Record<FateKind, Style>> = {
  deleted: 'struck',
  deletedThen: 'struck',
  waiting: 'warning',
  stuck: 'warning',
  uncertain: 'warning',
  altered: 'info',
  refused: 'warning',
  assumed: 'info',
};

/** What is said later overrules: that something may end otherwise is worth more than how it ends in the first order of work. */
export function fatesOf(forecast: Forecast): Fates {
  const fates = new Map<Uid, Fate>();
  const objects: Identity[] = [];
  const put = (object: Identity, kind: FateKind, words: string, anyway = false): void => {
    if (object.uid === '') return;
    if (!anyway && fates.get(object.uid)?.anyway !== false) objects.push(object);
    fates.set(object.uid, { kind, words: showHidden(words), anyway });
  };
  for (const effect of forecast.logical ?? [])
    if (effect.effect !== 'kept') put(effect.object, 'assumed', assumedWords(effect));
  const alteration = alterationsIn(forecast);
  for (const each of forecast.changed) put(each.object, 'altered', alteration(each), each.anyway);
  for (const { object, operation, by, because, anyway } of forecast.refused)
    put(object, 'refused', `${operation} refused: ${refusedWords(by, because)}`, anyway);
  for (const { object, anyway } of forecast.deleted) put(object, 'deleted', 'deleted', anyway);
  const namespace = surroundings(forecast.action.targets);
  for (const each of forecast.doomed)
    put(each.object, 'deletedThen', `deleted ${releaseWords(forecast, each, namespace)}`, each.anyway);
  const held = forecast.outcome === 'Depends' ? 'waiting' : 'stuck';
  for (const { object, waitingFor, anyway } of forecast.terminating)
    put(object, held, `${held === 'stuck' ? 'stuck: ' : ''}waits for ${waitingFor.join('; ')}`, anyway);
  for (const object of forecast.dependsOnAdmission) {
    const known = fates.get(object.uid)?.words;
    put(object, 'uncertain', `${known ?? 'stays'}, unless admission has it otherwise`);
  }
  for (const { object, outcomes, because } of forecast.timingDependent)
    put(object, 'uncertain', `${outcomes.map(({ words }) => words).join(' or ')}, because ${because}`);
  return {
    of: uid => fates.get(uid),
    ghosts: ghostsOf(own(forecast.recreated)),
    objects,
  };
}

function ghostsOf(recreated: readonly RecreatedObjects[]): ReadonlyMap<Uid | '', readonly Ghost[]> {
  const createdBy = (creator: RecreatedObjects): readonly Ghost[] =>
    recreated
      .filter(
        ({ by, above }) => above?.uid === creator.by?.uid && above !== undefined && by?.kind === creator.kind,
      )
      .map(each => ghost(each));
  const ghost = (each: RecreatedObjects): Ghost => ({ ...each, below: createdBy(each) });
  const isBelow = ({ by, above }: RecreatedObjects): boolean =>
    above !== undefined && recreated.some(each => each.by?.uid === above.uid && each.kind === by?.kind);
  const tops = recreated.filter(each => !isBelow(each)).map(ghost);
  return Map.groupBy(tops, ({ by }) => by?.uid ?? '');
}

function assumedWords({ by, effect, when }: AssumedEffect): string {
  const what = effect === 'deleted' ? 'deletes it' : effect === 'recreated' ? 'recreates it' : 'reverts it';
  const condition =
    when === 'onRequest' ? ', once asked to' : when === 'unknown' ? ', which cannot be told for sure' : '';
  return `${by} ${what}${condition}`;
}

/** `3 new Pods`, with how many of them no node takes. */
export function ghostTitle({ kind, count, pending }: Pick<Ghost, 'kind' | 'count' | 'pending'>): string {
  const waiting = pending === 0 ? '' : `, ${pending === count ? '' : `${formatCount(pending)} `}Pending`;
  return `${formatCount(count)} new ${plural(showHidden(kind), count)}${waiting}`;
}
