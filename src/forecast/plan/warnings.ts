/** What a forecast cannot know, said in sentences: each names the kind or object that it is about. */
import { ownerStanding } from '../../collector/verdict.ts';
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { Absence } from '../../graph/index/absences.ts';
import { compareBytes } from '../../graph/node.ts';
import { isBehind, NOT_IN_FILES } from '../../model/exchange/changes.ts';
import { controllerOf, type KubeObject, namespacedName, podFacts, type Uid } from '../../model/object.ts';
import { asShown, prose, shownName } from '../../model/text/shown.ts';
import { nodeLookUp } from '../../podgc/passes/missing-nodes.ts';
import { TAINT_EVICTION } from '../../simulation/controllers/pods/taint-eviction.ts';
import type { End, Run, Stage } from '../run.ts';
import { isModelled } from './outcome.ts';
import type { Forecast } from './plan.ts';

const NAMED = 5;

export interface Findings {
  readonly stage: Stage;
  readonly run: Run;
  readonly ends: ReadonlyMap<Uid, End>;
  readonly plan: Pick<Forecast, 'deleted' | 'changed' | 'timingDependent' | 'ordersTried' | 'action'>;
  /** Objects whose end other orders of work could change. */
  readonly contested: number;
  /** A deletion that a running collector would have finished. */
  readonly overdue: KubeObject | undefined;
}

export function warningsOf(findings: Findings): string[] {
  const { stage, run } = findings;
  return [
    ...refusals(run),
    ...connection(stage.view),
    ...blindSpots(stage.view),
    ...polled(stage.view),
    ...unseenOwners(findings),
    ...assumedAbsent(findings),
    ...collector(findings),
    ...timing(findings),
    ...evictions(findings),
    ...reclaimed(findings),
    ...controllersLeft(findings),
    ...orphanedWorkloads(findings),
    ...admission(findings),
    ...flapping(run),
    ...(run.end === 'limit'
      ? ['The forecast never came to rest: something is created and deleted again and again.']
      : []),
  ];
}

/** Pods that have to leave their nodes later on: what of that no object tells. */
function evictions({ stage, run }: Findings): string[] {
  const nodes = new Set<string>();
  for (const { actor, verb, at, before } of run.log) {
    if (actor !== TAINT_EVICTION || verb !== 'delete' || at <= stage.now) continue;
    const nodeName = before === undefined ? undefined : podFacts(before)?.nodeName;
    if (nodeName !== undefined) nodes.add(nodeName);
  }
  if (nodes.size === 0) return [];
  const [one] = nodes;
  const named = nodes.size === 1 ? `node ${one ?? ''}` : `nodes ${list([...nodes].sort(compareBytes))}`;
  const those = nodes.size === 1 ? 'it stays' : 'they stay';
  const began = stage.fresh
    ? 'Their time is counted from the start of kube-controller-manager.'
    : 'Their time is counted from when the taint was added; a kube-controller-manager that started later counts from its start.';
  return [
    `Pods are evicted from ${named} as if ${those} tainted; pods stay where the taint goes in time. ${began}`,
  ];
}

function refusals({ answers }: Run): string[] {
  const messages = new Set<string>();
  for (const answer of answers)
    if (!answer.ok) messages.add(`Refused (${answer.status}): ${answer.message}.`);
  return [...messages];
}

function connection({ connection }: ClusterView): string[] {
  if (!isBehind(connection)) return [];
  const why =
    connection.state === 'lost'
      ? `The connection is lost (${connection.reason})`
      : 'The cluster is being read again';
  return [`${why}: this is a forecast for the state last seen.`];
}

function blindSpots(view: ClusterView): string[] {
  if (view.complete) return [];
  const spots = view.blindSpots();
  if (spots.length === 0) return ['Not everything has been listed yet: the forecast is for what is known.'];
  const refused = spots.filter(({ reason }) => reason !== NOT_IN_FILES);
  const groups = [...Map.groupBy(refused, ({ reason }) => reason)].map(
    ([reason, alike]) => `${list(alike.map(({ resource }) => resource))} (${reason})`,
  );
  return [
    ...(refused.length === 0
      ? []
      : [
          `Assumed, because these cannot be seen: ${list(groups)}. Dependents among them are not in this forecast, and owners among them are taken to exist.`,
        ]),
    ...(refused.length === spots.length
      ? []
      : [
          'Assumed: dependents that are not in the files are not in this forecast, and owners that are not in them are taken to exist.',
        ]),
  ];
}

function polled(view: ClusterView): string[] {
  const kinds = view.polled().map(({ resource }) => resource);
  return kinds.length === 0
    ? []
    : [
        `The forecast is for what these kinds were up to a minute ago, because they cannot be watched: ${list(kinds)}.`,
      ];
}

/** Which objects stay only because an owner that nobody could see is taken to exist. */
function unseenOwners({ stage, ends, plan }: Findings): string[] {
  const { base, unseen, view } = stage;
  if (unseen.length === 0) return [];
  const found = new Set([...view.absences.found()].map(({ uid }) => uid));
  /** By the owner as references to it name it. */
  const kept = new Map<string, KubeObject[]>();
  for (const uid of concernedBy(stage, ends, plan)) {
    const object = base.byUid(uid);
    for (const reference of object?.owners ?? []) {
      if (object === undefined || !base.isAssumed(reference.uid)) continue;
      const why = found.has(reference.uid) ? "isn't listed yet" : 'cannot be seen';
      const { kind, name } = asShown(reference);
      const owner = `${kind} ${name}, which ${why}`;
      const others = kept.get(owner);
      if (others === undefined) kept.set(owner, [object]);
      else if (!others.includes(object)) others.push(object);
    }
  }
  const warnings = [...kept].map(([owner, objects]) => {
    const [first] = objects.sort((a, b) => compareBytes(namespacedName(a), namespacedName(b)));
    const more = objects.length > 1 ? ` and ${objects.length - 1} more` : '';
    return `${first === undefined ? '' : named(first)}${more} is taken to be held by its owner ${owner}.`;
  });
  return limited(warnings.sort());
}

/** What the forecast rests on and no look-up has confirmed: owners and nodes that no list holds. */
function assumedAbsent({ stage, ends, plan }: Findings): string[] {
  const { base, view } = stage;
  if (view.settings.listsMayLag !== true) return [];
  const lost = new Map<string, string>();
  for (const uid of concernedBy(stage, ends, plan)) {
    const node = base.graph.get(uid);
    const object = node?.object;
    if (node === undefined || object === undefined) continue;
    for (const reference of object.owners) {
      const { absent, certainty } = ownerStanding(view, node, reference);
      if (absent === undefined || certainty === 'exact') continue;
      const owner = `${shownName(reference.kind)} ${shownName(reference.name)}`;
      const why = doubt(view.absences.of(absent));
      lost.set(
        `${uid} ${owner}`,
        `${named(object)} is taken to have lost its owner ${owner}, which isn't among what was listed: ${why}.`,
      );
    }
    const nodeName = podFacts(object)?.nodeName ?? '';
    if (nodeName === '') continue;
    const why = doubtOnNode(view, nodeName);
    if (why !== undefined)
      lost.set(
        nodeName,
        `Node ${shownName(nodeName)} is taken to be gone, as it isn't among what was listed: ${why}.`,
      );
  }
  return limited([...lost.values()].sort());
}

function doubtOnNode(view: ClusterView, name: string): string | undefined {
  const type = view.catalog.resolveKind('v1', 'Node');
  if (type === undefined || !view.sees(type, '') || view.graph.find(type, '', name) !== undefined)
    return undefined;
  const absence = view.absences.of(nodeLookUp(name));
  return absence.state === 'confirmed' ? undefined : doubt(absence);
}

function doubt(absence: Absence): string {
  if (absence.state === 'found') return 'a look-up has found it';
  return absence.state === 'assumed' && absence.reason !== undefined
    ? `a look-up couldn't tell (${prose(absence.reason)})`
    : 'no look-up has confirmed that';
}

function concernedBy(stage: Stage, ends: Findings['ends'], plan: Findings['plan']): Set<Uid> {
  const acted = [...ends.keys(), ...plan.action.targets.map(({ uid }) => uid)];
  const concerned = new Set<Uid>(acted);
  for (const uid of acted) for (const each of stage.base.ownedBy(uid)) concerned.add(each.uid);
  return concerned;
}

function collector({ overdue, stage }: Findings): string[] {
  if (overdue === undefined || stage.fresh) return [];
  return [
    `The garbage collector seems not to be running, or far behind: ${named(overdue)} waits for it alone. The forecast takes it to work on.`,
  ];
}

function timing({ plan, contested }: Findings): string[] {
  const differing = plan.timingDependent.length;
  if (contested === 0 && differing === 0) return [];
  if (plan.ordersTried === 0 && contested > 0) {
    return [`The end may depend on timing for ${contested} objects, too many to try other orders of work.`];
  }
  if (differing > 0) {
    return [
      `The end depends on timing for ${differing === 1 ? 'one object' : `${differing} objects`}; ${plan.ordersTried} orders of work were tried, there are more.`,
    ];
  }
  return [];
}

/** Volumes whose data goes with a claim. */
function reclaimed({ stage, plan }: Findings): string[] {
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
  if (volumes.length === 0) return [];
  return [
    `The data goes too: ${list(volumes)} ${volumes.length === 1 ? 'has' : 'have'} the reclaim policy Delete, so the storage driver deletes what is behind the claim.`,
  ];
}

/** Workloads that never come to rest: one round of what they do is in the forecast. */
function flapping(run: Run): string[] {
  return limited(
    run.flapping.map(
      ({ owner, child, because }) => `${named(owner)} creates ${child}s without end: ${because}.`,
    ),
  );
}

/** Owners whose controllers nobody knows may make anew what goes below them. */
function controllersLeft({ stage, ends, plan }: Findings): string[] {
  const byKind = new Map<string, { readonly owner: string; readonly child: string; count: number }>();
  for (const { object } of plan.deleted) {
    const before = stage.base.byUid(object.uid);
    const owner = before && controllerOf(before);
    if (before === undefined || owner === undefined) continue;
    const kind = `${owner.apiVersion}/${owner.kind}`;
    const end = ends.get(owner.uid);
    const survives = end === undefined ? stage.base.byUid(owner.uid) !== undefined : end.after !== undefined;
    const known = isModelled(owner) && !stage.base.isAssumed(owner.uid);
    if (known || !survives || end?.after?.deletionTimestamp !== undefined) continue;
    const group = byKind.get(kind);
    if (group !== undefined) group.count++;
    else byKind.set(kind, { owner: `${owner.kind} ${owner.name}`, child: named(before), count: 1 });
  }
  return limited(
    [...byKind.values()].map(
      ({ owner, child, count }) =>
        `${owner} may create ${child}${count > 1 ? ` and ${count - 1} more` : ''} anew: what its controller does isn't known.`,
    ),
  );
}

/** Workloads that go on without the one that ruled them. */
function orphanedWorkloads({ stage, ends, plan }: Findings): string[] {
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
  return [...kinds].map(
    ([kind, owner]) =>
      `A ${kind} without a ${owner} keeps re-creating its ${kind === 'Job' || kind === 'ReplicaSet' ? 'pods' : 'dependents'}. To stop them, delete the ${kind}.`,
  );
}

const admissionKinds: readonly (readonly [string, string])[] = [
  ['admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration'],
  ['admissionregistration.k8s.io/v1', 'MutatingWebhookConfiguration'],
  ['admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding'],
];

function admission({ stage, plan }: Findings): string[] {
  if (plan.deleted.length === 0 && plan.changed.length === 0) return [];
  const names: string[] = [];
  for (const [apiVersion, kind] of admissionKinds) {
    const type = stage.view.catalog.resolveKind(apiVersion, kind);
    if (type === undefined) continue;
    for (const { name } of stage.base.list(type, '')) names.push(`${kind} ${name}`);
  }
  if (names.length === 0) return [];
  return [`Admission could refuse requests, which isn't forecast: ${list(names.sort())}.`];
}

function named(object: KubeObject): string {
  return `${object.type.kind} ${namespacedName(object)}`;
}

function list(words: readonly string[]): string {
  const shown = words.slice(0, NAMED).join(', ');
  return words.length > NAMED ? `${shown} and ${words.length - NAMED} more` : shown;
}

function limited(warnings: readonly string[]): string[] {
  if (warnings.length <= NAMED) return [...warnings];
  return [...warnings.slice(0, NAMED), `${warnings.length - NAMED} more warnings of this kind.`];
}
