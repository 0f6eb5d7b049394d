import { managerSigns, OwnerStanding } from '../../collector/index.ts';
import {
  type Absence,
  type ClusterView,
  compareBytes,
  type GraphNode,
  type Identity,
  identityOfObject,
  objectDeletion,
} from '../../graph/index.ts';
import {
  BlindSpot,
  BuiltInKind,
  Connection,
  controllerOf,
  isMirrorPod,
  type KubeObject,
  labelRules,
  letsNothingGo,
  namespacedName,
  objectState,
  podFacts,
  type ResourceType,
  type Uid,
  workloadFacts,
} from '../../model/index.ts';
import { podGcNodes } from '../../podgc/index.ts';
import {
  type AdmissionDoubt,
  admissionKinds,
  controllerRegister,
  putBack,
  specialStores,
  taintEviction,
} from '../../simulation/index.ts';
import { mayBeTokenOf, otherDeleters } from '../other-deleters.ts';
import { unseenContent } from '../reported-content.ts';
import { refusedBy } from '../run-admission.ts';
import type { End, Run, Stage } from '../simulated-run.ts';
import { Forecast, type Warning } from './forecast-result.ts';
import { isModelled } from './run-ends.ts';

export interface Findings {
  readonly stage: Stage;
  readonly run: Run;
  /** Requests that admission may refuse without the action. */
  readonly doubtsAnyway: Run['doubts'] | undefined;
  readonly ends: ReadonlyMap<Uid, End>;
  readonly plan: Pick<
    Forecast,
    | 'deleted'
    | 'terminating'
    | 'changed'
    | 'timingDependent'
    | 'flapping'
    | 'ordersTried'
    | 'action'
    | 'drain'
  >;
  readonly contested: number;
  /** A deletion that a running collector would have finished. */
  readonly overdue: KubeObject | undefined;
  /** Omits warnings that need reads of their own. */
  readonly effectsOnly: boolean;
}

export function warningsOf(findings: Findings): Warning[] {
  const { stage, run, plan, effectsOnly } = findings;
  const unlessEffects = (warn: (of: Findings) => Warning[]): Warning[] => (effectsOnly ? [] : warn(findings));
  return [
    ...run.answers.flatMap(answer =>
      // A drain lists its pods with the budgets that refuse them, and Helm ignores missing objects.
      answer.ok || answer.status === 429 || (answer.status === 404 && plan.action.verb === 'uninstall')
        ? []
        : { code: 'refused' as const, status: answer.status, message: answer.message },
    ),
    ...connection(stage.view),
    ...blindSpots(stage.view),
    ...otherNamespaces(findings),
    ...ownsElsewhere(findings),
    ...polled(stage.view),
    ...unseenOwners(findings),
    ...unlessEffects(assumedAbsent),
    ...hiddenContent(findings),
    ...collector(findings),
    ...unlessEffects(manager),
    ...timing(findings),
    ...evictions(findings),
    ...unlessEffects(laterDeletions),
    ...unlessEffects(deviceTaints),
    ...unlessEffects(createdLater),
    ...unlessEffects(notSimulated),
    ...staticPods(findings),
    ...unlessEffects(budgetsPassedOver),
    ...unlessEffects(tokensDeleted),
    ...reclaimed(findings),
    ...controllersLeft(findings),
    ...orphanedWorkloads(findings),
    ...creations(findings),
    ...unlessEffects(admission),
    ...findings.plan.flapping.map(each => ({ code: 'flapping' as const, ...each })),
    ...(run.end === 'limit' ? [{ code: 'neverRests' as const }] : []),
  ];
}

function evictions({ stage, run }: Findings): Warning[] {
  const nodes = new Set<string>();
  for (const { actor, verb, at, before } of run.log) {
    if (actor !== taintEviction.name || verb !== 'delete' || at <= stage.now) continue;
    const nodeName = before === undefined ? undefined : podFacts(before)?.nodeName;
    if (nodeName !== undefined) nodes.add(nodeName);
  }
  if (nodes.size === 0) return [];
  return [{ code: 'laterEvictions', nodes: [...nodes].sort(compareBytes), fromStart: stage.fresh }];
}

/** Without an action, later clean-ups are part of the answer. */
function laterDeletions({ stage, plan }: Findings): Warning[] {
  if (plan.action.verb !== 'none') return [];
  const jobs = stage.view.catalog.preferredOf({ group: 'batch', resource: 'jobs' });
  if (jobs === undefined) return [];
  const gone = new Set(plan.deleted.map(({ object }) => object.uid));
  const later: { readonly job: KubeObject; readonly at: number }[] = [];
  for (const { object: job } of stage.view.graph.ofType(jobs)) {
    const facts = job && workloadFacts(job);
    const expiry = facts && otherDeleters.expiry(facts);
    if (job === undefined || expiry === undefined) continue;
    if (job.deletionTimestamp === undefined && !gone.has(job.uid)) later.push({ job, at: expiry.at });
  }
  const [first, ...others] = later.sort((a, b) => a.at - b.at);
  const deletion = first && otherDeleters.later(stage.view, first.job);
  if (first === undefined || deletion === undefined) return [];
  const { when, by } = deletion;
  return [{ code: 'laterDeletions', object: identityOfObject(first.job), when, by, others: others.length }];
}

/** Taints of devices aren't read: a ResourceSlice has up to 128 devices. */
function deviceTaints({ stage, plan }: Findings): Warning[] {
  const { catalog, graph } = stage.view;
  const type = catalog.preferredOf({ group: 'resource.k8s.io', resource: 'resourceclaims' });
  if (plan.action.verb !== 'none' || type === undefined) return [];
  const claims = [...graph.ofType(type)].flatMap(({ object }) =>
    object?.facts?.kind === 'ResourceClaim' && object.facts.reservedFor.length > 0
      ? identityOfObject(object)
      : [],
  );
  claims.sort((a, b) => compareBytes(namespacedName(a), namespacedName(b)));
  return claims.length === 0 ? [] : [{ code: 'deviceTaints', claims }];
}

interface Effect {
  readonly object: Identity;
  readonly anyway: boolean;
}

/** Adds the snapshot's objects to effects that the action causes. */
function beforeEffects(
  { base }: Stage,
  effects: readonly Effect[],
): { readonly object: Identity; readonly before: KubeObject }[] {
  return effects.flatMap(({ object, anyway }) => {
    const before = anyway ? undefined : base.byUid(object.uid);
    return before === undefined ? [] : { object, before };
  });
}

function createdLater({ stage, plan }: Findings): Warning[] {
  const later = beforeEffects(stage, plan.deleted).flatMap(({ object, before }) => {
    const after = putBack.of(before)?.after;
    return typeof after === 'string' ? { object, after } : [];
  });
  return [...Map.groupBy(later, ({ after }) => after)].map(([after, alike]) => ({
    code: 'createdLater',
    objects: alike.map(({ object }) => object),
    after,
  }));
}

function notSimulated({ stage, plan }: Findings): Warning[] {
  const unsimulated = controllerRegister.unsimulated(stage.view);
  const found = [
    ...beforeEffects(stage, [...plan.deleted, ...plan.terminating]).flatMap(({ object, before }) =>
      unsimulated(before).map(({ by, does }) => ({ object, by, does })),
    ),
    ...recreatedLater(stage, plan.deleted),
  ];
  return [...Map.groupBy(found, ({ by, does }) => `${by} ${does}`).values()].flatMap(alike => {
    const [first] = alike;
    if (first === undefined) return [];
    const { by, does } = first;
    return { code: 'notSimulated', objects: alike.map(({ object }) => object), by, does };
  });
}

/** Lists objects that are recreated later than forecast if their controller hasn't changed them since it started. */
function recreatedLater(
  stage: Stage,
  deleted: readonly Effect[],
): { readonly object: Identity; readonly by: string; readonly does: string }[] {
  const gone = new Set(deleted.map(({ object }) => object.uid));
  const since = managerSigns.leadingSince(stage.view);
  return beforeEffects(stage, deleted).flatMap(({ object, before }) => {
    const { by = '', afterRestart } = putBack.in(stage.view, before) ?? {};
    const owner = controllerOf(before);
    if (afterRestart === undefined || owner === undefined || gone.has(owner.uid)) return [];
    if (since !== undefined && before.creationTimestamp > since) return [];
    const does = `creates another one only ${afterRestart} if it has been restarted since it last changed this one`;
    return { object, by, does };
  });
}

/** Deleting a mirror pod stops nothing. Pods on deleted Nodes are left out. */
function staticPods({ stage, plan }: Findings): Warning[] {
  const nodesGone = new Set(
    plan.deleted.flatMap(({ object }) => (object.kind === 'Node' ? object.name : [])),
  );
  const mirrors = (effects: readonly Effect[]) =>
    beforeEffects(stage, effects).flatMap(({ object, before }) => {
      if (!isMirrorPod(before)) return [];
      const node = putBack.node(before);
      return nodesGone.has(node) ? [] : { object, node };
    });
  const kept = mirrors(plan.terminating);
  const pods = [...mirrors(plan.deleted), ...kept];
  if (pods.length === 0) return [];
  const nodes = [...new Set(pods.map(({ node }) => node))].sort(compareBytes);
  return [{ code: 'staticPods', pods: pods.map(({ object }) => object), nodes, kept: kept.length }];
}

function isEviction({ subresource }: Run['log'][number]): boolean {
  return subresource === 'eviction';
}

/** Only evictions respect PodDisruptionBudgets, but users expect deletions to do so. */
function budgetsPassedOver({ stage, run, plan }: Findings): Warning[] {
  const { graph, catalog } = stage.view;
  const { verb } = plan.action;
  const deletes =
    verb === 'delete' || verb === 'uninstall' || (verb === 'drain' && !run.log.some(isEviction));
  const type = catalog.preferredOf({ group: 'policy', resource: 'poddisruptionbudgets' });
  if (!deletes || type === undefined) return [];
  const tight = [...graph.ofType(type)].filter(({ object }) => letsNothingGo(object?.facts));
  if (tight.length === 0) return [];
  const asked = new Set<GraphNode>();
  let pods = 0;
  for (const { object, anyway } of plan.deleted) {
    const pod = anyway ? undefined : graph.get(object.uid)?.object;
    if (pod === undefined || podFacts(pod) === undefined || objectState.isFinished(pod)) continue;
    const holding = tight.filter(
      budget =>
        budget.identity.namespace === pod.namespace &&
        budget.object?.facts?.kind === 'PodDisruptionBudget' &&
        labelRules.selects(budget.object.facts.selector, pod.labels),
    );
    if (holding.length > 0) pods += 1;
    for (const budget of holding) asked.add(budget);
  }
  if (pods === 0) return [];
  return [{ code: 'budgetsPassedOver', budgets: [...asked].map(({ identity }) => identity), pods }];
}

/** Tokens have no owner reference, so the collector leaves them. */
function tokensDeleted({ stage, plan }: Findings): Warning[] {
  const { graph, catalog } = stage.view;
  const type = catalog.preferredOf({ group: '', resource: 'secrets' });
  if (type === undefined) return [];
  const gone = new Set(plan.deleted.map(({ object }) => object.uid));
  const secrets: Identity[] = [];
  const accounts: Identity[] = [];
  for (const { object: account, anyway } of plan.deleted) {
    if (anyway || account.kind !== 'ServiceAccount' || account.apiVersion !== 'v1') continue;
    const tokens = [...graph.inNamespace(type, account.namespace)].filter(
      ({ uid, object }) => object !== undefined && !gone.has(uid) && mayBeTokenOf(object, account),
    );
    if (tokens.length > 0) accounts.push(account);
    secrets.push(...tokens.map(({ identity }) => identity));
  }
  secrets.sort((a, b) => compareBytes(a.name, b.name));
  return secrets.length === 0 ? [] : [{ code: 'tokensDeleted', secrets, accounts }];
}

function connection({ connection }: ClusterView): Warning[] {
  if (!Connection.isBehind(connection)) return [];
  return [{ code: 'outdated', reason: connection.state === 'lost' ? connection.reason : undefined }];
}

function blindSpots(view: ClusterView): Warning[] {
  if (view.complete) return [];
  const spots = view.blindSpots();
  if (spots.length === 0) return [{ code: 'notListedYet' }];
  const kinds = spots.filter(spot => !BlindSpot.isOfFiles(spot));
  return [
    ...(kinds.length === 0 ? [] : [{ code: 'unseenKinds' as const, kinds }]),
    ...(kinds.length === spots.length ? [] : [{ code: 'notInFiles' as const }]),
  ];
}

/** The collector counts dependents in any namespace, even if their reference is invalid; one may block the owner. */
function otherNamespaces({ stage, run, ends }: Findings): Warning[] {
  const { scope } = stage.view;
  if (scope === undefined) return [];
  const waits =
    run.log.some(({ after }) => after !== undefined && objectDeletion.isForeground(after)) ||
    ends.values().some(({ before }) => before !== undefined && objectDeletion.isForeground(before));
  return waits ? [{ code: 'otherNamespaces', namespaces: scope.namespaces }] : [];
}

/** A cluster-scoped object may own dependents in any namespace. */
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

function unseenOwners({ stage, ends, plan }: Findings): Warning[] {
  const { base, unseen, view } = stage;
  if (unseen.length === 0) return [];
  const found = new Set([...view.absences.found()].map(({ uid }) => uid));
  const held = [...concernedBy(stage, ends.keys(), plan)].flatMap(uid => {
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

function hiddenContent({ stage: { base, view }, plan }: Findings): Warning[] {
  return plan.deleted.flatMap(({ object }) => {
    const { uid, name } = object;
    const before = BuiltInKind.of(object) === 'Namespace' ? base.byUid(uid) : undefined;
    if (before?.deletionTimestamp === undefined || isEmptied(before)) return [];
    const resources = unseenContent(view, before);
    return resources.length === 0 ? [] : [{ code: 'unseenContent' as const, namespace: name, resources }];
  });
}

/** Its controller has finished with it. */
function isEmptied({ facts }: KubeObject): boolean {
  return facts?.kind === 'Namespace' && !facts.specFinalizers.includes(specialStores.namespaceFinalizer);
}

/** Finds owners and nodes that are assumed absent without a look-up. */
function assumedAbsent({ stage, ends, plan }: Findings): Warning[] {
  const { base, view } = stage;
  if (view.settings.listsMayLag !== true) return [];
  const lost: Warning[] = [];
  const nodes = new Map<string, boolean>();
  const { deleted, terminating, changed } = plan;
  const own = [...Forecast.own(deleted), ...Forecast.own(terminating), ...Forecast.own(changed)];
  const uids = own.map(({ object }) => object.uid);
  const ownConcerned = concernedBy(stage, uids, plan);
  for (const uid of concernedBy(stage, ends.keys(), plan)) {
    const anyway = !ownConcerned.has(uid);
    const node = base.graph.get(uid);
    const object = node?.object;
    if (node === undefined || object === undefined) continue;
    for (const reference of object.owners) {
      const { absent, certainty } = OwnerStanding.of(view, node, reference);
      if (absent === undefined || certainty === 'exact') continue;
      const absence = view.absences.of(absent);
      lost.push({ code: 'unconfirmedAbsence', object: node.identity, absent: reference, absence, anyway });
    }
    const nodeName = podFacts(object)?.nodeName ?? '';
    if (nodeName !== '') nodes.set(nodeName, anyway && nodes.get(nodeName) !== false);
  }
  for (const [name, anyway] of nodes) {
    const absence = doubtOnNode(view, name);
    if (absence === undefined) continue;
    lost.push({
      code: 'unconfirmedAbsence',
      object: undefined,
      absent: { kind: 'Node', name },
      absence,
      anyway,
    });
  }
  return lost;
}

function doubtOnNode(view: ClusterView, name: string): Absence | undefined {
  const type = view.catalog.resolveKind('v1', 'Node');
  if (type === undefined || !view.seesAt(type, '', name) || view.find(type, '', name) !== undefined)
    return undefined;
  const absence = view.absences.of(podGcNodes.lookUp(name));
  return absence.state === 'confirmed' ? undefined : absence;
}

function concernedBy(stage: Stage, affected: Iterable<Uid>, plan: Findings['plan']): Set<Uid> {
  const acted = [...affected, ...plan.action.targets.map(({ uid }) => uid)];
  const concerned = new Set<Uid>(acted);
  for (const uid of acted) for (const each of stage.base.ownedBy(uid)) concerned.add(each.uid);
  return concerned;
}

function collector({ overdue, stage }: Findings): Warning[] {
  return overdue === undefined || stage.fresh
    ? []
    : [{ code: 'collectorBehind', object: identityOfObject(overdue) }];
}

/** A restart implies a running manager. */
function manager({ stage, plan }: Findings): Warning[] {
  if (stage.fresh || plan.action.verb === 'none') return [];
  const silent = managerSigns.silent(stage.view, stage.now);
  if (silent !== undefined) return [{ code: 'managerSilent', renewedAt: silent.renewedAt }];
  const off = managerSigns.collectorSwitchedOff(stage.view, knownControlPlanePods(stage.view));
  return off === undefined ? [] : [{ code: 'collectorOff', flag: off.flag }];
}

/** Returns only pods already read. */
function knownControlPlanePods({ catalog, graph }: ClusterView): readonly KubeObject[] {
  const type = catalog.resolveKind('v1', 'Pod');
  const nodes = type === undefined ? [] : [...graph.inNamespace(type, 'kube-system')];
  return nodes.flatMap(({ object }) => object ?? []);
}

function timing({ plan, contested }: Findings): Warning[] {
  const { timingDependent, ordersTried: orders, drain } = plan;
  const objects = timingDependent.filter(
    ({ mayNotEnd, object, anyway }) => !anyway && !mayNotEnd && !Forecast.isContended({ drain }, object),
  ).length;
  if (orders === 0 && contested > 0) return [{ code: 'ordersNotTried', objects: contested }];
  return objects === 0 ? [] : [{ code: 'timingDependent', objects, orders }];
}

function reclaimed({ stage, run, ends, plan }: Findings): Warning[] {
  const volumeType = stage.view.catalog.resolveKind('v1', 'PersistentVolume');
  if (volumeType === undefined) return [];
  /** Returns the name of the claim's volume if the data on it is deleted with the claim. */
  const volumeOf = ({ kind, apiVersion, namespace, name: claim, uid }: Identity): string | undefined => {
    if (kind !== 'PersistentVolumeClaim' || apiVersion !== 'v1') return undefined;
    const facts = stage.base.byUid(uid)?.facts;
    const name = facts?.kind === 'PersistentVolumeClaim' ? facts.volumeName : '';
    const before = name === '' ? undefined : stage.base.find(volumeType, '', name);
    // The action may have changed its policy first.
    const volume = (before && run.store.byUid(before.uid))?.facts;
    if (volume?.kind !== 'PersistentVolume' || volume.reclaimPolicy !== 'Delete') return undefined;
    return volume.claimNamespace === namespace && volume.claimName === claim ? name : undefined;
  };
  const now = plan.deleted.flatMap(({ object }) => volumeOf(object) ?? []);
  const later = plan.terminating.flatMap(({ object, anyway }) => {
    const volume = anyway ? undefined : volumeOf(object);
    return volume === undefined ? [] : [{ claim: object, volume }];
  });
  const kept = [...ends.values()].flatMap(({ before, after }) => {
    const [was, is] = [before?.facts, after?.facts];
    if (was?.kind !== 'PersistentVolume' || is?.kind !== 'PersistentVolume') return [];
    const isMoved = was.claimUid !== '' && is.claimUid !== '' && is.claimUid !== was.claimUid;
    const claim = isMoved ? run.store.byUid(is.claimUid as Uid) : undefined;
    return before === undefined || claim === undefined
      ? []
      : [{ claim: identityOfObject(claim), volume: before.name }];
  });
  const ofClaims = (
    code: 'dataKept' | 'dataDeletedLater',
    pairs: readonly { readonly claim: Identity; readonly volume: string }[],
  ): Warning[] =>
    pairs.length === 0
      ? []
      : [{ code, claims: pairs.map(({ claim }) => claim), volumes: pairs.map(({ volume }) => volume) }];
  return [
    ...ofClaims('dataKept', kept),
    ...(now.length === 0 ? [] : [{ code: 'dataDeleted', volumes: now } as const]),
    ...ofClaims('dataDeletedLater', later),
  ];
}

/** Unknown controllers may recreate their deleted dependents. */
function controllersLeft({ stage, ends, plan }: Findings): Warning[] {
  const left = plan.deleted.flatMap(({ object }) => {
    const before = stage.base.byUid(object.uid);
    const owner = before && controllerOf(before);
    if (before === undefined || owner === undefined) return [];
    const end = ends.get(owner.uid);
    const survives = end === undefined ? stage.base.byUid(owner.uid) !== undefined : end.after !== undefined;
    const isKnown = isModelled(owner) || putBack.actor(before) !== undefined;
    const known = isKnown && !stage.base.isAssumed(owner.uid);
    return known || !survives || end?.after?.deletionTimestamp !== undefined ? [] : { owner, child: object };
  });
  const kinds = Map.groupBy(left, ({ owner: { apiVersion, kind } }) => `${apiVersion}/${kind}`);
  return [...kinds.values()].flatMap(([first, ...others]) =>
    first === undefined ? [] : { code: 'unknownController', ...first, others: others.length },
  );
}

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

export function admissionTypes({ catalog }: ClusterView): ResourceType[] {
  return admissionKinds.configurations({
    type: (group, resource) => catalog.preferredOf({ group, resource }),
  });
}

function admission({ run, doubtsAnyway }: Findings): Warning[] {
  const isAnyway = ([key, { uids }]: readonly [string, AdmissionDoubt]): boolean =>
    uids.isSubsetOf(doubtsAnyway?.get(key)?.uids ?? new Set());
  const doubts = Map.groupBy(run.doubts, ([, doubt]) => objectionKey(doubt));
  const found = [...doubts.values()].flatMap((alike): Warning<'admission'>[] => {
    const [objection] = alike.map(([, doubt]) => doubt.objection);
    if (objection === undefined) return [];
    const { because } = objection;
    const requests = alike.map(([, { operation, object }]) => ({
      operation,
      object: identityOfObject(object),
    }));
    const anyway = alike.every(isAnyway);
    return [{ code: 'admission', by: refusedBy(objection), requests, because, anyway }];
  });
  return found.sort((a, b) => compareBytes(a.by.kind, b.by.kind) || compareBytes(a.by.name, b.by.name));
}

function objectionKey({ objection: { configuration, webhook, because } }: AdmissionDoubt): string {
  return [configuration.uid, webhook, because].join(' ');
}

/** Groups refused creations by kind and refusal. */
function creations({ run }: Findings): Warning[] {
  const found = new Map<string, Warning<'creationRefused'>>();
  for (const { verb, type, objection } of run.log) {
    if (verb !== 'create' || objection === undefined) continue;
    const by = refusedBy(objection);
    found.set(`${type.kind} ${by.kind} ${by.name} ${by.webhook}`, {
      code: 'creationRefused',
      kind: type.kind,
      by,
      because: objection.because,
    });
  }
  return [...found.values()];
}
