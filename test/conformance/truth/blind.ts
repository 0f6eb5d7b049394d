/**
 * What is called exact holds whatever cannot be seen: kinds are hidden from diagnosis, everywhere or in some
 * namespaces, and every exact finding has to stand when they are shown again.
 */
import { diagnoseCluster } from '../../../src/diagnosis/diagnose-cluster.ts';
import type { Finding } from '../../../src/diagnosis/engine/finding.ts';
import type { ClusterView } from '../../../src/graph/cluster-view.ts';
import { FOREGROUND_FINALIZER, ORPHAN_FINALIZER } from '../../../src/model/object.ts';
import { ResourceType } from '../../../src/model/types/resource-type.ts';
import { Random } from '../../../src/simulation/runtime/random.ts';
import { type Hidden, viewOf } from '../findings/judge-simulated.ts';
import { nameIn, type TruthState, type Violation } from './state.ts';

/** Views with something hidden, for each state. */
const VIEWS = 4;

export function* wrongWhenBlind(state: TruthState): IterableIterator<Violation> {
  const random = new Random(JSON.stringify(state.scenario.steps).length);
  for (let i = 0; i < VIEWS; i++) yield* compare(state, somethingHidden(state, random));
}

/** Mostly kinds of which there are objects: nothing changes where there are none. */
function somethingHidden({ view }: TruthState, random: Random): Hidden {
  const present = new Set<string>();
  for (const { object } of view.graph.nodes())
    if (object !== undefined) present.add(ResourceType.groupResource(object.type));
  const resources = [...present, ...others];
  const hidden = new Map<string, 'everywhere' | readonly string[]>();
  for (let count = 1 + random.below(2); count > 0; count--) {
    const resource = resources[random.below(resources.length)];
    if (resource === undefined) continue;
    const type = view.catalog.types.find(each => ResourceType.groupResource(each) === resource);
    const partly = type?.namespaced === true && random.below(3) === 0;
    hidden.set(resource, partly ? ['s0-a'] : 'everywhere');
  }
  return hidden;
}

const others = [
  'customresourcedefinitions.apiextensions.k8s.io',
  'deployments.apps',
  'statefulsets.apps',
  'jobs.batch',
  'pods',
  'nodes',
  'namespaces',
  'apiservices.apiregistration.k8s.io',
];

function* compare(state: TruthState, hidden: Hidden): IterableIterator<Violation> {
  const { world, diagnosis } = state;
  const view = viewOf(world.cluster, hidden);
  const blind = diagnoseCluster(view, world.now);
  const without = [...hidden].map(([resource, seen]) =>
    seen === 'everywhere' ? resource : `${resource} outside of ${seen.join(', ')}`,
  );
  const unseen = `without ${without.join(' and ')}`;
  for (const finding of blind.all()) {
    const { uid } = finding.object;
    yield* unsafe(view, finding, `${nameIn(state, uid)} ${unseen}`);
    if (finding.certainty === 'assumed') continue;
    const real = diagnosis.of(uid);
    if (real.some(each => agrees(each, finding))) continue;
    const words = `${finding.severity} ${finding.message}`;
    const truth = real.map(each => `${each.code} ${each.severity} ${each.message}`).join(' + ') || 'nothing';
    const what = `${finding.code} ${nameIn(state, uid)} ${unseen}: ${words} | in truth: ${truth}`;
    yield { rule: 'exact', what };
  }
  if (view.blindSpots().length === 0 && hidden.size > 0)
    yield { rule: 'named', what: `no blind spot is named ${unseen}` };
}

/** The collector's own finalizers wait for dependents: while some kind cannot be seen, removing one isn't safe. */
function* unsafe(view: ClusterView, finding: Finding, where: string): IterableIterator<Violation> {
  if (view.complete) return;
  for (const { id, risk, requests } of finding.remedies())
    if (risk === 'safe' && requests.length > 0 && collectors.has(id))
      yield { rule: 'safe', what: `${finding.code} ${where}: ${id} is called safe` };
}

const collectors: ReadonlySet<string> = new Set([
  `remove-finalizer/${FOREGROUND_FINALIZER}`,
  `remove-finalizer/${ORPHAN_FINALIZER}`,
]);

/** What can be seen may name a harder hold, or a better reason for the same end. */
function agrees(real: Finding, blind: Finding): boolean {
  if (real.code === blind.code) return real.severity === blind.severity;
  if (blockers.has(blind.code)) return blockers.has(real.code) && real.severity === blind.severity;
  if (blind.code === 'PartlyDangling') return real.code === 'OwnerReferenceMismatch';
  return announcesDeletion(blind) && announcesDeletion(real);
}

/** Of several holds of one deletion, each for good, one is told. */
const blockers: ReadonlySet<string> = new Set([
  'ForegroundBlockedByFinalizer',
  'ForegroundBlockedByUnresolvableOwner',
  'ForegroundBlockedByClusterScopedDependent',
  'SelfOwnerDeadlock',
  'ForegroundCycleDeadlock',
]);

function announcesDeletion({ message }: Finding): boolean {
  return /will be deleted|should be gone/u.test(message);
}
