/** Effects of GitOps tools and package managers, grouped by tool and reason. */
import { type AssumedEffect, expected, type Forecast } from '../../forecast/index.ts';
import { formatCount } from '../../model/index.ts';
import type { Style } from '../terminal/style.ts';
import { TextLine } from '../terminal/text-line.ts';
import { kindGroups, type NameOptions, surroundings } from './plan-words.ts';
import { LABEL, section } from './section.ts';

interface AssumedGroup {
  readonly label: string;
  readonly count: number;
  readonly lines: readonly string[];
  readonly style: Style;
}

const labels: Readonly<Record<AssumedEffect['effect'], { readonly label: string; readonly style: Style }>> = {
  deleted: { label: 'deletes', style: 'danger' },
  kept: { label: 'leaves', style: 'plain' },
  recreated: { label: 'recreates', style: 'info' },
  reverted: { label: 'reverts', style: 'info' },
};

interface Choice {
  readonly forecast: Pick<Forecast, 'logical' | 'action'>;
  readonly under: string;
}

const SHORT = 10;

/** Lists tools' effects after an empty line. Equal effects appear once, with the choices that share them. */
export function* assumedLines(choices: readonly Choice[], wide: boolean): Generator<TextLine> {
  const told = choices.flatMap(({ forecast: { logical = [], action }, under }) => {
    const names = { namespace: surroundings(action.targets), all: wide };
    return assumedGroups(logical, names).map(group => ({ group, under }));
  });
  if (told.length === 0) return;
  const alike = [...Map.groupBy(told, ({ group }) => JSON.stringify([group.label, group.lines])).values()];
  yield TextLine.empty;
  yield TextLine.of('  Assumed, by what these tools are documented to do, and not counted above:', 'info');
  for (const each of wide ? alike : alike.slice(0, SHORT)) {
    const [
      {
        group: { label, count, lines, style },
      } = nothing,
    ] = each;
    const which = each.length === choices.length ? '' : `${each.map(({ under }) => under).join(' and ')}: `;
    const [first = '', ...more] = lines;
    yield* section(label, count, [`${which}${first}`, ...more], style);
  }
  if (!wide && alike.length > SHORT)
    yield TextLine.of(
      `${' '.repeat(2 + LABEL)}and ${formatCount(alike.length - SHORT)} more kinds of effects (-o wide shows them)`,
    );
}

const nothing: { readonly group: AssumedGroup } = {
  group: { label: '', count: 0, lines: [], style: 'plain' },
};

/** Groups equal effects: tool and reason, then the objects, then an alternative. */
function assumedGroups(effects: readonly AssumedEffect[], names: NameOptions): AssumedGroup[] {
  const alike = Map.groupBy(effects, ({ effect, by, when, because, cluster, part }) =>
    JSON.stringify([effect, by, when, because, cluster, part]),
  );
  return [...alike.values()].flatMap(group => {
    const [first] = group;
    if (first === undefined) return [];
    const { effect, by, because } = first;
    const objects = kindGroups(
      group.map(({ object }) => object),
      names,
    );
    const instead = [...new Set(group.flatMap(each => each.instead ?? []))].slice(0, 1);
    return [
      {
        ...labels[effect],
        count: group.length,
        lines: [
          `${by}${manner(first)}, because ${because}`,
          ...objects.map(each => `  ${first.part === undefined ? '' : `${first.part} of `}${each}`),
          ...instead.map(each => `  instead: ${each}`),
        ],
      },
    ];
  });
}

function manner({ when, cluster }: AssumedEffect): string {
  return [
    when === 'onRequest' ? ', only when asked to' : '',
    when === 'unknown' ? ', perhaps' : '',
    cluster === undefined ? '' : ` in ${cluster}`,
  ].join('');
}

/** Returns uncounted effects: `12 more are deleted by tools that manage them (assumed)`. */
export function assumedCounts({ logical = [] }: Pick<Forecast, 'logical'>): string[] {
  const deleted = expected(logical, 'deleted').length;
  const recreated = expected(logical, 'recreated').length;
  const certain = logical.some(({ effect, when }) => effect === 'recreated' && when === 'automatically');
  return [
    deleted === 0
      ? ''
      : `${formatCount(deleted)} more ${deleted === 1 ? 'is' : 'are'} assumed to be deleted by tools`,
    recreated === 0
      ? ''
      : `${formatCount(recreated)} ${certain ? (recreated === 1 ? 'is' : 'are') : 'may be'} ${certain ? 'assumed to be ' : ''}recreated by tools`,
  ];
}
