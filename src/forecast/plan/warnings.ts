/** What a forecast cannot know, and what of it a reader has to know. */

import { collectorSwitchedOff, silentManager } from '../../collector/manager.ts';
import { ownerStanding } from '../../collector/verdict.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import { isForeground } from '../../graph/deletion.ts';
import type { Absence } from '../../graph/index/absences.ts';
import { compareBytes } from '../../graph/node.ts';
import { identityOfObject } from '../../graph/ownership-node.ts';
import { isBehind, isOfFiles } from '../../model/exchange/changes.ts';
import { controllerOf, type KubeObject, namespacedName, podFacts, type Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { nodeLookUp } from '../../podgc/passes/nodes.ts';
import { TAINT_EVICTION } from '../../simulation/controllers/pods/taint-eviction.ts';
import type { End, Run, Stage } from '../run.ts';
import { isModelled } from './outcome.ts';
import type { Forecast, Warning } from './plan.ts';

export interface Findings {
  readonly stage: Stage;
  readonly run: Run;
  readonly ends: ReadonlyMap<Uid, End>;
  readonly plan: Pick<
    Forecast,
    'deleted' | 'changed' | 'timingDependent' | 'flapping' | 'ordersTried' | 'action'
  >;
  /** Objects whose end other orders of work could change. */
  readonly contested: number;
  /** A deletion that a running collector would have finished. */
  readonly overdue: KubeObject | undefined;
}

export function warningsOf(findings: Findings): Warning[] {
  const { stage, run } = findings;
  return [
    ...run.answers.flatMap(answer =>
      answer.ok ? [] : { code: 'refused' as const, status: answer.status, message: answer.message },
    ),
    ...connection(stage.view),
    ...blindSpots(stage.view),
    ...otherNamespaces(findings),
    ...ownsElsewhere(findings),
    ...polled(stage.view),
    ...unseenOwners(findings),
    ...assumedAbsent(findings),
    ...collector(findings),
    ...manager(findings),
    ...timing(findings),
    ...evictions(findings),
    ...reclaimed(findings),
    ...controllersLeft(findings),
    ...orphanedWorkloads(findings),
    ...admission(findings),
    ...findings.plan.flapping.map(each => ({ code: 'flapping' as const, ...each })),
    ...(run.end === 'limit' ? [{ code: 'neverRests' as const }] : []),
  ];
}

/** Pods that have to leave their nodes later on: what of that no object shows. */
function evictions({ stage, run }: Findings): Warning[] {
  const nodes = new Set<string>();
  for (const { actor, verb, at, before } of run.log) {
    if (actor !== TAINT_EVICTION || verb !== 'delete' || at <= stage.now) continue;
    const nodeName = before === undefined ? undefined : podFacts(before)?.nodeName;
    if (nodeName !== undefined) nodes.add(nodeName);
  }
  if (nodes.size === 0) return [];
  return [{ code: 'laterEvictions', nodes: [...nodes].sort(compareBytes), fromStart: stage.fresh }];
}

function connection({ connection }: ClusterView): Warning[] {
  if (!isBehind(connection)) return [];
  return [{ code: 'outdated', reason: connection.state === 'lost' ? connection.reason : undefined }];
}

function blindSpots(view: ClusterView): Warning[] {
  if (view.complete) return [];
  const spots = view.blindSpots();
  if (spots.length === 0) return [{ code: 'notListedYet' }];
  const kinds = spots.filter(spot => !isOfFiles(spot));
  return [
    ...(kinds.length === 0 ? [] : [{ code: 'unseenKinds' as const, kinds }]),
    ...(kinds.length === spots.length ? [] : [{ code: 'notInFiles' as const }]),
  ];
}

/**
 * The collector counts dependents wherever they are, though no reference across namespaces is valid: one that blocks holds
 * up a foreground deletion.
 */
function otherNamespaces({ stage, run, ends }: Findings): Warning[] {
  const { scope } = stage.view;
  if (scope === undefined) return [];
  const waits =
    run.log.some(({ after }) => after !== undefined && isForeground(after)) ||
    ends.values().some(({ before }) => before !== undefined && isForeground(before));
  return waits ? [{ code: 'otherNamespaces', namespaces: scope.namespaces }] : [];
}

/** A cluster-scoped object takes along what it owns wherever that is. */
function ownsElsewhere({ stage, plan }: Findings): Warning[] {
  const { scope } = stage.view;
  const first = plan.deleted.find(({ object, anyway }) => !anyway && object.namespace === '');
  if (scope === undefined || first === undefined) return [];
  return [{ code: 'ownsElsewhere', namespaces: scope.namespaces, object: first.object }];
}

function polled(view: ClusterView): Warning[] {
  const resources = view.polled().map(({ resource }) => resource);
  return resources.length === 0 ? [] : [{ code: 'polledKinds', resources }];
}

/** Which objects stay only because an owner that nobody could see is taken to exist. */
function unseenOwners({ stage, ends, plan }: Findings): Warning[] {
  const { base, unseen, view } = stage;
  if (unseen.length === 0) return [];
  const found = new Set([...view.absences.found()].map(({ uid }) => uid));
  const held = [...concernedBy(stage, ends, plan)].flatMap(uid => {
    const object = base.byUid(uid);
    if (object === undefined) return [];
    return object.owners.filter(owner => base.isAssumed(owner.uid)).map(owner => ({ object, owner }));
  });
  const groups = Map.groupBy(held, ({ owner }) => `${owner.kind} ${owner.name} ${found.has(owner.uid)}`);
  return [...groups.values()].flatMap(alike => {
    const objects = [...new Set(alike.map(({ object }) => object))];
    const [first] = objects.sort((a, b) => compareBytes(namespacedName(a), namespacedName(b)));
    const owner = alike[0]?.owner;
    if (first === undefined || owner === undefined) return [];
    return {
      code: 'unseenOwner',
      object: identityOfObject(first),
      others: objects.length - 1,
      owner,
      found: found.has(owner.uid),
    };
  });
}

/** What the forecast rests on and no look-up has confirmed: owners and nodes that no list holds. */
function assumedAbsent({ stage, ends, plan }: Findings): Warning[] {
  const { base, view } = stage;
  if (view.settings.listsMayLag !== true) return [];
  const lost: Warning[] = [];
  const nodes = new Set<string>();
  for (const uid of concernedBy(stage, ends, plan)) {
    const node = base.graph.get(uid);
    const object = node?.object;
    if (node === undefined || object === undefined) continue;
    for (const reference of object.owners) {
      const { absent, certainty } = ownerStanding(view, node, reference);
      if (absent === undefined || certainty === 'exact') continue;
      const absence = view.absences.of(absent);
      lost.push({ code: 'unconfirmedAbsence', object: node.identity, absent: reference, absence });
    }
    const nodeName = podFacts(object)?.nodeName ?? '';
    if (nodeName !== '') nodes.add(nodeName);
  }
  for (const name of nodes) {
    const absence = doubtOnNode(view, name);
    if (absence === undefined) continue;
    lost.push({ code: 'unconfirmedAbsence', object: undefined, absent: { kind: 'Node', name }, absence });
  }
  return lost;
}

function doubtOnNode(view: ClusterView, name: string): Absence | undefined {
  const type = view.catalog.resolveKind('v1', 'Node');
  if (type === undefined || !view.seesAt(type, '', name) || view.find(type, '', name) !== undefined)
    return undefined;
  const absence = view.absences.of(nodeLookUp(name));
  return absence.state === 'confirmed' ? undefined : absence;
}

function concernedBy(stage: Stage, ends: Findings['ends'], plan: Findings['plan']): Set<Uid> {
  const acted = [...ends.keys(), ...plan.action.targets.map(({ uid }) => uid)];
  const concerned = new Set<Uid>(acted);
  for (const uid of acted) for (const each of stage.base.ownedBy(uid)) concerned.add(each.uid);
  return concerned;
}

function collector({ overdue, stage }: Findings): Warning[] {
  return overdue === undefined || stage.fresh
    ? []
    : [{ code: 'collectorBehind', object: identityOfObject(overdue) }];
}

/** A restart begins with a manager that runs. */
function manager({ stage, plan }: Findings): Warning[] {
  if (stage.fresh || plan.action.verb === 'none') return [];
  const silent = silentManager(stage.view, stage.now);
  if (silent !== undefined) return [{ code: 'managerSilent', renewedAt: silent.renewedAt }];
  const off = collectorSwitchedOff(stage.view, knownControlPlanePods(stage.view));
  return off === undefined ? [] : [{ code: 'collectorOff', flag: off.flag }];
}

/** Those that were read anyhow. */
function knownControlPlanePods({ catalog, graph }: ClusterView): readonly KubeObject[] {
  const type = catalog.resolveKind('v1', 'Pod');
  const nodes = type === undefined ? [] : [...graph.inNamespace(type, 'kube-system')];
  return nodes.flatMap(({ object }) => object ?? []);
}

function timing({ plan, contested }: Findings): Warning[] {
  const { timingDependent, ordersTried: orders } = plan;
  const objects = timingDependent.length;
  if (orders === 0 && contested > 0) return [{ code: 'ordersNotTried', objects: contested }];
  return objects === 0 ? [] : [{ code: 'timingDependent', objects, orders }];
}

/** Volumes whose data is deleted with a claim. */
function reclaimed({ stage, plan }: Findings): Warning[] {
  const volumeType = stage.view.catalog.resolveKind('v1', 'PersistentVolume');
  if (volumeType === undefined) return [];
  const volumes: string[] = [];
  for (const { object } of plan.deleted) {
    if (object.kind !== 'PersistentVolumeClaim' || object.apiVersion !== 'v1') continue;
    const facts = stage.base.byUid(object.uid)?.facts;
    const name = facts?.kind === 'PersistentVolumeClaim' ? facts.volumeName : '';
    const volume = name === '' ? undefined : stage.base.find(volumeType, '', name);
    if (volume?.facts?.kind === 'PersistentVolume' && volume.facts.reclaimPolicy === 'Delete') {
      volumes.push(name);
    }
  }
  return volumes.length === 0 ? [] : [{ code: 'dataDeleted', volumes }];
}

/** Owners whose controllers nobody knows may recreate what is deleted below them. */
function controllersLeft({ stage, ends, plan }: Findings): Warning[] {
  const left = plan.deleted.flatMap(({ object }) => {
    const before = stage.base.byUid(object.uid);
    const owner = before && controllerOf(before);
    if (owner === undefined) return [];
    const end = ends.get(owner.uid);
    const survives = end === undefined ? stage.base.byUid(owner.uid) !== undefined : end.after !== undefined;
    const known = isModelled(owner) && !stage.base.isAssumed(owner.uid);
    return known || !survives || end?.after?.deletionTimestamp !== undefined ? [] : { owner, child: object };
  });
  const kinds = Map.groupBy(left, ({ owner: { apiVersion, kind } }) => `${apiVersion}/${kind}`);
  return [...kinds.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : { code: 'unknownController', ...first, others: others.length },
  );
}

/** Workloads that go on without the one that controlled them. */
function orphanedWorkloads({ stage, ends, plan }: Findings): Warning[] {
  const kinds = new Map<string, string>();
  for (const { object, ownerReferencesRemoved } of plan.changed) {
    if (ownerReferencesRemoved.length === 0) continue;
    const before = stage.base.byUid(object.uid);
    const owner = before && controllerOf(before);
    const after = ends.get(object.uid)?.after;
    if (owner === undefined || after === undefined || after.deletionTimestamp !== undefined) continue;
    if (!ownerReferencesRemoved.includes(owner.uid) || after.facts?.kind !== 'Workload') continue;
    kinds.set(object.kind, owner.kind);
  }
  return [...kinds].map(([kind, owner]) => ({ code: 'orphanedWorkload', kind, owner }));
}

const admissionKinds: readonly (readonly [string, string])[] = [
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'],
  ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding'],
];

/** Of what may refuse or alter requests. */
export function admissionTypes(view: ClusterView): ResourceType[] {
  return admissionKinds.flatMap(([apiVersion, kind]) => view.catalog.resolveKind(apiVersion, kind) ?? []);
}

function admission({ stage, plan }: Findings): Warning[] {
  if (plan.deleted.length === 0 && plan.changed.length === 0) return [];
  const configurations = admissionTypes(stage.view).flatMap(type => {
    // Noted where it isn't read.
    stage.view.sees(type, '');
    return stage.base.list(type, '').map(({ name }) => `${type.kind} ${name}`);
  });
  return configurations.length === 0 ? [] : [{ code: 'admission', configurations: configurations.sort() }];
}
