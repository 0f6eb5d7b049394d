/** The pods of drained nodes in words: which are evicted, wait, are refused, stay, or keep kubectl from starting. */
import { Forecast } from '../../forecast/index.ts';
import { counted, enumerated, shownName } from '../../model/index.ts';
import type { TextLine } from '../terminal/text-line.ts';
import { type NameOptions, namesOf } from './plan-words.ts';
import { section } from './section.ts';

const parts = [
  ['Blocks', 'blocking', 'danger'],
  ['Evicted', 'evicted', 'plain'],
  ['Waits', 'waiting', 'warning'],
  ['Refused', 'refused', 'warning'],
  ['Stays', 'left there', 'plain'],
] as const;

export function* drainSections({ drain, action }: Forecast, names: NameOptions): Generator<TextLine> {
  if (drain === undefined) return;
  const isSeveral = action.targets.length > 1;
  for (const [fate, label, style] of parts) {
    const pods = drain.pods.filter(each => each.fate === fate);
    // The list of deleted objects names the others.
    const told = fate === 'Evicted' ? pods.filter(({ because }) => because !== '') : pods;
    const groups = Map.groupBy(told, ({ node, because }) => `${isSeveral ? ` on ${node}` : ''}: ${because}`);
    const lines = [...groups].map(
      ([words, alike]) =>
        `${namesOf(
          alike.map(({ pod }) => pod),
          names,
        )}${words}`,
    );
    if (pods.length > 0 && (fate !== 'Evicted' || told.length > 0))
      yield* section(label, pods.length, lines, style);
  }
}

/** Returns `completes only if PodDisruptionBudgets allow 2 more evictions`, or undefined if none waits. */
export function budgetDependence(forecast: Forecast): string | undefined {
  const waiting = Forecast.waitingForBudgets(forecast);
  if (waiting.length === 0) return undefined;
  const isContended = waiting.some(each => each.isContended);
  return `completes only if PodDisruptionBudgets allow ${isContended ? 'more evictions than they do now' : counted(waiting.length, 'eviction')}`;
}

/** Says what kubectl does with nodes that it doesn't empty: they stay cordoned. */
export function cordonedNodesWords({ drain }: Forecast): string | undefined {
  if (drain === undefined) return undefined;
  const { refusedNodes, pods } = drain;
  const partly = pods.filter(({ fate }) => fate === 'Refused').map(({ node }) => node);
  const sentences = [
    [refusedNodes, 'then evicts nothing from'],
    [[...new Set(partly)], "doesn't evict all pods from"],
  ] as const;
  const said = sentences.flatMap(([nodes, does]) => {
    const [are, them] = nodes.length === 1 ? ['stays', 'it'] : ['stay', 'them'];
    const names = enumerated(nodes.map(shownName));
    return nodes.length === 0 ? [] : `kubectl cordons ${names} first, which ${are} so, and ${does} ${them}.`;
  });
  return said.length === 0 ? undefined : said.join(' ');
}
