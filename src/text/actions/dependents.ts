/**
 * What a foreground deletion that is broken off leaves to the garbage collector: taking `foregroundDeletion` away
 * doesn't save the dependents, so they are named before, those that will be collected and those that stay.
 */
import type { UnblockIntent } from '../../actions/prepare/intent.ts';
import type { Forecast } from '../../forecast/plan/plan.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { GraphNode, Identity } from '../../graph/node.ts';
import { FOREGROUND_FINALIZER, type Uid } from '../../model/object.ts';
import { objectTitleIn } from '../terminal/names.ts';
import { type TextLine, textLine } from '../terminal/text-line.ts';

const NAMED = 8;
const MOST = 10_000;

/** Nothing where the action doesn't take `foregroundDeletion` off its target. */
export function* dependentNotes(
  forecast: Forecast,
  { target, remedy }: UnblockIntent,
  { graph }: ClusterView,
): Generator<TextLine> {
  const node = graph.get(target.uid);
  if (node === undefined || !removesForeground(remedy.id, target.finalizers)) return;
  const collected = new Set<Uid>(forecast.deleted.map(({ object }) => object.uid));
  const held = new Set<Uid>(forecast.terminating.map(({ object }) => object.uid));
  const unsure = new Set<Uid>(forecast.timingDependent.map(({ object }) => object.uid));
  const below = dependentsOf(node);
  if (below.length === 0) {
    yield textLine('  ! It has no dependents that could be collected.', 'plain', 4);
    return;
  }
  const title = ({ kind, namespace, name }: Identity): string =>
    objectTitleIn({ kind, namespace, name }, target.namespace);
  const list = (objects: readonly Identity[]): string => {
    const more = objects.length - NAMED;
    const names = objects.slice(0, NAMED).map(title).join(', ');
    return more > 0 ? `${names} and ${more.toLocaleString('en-US')} more` : names;
  };
  const groups: readonly (readonly [string, readonly Identity[]])[] = [
    ['Collected afterwards', below.filter(({ uid }) => collected.has(uid))],
    ['Being deleted, and held', below.filter(({ uid }) => held.has(uid))],
    ['Depends on timing', below.filter(({ uid }) => unsure.has(uid))],
    ['Stays', below.filter(({ uid }) => !collected.has(uid) && !held.has(uid) && !unsure.has(uid))],
  ];
  for (const [label, objects] of groups)
    if (objects.length > 0)
      yield textLine(`  ! ${label}: ${list(objects)}.`, label === 'Stays' ? 'plain' : 'warning', 4);
}

function removesForeground(id: string, finalizers: readonly string[]): boolean {
  return (
    id === `remove-finalizer/${FOREGROUND_FINALIZER}` ||
    (finalizers.includes(FOREGROUND_FINALIZER) && /^redelete\/(?:background|orphan)/u.test(id))
  );
}

function dependentsOf(top: GraphNode): Identity[] {
  const seen = new Set<Uid>([top.identity.uid]);
  const open = [...top.dependents];
  const found: Identity[] = [];
  for (let node = open.pop(); node !== undefined && found.length < MOST; node = open.pop()) {
    if (seen.has(node.identity.uid)) continue;
    seen.add(node.identity.uid);
    if (node.object !== undefined) found.push(node.identity);
    open.push(...node.dependents);
  }
  return found;
}
