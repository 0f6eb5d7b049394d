/** A forecast's pods and volumes of a node. Times are spans, since the phase of controllers' periods is unknown. */
import type { Forecast, NodePod } from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import { formatCount } from '../../model/index.ts';
import { type NameOptions, namesOf } from './plan-words.ts';

/** Returns `in 40 to 60 s`, `within 20 s`, or `at once` below two seconds. */
function spanWords({ earliest, latest }: NonNullable<NodePod['when']>, now: number): string {
  const from = Math.max(0, Math.floor((earliest - now) / 1000));
  const to = Math.ceil((latest - now) / 1000);
  if (to < 2) return 'at once';
  if (from < 2) return `within ${duration(to)}`;
  if (to < MINUTES && from < to) return `in ${from} to ${to} s`;
  const [first, last] = [duration(from), duration(to)];
  return first === last ? `in about ${first}` : `in ${first} to ${last}`;
}

const MINUTES = 180;
const HOURS = 3 * 3600;
const DAYS = 3 * 86_400;

function duration(seconds: number): string {
  if (seconds < MINUTES) return `${seconds} s`;
  if (seconds < HOURS) return `${Math.round(seconds / 60)} min`;
  if (seconds < DAYS) return `${Math.round(seconds / 3600)} h`;
  return `${formatCount(Math.round(seconds / 86_400))} days`;
}

export interface NodeWords extends NameOptions {
  readonly now: number;
  /** True if each line must name its node. */
  readonly severalNodes: boolean;
}

export function nodePodLines(pods: readonly NodePod[], words: NodeWords): string[] {
  return grouped(pods, {
    names: words,
    objectOf: each => each.pod,
    textOf:
      ({ node, fate, when, because, heldBy }) =>
      many => {
        const place = words.severalNodes ? ` on ${node}` : '';
        const stays = many ? 'stay' : 'stays';
        switch (fate) {
          case 'Deleted': {
            const time = when === undefined ? '' : ` ${spanWords(when, words.now)}`;
            return `${place} ${many ? 'are' : 'is'} deleted${time}: ${because}`;
          }
          case 'Terminating':
            return heldBy.length === 0
              ? `${place} ${stays} terminating: ${because}`
              : `${place} ${stays}, held by ${heldBy.join(', ')}: ${because}`;
          case 'Stays':
            return `${place} ${stays}: ${because}`;
        }
      },
  });
}

export function volumeLines(
  volumes: readonly NonNullable<Forecast['nodes']>['volumes'][number][],
  words: NodeWords,
): string[] {
  return grouped(volumes, {
    names: words,
    objectOf: each => each.claim,
    textOf:
      ({ node, because }) =>
      () =>
        `${words.severalNodes ? ` from ${node}` : ''}: ${because}`,
  });
}

export function twiceLines(
  twice: readonly NonNullable<Forecast['nodes']>['couldRunTwice'][number][],
  words: NodeWords,
): string[] {
  return grouped(twice, {
    names: words,
    objectOf: each => each.pod,
    textOf:
      ({ replacedBy, claim, certainty, heldBy, because }) =>
      many => {
        const verb = claim === undefined ? 'recreate' : 'create';
        const what =
          claim === undefined ? (many ? 'them' : 'it') : `another that uses the same claim ${claim}`;
        const once =
          heldBy.length === 0
            ? ''
            : ` once ${heldBy.join(' and ')} ${heldBy.length === 1 ? 'is' : 'are'} removed`;
        const by = namesOf([replacedBy], words);
        return certainty === 'exact'
          ? `: ${by} ${verb}s ${what}${once}, and ${because}`
          : `: ${by} may ${verb} ${what}${once} (what it does isn't known), and ${because}`;
      },
  });
}

interface Grouping<T> {
  readonly names: NameOptions;
  readonly objectOf: (item: T) => Identity;
  /** Text after the names of one object or of `many`. */
  readonly textOf: (item: T) => (many: boolean) => string;
}

function grouped<T>(list: readonly T[], { names, objectOf, textOf }: Grouping<T>): string[] {
  const groups = Map.groupBy(list, item => textOf(item)(false));
  return [...groups.values()].flatMap(alike =>
    alike
      .slice(0, 1)
      .map(first => `${namesOf(alike.map(objectOf), names)}${textOf(first)(alike.length > 1)}`),
  );
}
