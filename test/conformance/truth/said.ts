/** Properties of what findings and explanations say, held against the objects and the forecasts. */

import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import { explain } from '../../../src/diagnosis/explain/explanation.ts';
import { chainOf } from '../../../src/diagnosis/waits/chain.ts';
import type { Forecast } from '../../../src/forecast/plan/forecast-result.ts';
import type { GraphNode } from '../../../src/graph/node.ts';
import type { KubeObject, OwnerReference, Uid } from '../../../src/model/object.ts';
import { nameIn, type TruthState, told, type Violation } from './state.ts';

/** Everything that still goes is explained: on the object, or on what its chain leads to. */
export function* unexplained(state: TruthState): IterableIterator<Violation> {
  const { view, diagnosis } = state;
  for (const { object } of view.graph.nodes()) {
    if (object?.deletionTimestamp === undefined) continue;
    const chain = chainOf(diagnosis.tracked, object);
    const way = [object.uid, ...chain.map(link => link.object.uid)];
    if (way.some(uid => diagnosis.of(uid).some(isSerious))) continue;
    const because = chain.map(({ because }) => because).join(' / ');
    yield {
      rule: 'explained',
      what: `${nameIn(state, object.uid)} is being deleted; found: ${told(diagnosis.of(object.uid))}; chain: ${because}`,
    };
  }
}

/** Whatever the collector deletes now, or once it starts anew, is announced: on it, or on an owner that takes it along. */
export function* unannounced(state: TruthState): IterableIterator<Violation> {
  const { view, diagnosis, calm, restarted } = state;
  for (const [when, forecast] of [
    ['now', calm],
    ['after a restart', restarted],
  ] as const) {
    const { deleted, terminating, timingDependent } = forecast;
    const going = new Set([...deleted, ...terminating, ...timingDependent].map(({ object }) => object.uid));
    for (const { object, by } of forecast.deleted) {
      const node = view.graph.get(object.uid);
      if (node?.object === undefined || node.object.deletionTimestamp !== undefined) continue;
      if (by !== 'garbage-collector') continue;
      if (diagnosis.of(object.uid).some(announces)) continue;
      const owners = node.owners.map(({ uid }) => uid);
      if (owners.some(uid => going.has(uid) || isGoing(view.graph.get(uid)))) continue;
      yield {
        rule: 'announced',
        what: `${nameIn(state, object.uid)} is deleted ${when}; found: ${told(diagnosis.of(object.uid))}`,
      };
    }
  }
}

function isGoing(node: GraphNode | undefined): boolean {
  return node?.object?.deletionTimestamp !== undefined;
}

function announces({ message }: Finding): boolean {
  return /will be deleted|should be gone|^PersistentVolumeClaim .* is deleted, with the data/u.test(message);
}

function isSerious({ severity }: Finding): boolean {
  return severity !== 'info';
}

/** What is as it should be gives no cause for alarm. */
export function* alarms(state: TruthState): IterableIterator<Violation> {
  const { view, diagnosis } = state;
  for (const node of view.graph.nodes()) {
    const { object } = node;
    if (object === undefined || !isHealthy(state, object, new Set())) continue;
    for (const finding of diagnosis.of(object.uid)) {
      if (isSerious(finding) && !traps.has(finding.code))
        yield { rule: 'no alarm', what: `${nameIn(state, object.uid)}: ${finding.code}: ${finding.message}` };
    }
  }
}

/** Found on objects that have nothing wrong with them but what they are for, or that nobody owns any more. */
const traps: ReadonlySet<string> = new Set([
  'VolumeClaimOwnedByWorkload',
  'StatefulSetSurvivor',
  'ReplicaSetSurvivor',
  'JobSurvivor',
]);

/** Owners that are there, all the way up, none of them being deleted, nor in a cycle. */
function isHealthy(state: TruthState, object: KubeObject, below: ReadonlySet<Uid>): boolean {
  const { graph } = state.view;
  if (object.deletionTimestamp !== undefined || below.has(object.uid)) return false;
  if (object.facts?.kind === 'Pod' && !isPlaced(state, object.facts.nodeName)) return false;
  const namespace = [...graph.nodes()].find(
    ({ object: each }) => each?.type.kind === 'Namespace' && each.name === object.namespace,
  );
  if (isGoing(namespace)) return false;
  const way = new Set([...below, object.uid]);
  return object.owners.every(reference => {
    const owner = graph.get(reference.uid)?.object;
    return owner !== undefined && fits(reference, owner, object) && isHealthy(state, owner, way);
  });
}

function fits({ apiVersion, kind, name }: OwnerReference, owner: KubeObject, dependent: KubeObject): boolean {
  const inReach = owner.namespace === '' || owner.namespace === dependent.namespace;
  return inReach && owner.type.apiVersion === apiVersion && owner.type.kind === kind && owner.name === name;
}

function isPlaced({ view }: TruthState, nodeName: string): boolean {
  if (nodeName === '') return true;
  for (const { object } of view.graph.nodes()) {
    if (object?.facts?.kind === 'Node' && object.name === nodeName)
      return object.facts.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
  }
  return false;
}

/** No sentence says that something stays which a forecast says goes, nor the other way round. */
export function* contradicted(state: TruthState): IterableIterator<Violation> {
  const { view, diagnosis } = state;
  const calm = deletedIn(state.calm);
  const restarted = deletedIn(state.restarted);
  for (const node of view.graph.nodes()) {
    const { object } = node;
    if (object === undefined) continue;
    const { uid } = object;
    const explanation = explain(diagnosis, node);
    const sentences: [string, string][] = diagnosis.of(uid).map(({ code, message }) => [code, message]);
    sentences.push(['summary', explanation.summary]);
    if (explanation.next !== undefined) sentences.push(['next', explanation.next]);
    for (const [from, sentence] of sentences) {
      const goes = calm.has(uid) ? 'if nobody acts' : restarted.has(uid) ? 'after a restart' : undefined;
      // It goes as soon as the collector does its work, which these say it doesn't.
      if (blameTheCollector.test(sentence)) continue;
      if (goes !== undefined && saysItStays(sentence))
        yield { rule: 'stays', what: `${nameIn(state, uid)} goes ${goes}; ${from}: ${sentence}` };
      const stays = !restarted.has(uid) && !calm.has(uid) && !isUncertain(state.restarted, uid);
      if (stays && saysItGoes(sentence))
        yield { rule: 'goes', what: `${nameIn(state, uid)} stays; ${from}: ${sentence}` };
    }
  }
}

const blameTheCollector = /is far behind|garbage collector should have/u;

function deletedIn({ deleted }: Forecast): ReadonlySet<Uid> {
  return new Set(deleted.map(({ object }) => object.uid));
}

function isUncertain({ timingDependent, terminating }: Forecast, uid: Uid): boolean {
  return [...timingDependent, ...terminating].some(({ object }) => object.uid === uid);
}

function saysItStays(sentence: string): boolean {
  return /never collected|is stuck|stays as it is|lives on with|is not collected(?! .*is deleted all the same)|^Nothing|leaves it alone|and have no owner/u.test(
    sentence,
  );
}

function saysItGoes(sentence: string): boolean {
  return /will be deleted (?:as soon|when|by)|should be gone and/u.test(sentence);
}
