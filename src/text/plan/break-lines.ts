/** Users that stay without a deleted object. */
import type { Forecast } from '../../forecast/index.ts';
import { counted, shownName } from '../../model/index.ts';
import type { TextLine } from '../terminal/text-line.ts';
import { type NameOptions, namesOf } from './plan-words.ts';
import { section } from './section.ts';

type Break = NonNullable<Forecast['breaks']>[number];

export function* breakSections({ breaks = [] }: Forecast, names: NameOptions): Generator<TextLine> {
  const { left = [], broken = [] } = Object.groupBy(breaks, ({ when }) =>
    when === 'leftBehind' ? 'left' : 'broken',
  );
  const words = (found: readonly Break[]): string[] =>
    [...Map.groupBy(found, groupOf).values()].map(alike => breakSentence(alike, names));
  if (broken.length > 0) yield* section('breaks', usersIn(broken), words(broken), 'danger');
  if (left.length > 0) yield* section('left over', usersIn(left), words(left), 'warning');
}

/** `Deployment api mounts ConfigMap settings as a volume (3 pods): its next pod waits …` */
function breakSentence(alike: readonly Break[], names: NameOptions): string {
  const [first] = alike;
  if (first === undefined) return '';
  const { object, user, pods, how, because, certainty } = first;
  const users = alike.map(each => each.user);
  const used = how.replace(/\bit\b/u, () => namesOf([object], names));
  const many = pods > 0 && user.kind !== 'Pod' ? ` (${counted(pods, 'pod', 'pods')})` : '';
  const once = certainty === 'assumed' ? `once ${shownName(object.name)} is gone, ` : '';
  return `${namesOf(users, names)} ${used}${many}: ${once}${because}`;
}

/** Claims that one owner leaves share a sentence. */
function groupOf({ object, user, how, because, certainty }: Break, index: number): unknown {
  const isClaim = user.kind === 'PersistentVolumeClaim' && how === 'of it';
  return isClaim ? JSON.stringify([object.uid, because, certainty]) : index;
}

/** Counts users, which may break in several ways. */
export function usersIn(breaks: readonly Break[]): number {
  return new Set(breaks.map(({ user: { kind, namespace, name } }) => JSON.stringify([kind, namespace, name])))
    .size;
}
