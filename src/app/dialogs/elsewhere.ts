/** Counts forecast effects outside the shown namespace. */
import type { GraphNode } from '../../graph/index.ts';
import { counted, formatCount, getOrInsert, shownName } from '../../model/index.ts';
import type { FateGroup, Painting } from '../painting/painting.ts';
import { LastAnswer } from '../state/last-answer.ts';
import type { State } from '../state/state.ts';

type What = FateGroup | 'created';

const words: Readonly<Record<What, string>> = {
  deleted: 'deleted',
  stuck: 'stuck',
  broken: 'broken',
  altered: 'altered',
  uncertain: 'uncertain',
  created: 'created',
};
const order: readonly What[] = ['deleted', 'stuck', 'broken', 'altered', 'uncertain', 'created'];

const NAMED = 3;

const answers = new LastAnswer<string | undefined>();

/** Returns `Not in this tree: 3 deleted, 1 altered in infra.`, sanitised; undefined if the tree has them all. */
export function elsewhereWords({ cluster, revision }: State): string | undefined {
  const painting = cluster?.painting;
  if (cluster === undefined || painting === undefined || cluster.namespace === undefined) return undefined;
  return answers.of(painting, [cluster, cluster.namespace, revision], () => {
    const places = countsByPlace(
      painting,
      node => cluster.inScope(node),
      uid => cluster.node(uid),
    );
    return places.size === 0 ? undefined : `Not in this tree: ${placesWords(places)}.`;
  });
}

type Places = ReadonlyMap<string, ReadonlyMap<What, number>>;

function countsByPlace(
  painting: Painting,
  inScope: (node: Pick<GraphNode, 'identity' | 'object'>) => boolean,
  nodeOf: (uid: GraphNode['uid']) => GraphNode | undefined,
): Places {
  const { objects, ghosts } = painting;
  const places = new Map<string, Map<What, number>>();
  const add = (node: Pick<GraphNode, 'identity' | 'object'>, what: What, count: number): void => {
    if (inScope(node)) return;
    const { namespace } = node.object ?? node.identity;
    const counts = getOrInsert(places, namespace, () => new Map<What, number>());
    counts.set(what, (counts.get(what) ?? 0) + count);
  };
  for (const identity of objects) {
    const fate = painting.of(identity.uid);
    if (fate === undefined || fate.anyway) continue;
    add(nodeOf(identity.uid) ?? { identity, object: undefined }, fate.group, 1);
  }
  // A ghost without a known controller has no row in any tree.
  for (const { node, count } of ghosts) if (node.identity.namespace !== '') add(node, 'created', count);
  return places;
}

function placesWords(places: Places): string {
  const sum = (counts: ReadonlyMap<What, number>): number =>
    counts.values().reduce((total, count) => total + count, 0);
  const sorted = [...places].sort(([a, x], [b, y]) => sum(y) - sum(x) || (a < b ? -1 : 1));
  const named = sorted.slice(0, NAMED).map(([namespace, counts]) => {
    const parts = order.flatMap(what => {
      const count = counts.get(what);
      return count === undefined ? [] : `${formatCount(count)} ${words[what]}`;
    });
    return `${parts.join(', ')} ${namespace === '' ? 'outside of namespaces' : `in ${shownName(namespace)}`}`;
  });
  const others = sorted.slice(NAMED);
  const left = others.reduce((total, [, counts]) => total + sum(counts), 0);
  const more = left === 0 ? [] : [`${formatCount(left)} in ${counted(others.length, 'more namespace')}`];
  return [...named, ...more].join('; ');
}
