/**
 * Properties of what the key `u` proposes: it is about the object itself, what it owns and what is being deleted already,
 * and deletes nothing else. If it isn't safe, it frees the object, unless that isn't being deleted.
 */

import { proposedRemedy } from '../../../src/app/actions/intent.ts';
import { remedyEffect } from '../../../src/diagnosis/offers/remedy-effects.ts';
import type { ApplicableRemedy } from '../../../src/forecast/action.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import { requestWords } from '../../../src/forecast/request-paths.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import type { KubeObject, Uid } from '../../../src/model/object.ts';
import { Sliced } from '../../../src/model/slices.ts';
import { nameIn, type TruthState, type Violation } from './state.ts';

/** `proposed` is told of each. */
export function* wrongRecommendations(
  state: Pick<TruthState, 'diagnosis' | 'forecaster' | 'player' | 'view' | 'world'>,
  proposed: (remedy: ApplicableRemedy) => void = () => {},
): IterableIterator<Violation> {
  const { diagnosis, forecaster, view } = state;
  for (const uid of new Set(Array.from(diagnosis.all(), ({ object }) => object.uid))) {
    const target = view.graph.get(uid)?.object;
    if (target === undefined) continue;
    const now = state.world.now;
    const remedy = Sliced.atOnce(proposedRemedy(diagnosis, target, { view, now }));
    if (remedy === undefined) continue;
    proposed(remedy);
    const forecast = forecaster.forecast({ verb: 'unblock', target, remedy });
    const what = `${nameIn(state, uid)}: ${remedy.risk} ${remedy.id}: ${remedyEffect(forecast)}`;
    const isFreed = forecast.deleted.some(({ object }) => object.uid === uid);
    if (remedy.risk !== 'safe' && target.deletionTimestamp !== undefined && !isFreed)
      yield { rule: 'u frees', what };
    const own = ownOf(view, uid);
    const deletions = [...view.graph.nodes()].flatMap(({ object }) =>
      object?.deletionTimestamp === undefined ? [] : object,
    );
    const byPath = new Map([...own, ...deletions].map(each => [requestWords.objectPath(each), each]));
    for (const { verb, path } of remedy.requests) {
      const touched = byPath.get(path);
      if (touched === undefined) yield { rule: 'u keeps to its own', what: `${verb} ${path} for ${what}` };
      if (verb === 'DELETE' && touched?.deletionTimestamp === undefined)
        yield { rule: 'u deletes nothing new', what: `${path} for ${what}` };
    }
    for (const lost of newDeletions(view, forecast))
      yield { rule: 'u deletes nothing new', what: `${nameIn(state, lost)} for ${what}` };
  }
}

/** The object and what it owns, down to the last. */
function ownOf({ graph }: ClusterView, uid: Uid): ReadonlySet<KubeObject> {
  const found = new Set<KubeObject>();
  const open = [uid];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const node = graph.get(next);
    if (node?.object === undefined || found.has(node.object)) continue;
    found.add(node.object);
    for (const { identity } of node.dependents) open.push(identity.uid);
  }
  return found;
}

/** What goes although neither it nor an owner, nor an owner's owner, is being deleted, nor its namespace. */
function newDeletions({ graph, catalog }: ClusterView, { deleted, terminating }: Forecast): Uid[] {
  const namespaces = catalog.resolveKind('v1', 'Namespace');
  const doomed = (uid: Uid, below: ReadonlySet<Uid>): boolean => {
    const node = graph.get(uid);
    if (node?.object === undefined || below.has(uid)) return false;
    if (node.object.deletionTimestamp !== undefined) return true;
    return node.owners.some(owner => doomed(owner.uid, new Set([...below, uid])));
  };
  const inDoomed = (namespace: string): boolean =>
    namespaces !== undefined &&
    graph.find(namespaces, '', namespace)?.object?.deletionTimestamp !== undefined;
  return [...deleted, ...terminating]
    .filter(({ object, anyway }) => !anyway && !inDoomed(object.namespace))
    .map(({ object }) => object.uid)
    .filter(uid => !doomed(uid, new Set()));
}
