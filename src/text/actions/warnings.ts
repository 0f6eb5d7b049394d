/** What a person should know before deleting: who makes it anew, and what a namespace or a definition holds. */
import type { Loss } from '../../actions/prepare/losses.ts';
import type { Forecast } from '../../forecast/plan/plan.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { Identity } from '../../graph/node.ts';
import type { KubeObject, Uid } from '../../model/object.ts';
import { plural, surroundings } from '../plan/words.ts';
import { counted, objectTitleIn } from '../terminal/names.ts';
import { type TextLine, textLine } from '../terminal/text-line.ts';

const SHOWN = 5;
const KINDS = 8;

export function* deletionNotes(
  forecast: Forecast,
  targets: readonly KubeObject[],
  view: ClusterView,
): Generator<TextLine> {
  for (const target of targets.slice(0, SHOWN)) {
    const held = holdingsOf(target, view);
    if (held !== undefined) yield textLine(`  ! ${held}`, 'warning', 4);
  }
  for (const words of remakers(forecast, view)) yield textLine(`  ! ${words}`, 'warning', 4);
}

/** What is gone for good, however it is taken back. */
export function* lossLines(losses: readonly Loss[]): Generator<TextLine> {
  for (const { what } of losses.slice(0, SHOWN))
    yield textLine(`  ! Undo cannot bring back ${what}.`, 'warning', 4);
  const more = losses.length - SHOWN;
  if (more > 0) yield textLine(`  ! Nor ${more.toLocaleString('en-US')} more.`, 'warning', 4);
}

/** Controllers that make anew what goes, and the owner at the top, which is the one to delete instead. */
function remakers(forecast: Forecast, view: ClusterView): string[] {
  // Whoever takes a node away wants its pods back elsewhere.
  if (forecast.nodes !== undefined) return [];
  const namespace = surroundings(forecast.action.targets);
  const going = new Set<Uid>(forecast.deleted.map(({ object }) => object.uid));
  const found = new Set<string>();
  for (const { by, kind, count, anyway } of forecast.recreated) {
    if (anyway || by === undefined) continue;
    const top = topController(by, view);
    const maker = objectTitleIn(by, namespace);
    const made = `${maker} makes ${counted(count, `new ${kind}`, `new ${plural(kind, count)}`)}`;
    // A maker that is made anew itself isn't there to be deleted: its own maker has a line of its own.
    const isNew = view.graph.get(by.uid)?.object === undefined;
    found.add(
      isNew || going.has(top.uid)
        ? `${made}.`
        : `${made}. To be rid of ${count === 1 ? 'it' : 'them'}, delete ${objectTitleIn(top, namespace)} instead.`,
    );
  }
  const all = [...found];
  return all.length <= SHOWN ? all : [...all.slice(0, SHOWN), `${all.length - SHOWN} more make new objects.`];
}

function topController(from: Identity, { graph }: ClusterView): Identity {
  const seen = new Set<Uid>();
  let top = from;
  for (let uid: Uid | undefined = from.uid; uid !== undefined && !seen.has(uid); ) {
    seen.add(uid);
    const node = graph.get(uid);
    if (node?.object === undefined) break;
    top = node.identity;
    uid = node.object.owners.find(({ controller }) => controller === true)?.uid;
  }
  return top;
}

/** What goes with a namespace or with a definition; undefined for other objects, and where it holds nothing. */
function holdingsOf({ type, name, uid }: KubeObject, view: ClusterView): string | undefined {
  if (type.group === '' && type.kind === 'Namespace') {
    return inside(view, name, `Namespace ${name} holds`);
  }
  if (type.group !== 'apiextensions.k8s.io' || type.kind !== 'CustomResourceDefinition') return undefined;
  const dot = name.indexOf('.');
  const served = view.catalog.preferredOf({ resource: name.slice(0, dot), group: name.slice(dot + 1) });
  if (served === undefined || view.graph.get(uid)?.object === undefined) return undefined;
  let count = 0;
  const namespaces = new Set<string>();
  for (const { object } of view.graph.ofType(served)) {
    if (object === undefined) continue;
    count += 1;
    namespaces.add(object.namespace);
  }
  if (count === 0) return undefined;
  const where = served.namespaced ? ` in ${counted(namespaces.size, 'namespace')}` : '';
  return `Every ${served.kind} goes with its definition: ${count.toLocaleString('en-US')}${where}.`;
}

function inside({ graph }: ClusterView, namespace: string, lead: string): string | undefined {
  const kinds = new Map<string, number>();
  let total = 0;
  for (const { object } of graph.nodes()) {
    if (object?.namespace !== namespace) continue;
    kinds.set(object.type.kind, (kinds.get(object.type.kind) ?? 0) + 1);
    total += 1;
  }
  if (total === 0) return undefined;
  const words = [...kinds]
    .sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))
    .map(([kind, count]) => `${count.toLocaleString('en-US')} ${plural(kind, count)}`);
  const more = words.length - KINDS;
  const shown = more > 0 ? [...words.slice(0, KINDS), `${more} more kinds`] : words;
  return `${lead} ${counted(total, 'object')}: ${shown.join(', ')}.`;
}
