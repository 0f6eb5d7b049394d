/**
 * Creates a controller that is gone again, so that it adopts what survived it without a restart. A StatefulSet keeps
 * pods whose label names the ControllerRevision of its template, and adopts that revision (getStatefulSetRevisions and
 * processReplica in pkg/controller/statefulset/stateful_set_control.go); a Deployment keeps the ReplicaSet of its template
 * (FindNewReplicaSet in pkg/controller/deployment/util); a ReplicaSet compares labels and the number of pods alone (v1.36).
 */
import { type ApplicableRemedy, requestWords } from '../../forecast/index.ts';
import { isDeleting } from '../../graph/index.ts';
import {
  ActRequest,
  controllerOf,
  type JsonRecord,
  type KubeObject,
  Labels,
  labelRules,
  podFacts,
  statefulNames,
  workloadFacts,
} from '../../model/index.ts';
import { replicaSets, restRequests } from '../../simulation/index.ts';
import {
  type FormerOwner,
  namesakeOf,
  POD_INDEX,
  POD_NAME,
  REVISION_HASH,
  TEMPLATE_HASH,
} from '../cluster/former-owner.ts';
import { changedLabels, identifyingLabels, templateLabels } from '../cluster/label-signs.ts';
import { kindAndNames } from '../engine/kind-words.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { remedy } from './remedy-requests.ts';

interface Rebuilt {
  readonly labels?: Labels;
  /** Holds the pod template; survivors are compared with the first. */
  readonly from: readonly [KubeObject, ...KubeObject[]];
  readonly adopted: readonly KubeObject[];
  readonly spec: JsonRecord;
}

/**
 * Returns undefined unless the new controller creates and restarts nothing. `survivors` are all of the former owner; pods
 * of a StatefulSet in the order of their ordinals.
 */
export function adoptByNewOwner(
  tracked: TrackedView,
  former: FormerOwner,
  survivors: readonly KubeObject[],
): ApplicableRemedy | undefined {
  const type = tracked.type(former.apiVersion, former.kind);
  const namespace = survivors[0]?.namespace ?? '';
  const { object: namesake, seen } = namesakeOf(tracked, former, namespace);
  if (type === undefined || namesake !== undefined || !seen) return undefined;
  const rebuilt = rebuild(tracked, former, survivors);
  if (rebuilt === undefined) return undefined;
  const { apiVersion, kind, name } = former;
  const { labels, from, adopted, spec } = rebuilt;
  const metadata = { name, namespace, ...(labels !== undefined && { labels: labelsJson(labels) }) };
  const body = { apiVersion, kind, metadata, spec };
  const path = requestWords.objectPath({ type, namespace, name: '' });
  const contentType = 'application/json';
  const [{ uid: formerUid, type: source }] = from;
  const rebuiltFrom = {
    kind: source.kind as NonNullable<ActRequest['rebuiltFrom']>['kind'],
    names: from.map(each => each.name),
  };
  const newUid = ActRequest.newUid(formerUid);
  return remedy({
    id: `adopt/${kind.toLowerCase()}/${name}`,
    title: `create ${kind} ${name} again from ${kindAndNames(from.slice(0, 1))}: it adopts ${kindAndNames(adopted)}, and restarts none`,
    risk: 'caution',
    acts: [
      {
        request: { verb: 'POST', path, contentType, body, formerUid, rebuiltFrom },
        apply: api =>
          restRequests.play(
            api,
            { method: 'POST', path, contentType, body },
            { types: tracked.view.catalog.types, newUid },
          ),
      },
    ],
  });
}

function rebuild(
  tracked: TrackedView,
  former: FormerOwner,
  survivors: readonly KubeObject[],
): Rebuilt | undefined {
  switch (former.kind) {
    case 'StatefulSet':
      return statefulSet(tracked, former, survivors);
    case 'Deployment':
      return deployment(tracked, survivors);
    case 'ReplicaSet':
      return replicaSet(tracked, survivors);
    case 'DaemonSet':
    case 'Job':
      return undefined;
  }
}

/** Requires one revision that nothing controls, its labels on all pods, and ordinals without a gap. */
function statefulSet(
  tracked: TrackedView,
  former: FormerOwner,
  pods: readonly KubeObject[],
): Rebuilt | undefined {
  const [first] = pods;
  const revision = commonRevision(tracked, former, pods);
  if (first === undefined || revision === undefined) return undefined;
  const start = statefulNames.ordinal(first);
  if (!pods.every((pod, index) => statefulNames.ordinal(pod) === start + index)) return undefined;
  const labels = labelsJson(templateLabels(revision));
  const spec = {
    replicas: pods.length,
    ...(start > 0 && { ordinals: { start } }),
    selector: { matchLabels: labels },
    template: { metadata: { labels } },
    volumeClaimTemplates: claimTemplates(former.name, pods).map(each => ({ metadata: { name: each } })),
  };
  return { from: [revision], adopted: pods, spec };
}

/** The default of `revisionHistoryLimit`: a Deployment deletes older ReplicaSets that want no pods. */
const HISTORY_LIMIT = 10;

/** Requires that exactly one ReplicaSet wants pods; the Deployment would scale down any other. */
function deployment(tracked: TrackedView, sets: readonly KubeObject[]): Rebuilt | undefined {
  const wanting = sets.filter(set => workloadFacts(set)?.desired !== 0);
  const [current] = wanting;
  const facts = current && workloadFacts(current);
  if (current === undefined || facts?.selector === undefined || wanting.length > 1) return undefined;
  const selector = {
    ...facts.selector,
    matchLabels: labelRules.withoutLabel(facts.selector.matchLabels, TEMPLATE_HASH),
  };
  if (selector.matchLabels.length + selector.matchExpressions.length === 0) return undefined;
  const adopted = selectedBy(tracked, current, selector);
  if (adopted?.length !== sets.length || adopted.some(each => !sets.includes(each))) return undefined;
  const spec = {
    replicas: facts.desired,
    revisionHistoryLimit: Math.max(HISTORY_LIMIT, adopted.length),
    selector: {
      matchLabels: labelsJson(selector.matchLabels),
      ...(selector.matchExpressions.length > 0 && { matchExpressions: selector.matchExpressions }),
    },
    template: {
      metadata: { labels: labelsJson(labelRules.withoutLabel(facts.templateLabels, TEMPLATE_HASH)) },
    },
  };
  return { from: [current, ...sets.filter(each => each !== current)], adopted: sets, spec };
}

/** Labels of pods that no template of a ReplicaSet has: those of other controllers, and of the node (PodTopologyLabels, v1.35). */
const addedToPods: readonly string[] = [
  POD_INDEX,
  POD_NAME,
  REVISION_HASH,
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
];

/** Requires that no Deployment would adopt the ReplicaSet, because it might scale it down. */
function replicaSet(tracked: TrackedView, survivors: readonly KubeObject[]): Rebuilt | undefined {
  const [first, ...others] = survivors.filter(replicaSets.isActive);
  if (first === undefined) return undefined;
  const pods = [first, ...others] as const;
  const labels = addedToPods.reduce(labelRules.withoutLabel, commonLabels(pods));
  const matchLabels = identifyingLabels(labels, TEMPLATE_HASH);
  const selected = selectedBy(tracked, first, { matchLabels, matchExpressions: [] });
  const deployments = tracked.type('apps/v1', 'Deployment');
  if (selected === undefined || deployments === undefined || !tracked.sees(deployments, first.namespace))
    return undefined;
  if (selected.filter(replicaSets.isActive).some(each => !pods.includes(each))) return undefined;
  for (const each of tracked.list(deployments, first.namespace)) {
    const facts = workloadFacts(each);
    if (facts === undefined || labelRules.selects(facts.selector, labels)) return undefined;
  }
  const template = { metadata: { labels: labelsJson(labels) } };
  const spec = { replicas: pods.length, selector: { matchLabels: labelsJson(matchLabels) }, template };
  return { labels, from: pods, adopted: pods, spec };
}

/** Returns what a controller with this selector adopts; undefined if not all of the kind can be seen. */
function selectedBy(
  tracked: TrackedView,
  { type, namespace }: KubeObject,
  selector: Parameters<typeof labelRules.selects>[0],
): readonly KubeObject[] | undefined {
  if (!tracked.sees(type, namespace)) return undefined;
  return [...tracked.list(type, namespace)].filter(
    each =>
      controllerOf(each) === undefined && !isDeleting(each) && labelRules.selects(selector, each.labels),
  );
}

function commonLabels([first, ...others]: readonly [KubeObject, ...KubeObject[]]): Labels {
  const { labels } = first;
  return labels.filter((_, index) => {
    const key = labels[index - (index % 2)] ?? '';
    return others.every(each => Labels.value(each.labels, key) === Labels.value(labels, key));
  });
}

function commonRevision(
  tracked: TrackedView,
  former: FormerOwner,
  pods: readonly KubeObject[],
): KubeObject | undefined {
  const [first] = pods;
  const name = first && Labels.value(first.labels, REVISION_HASH);
  if (first === undefined || name === undefined) return undefined;
  const revision = tracked.findKind('apps/v1', 'ControllerRevision', first.namespace, name);
  if (revision === undefined || isDeleting(revision) || controllerOf(revision) !== undefined)
    return undefined;
  const isLike = (pod: KubeObject): boolean =>
    Labels.value(pod.labels, REVISION_HASH) === name && changedLabels(pod, former, revision) === undefined;
  return templateLabels(revision).length > 0 && pods.every(isLike) ? revision : undefined;
}

/** Returns the templates by whose names every pod has a claim: the controller writes to a pod that lacks one. */
function claimTemplates(set: string, pods: readonly KubeObject[]): string[] {
  const [first = new Set<string>(), ...others] = pods.map(pod => {
    const end = `-${set}-${statefulNames.ordinal(pod)}`;
    const claims = podFacts(pod)?.claims ?? [];
    return new Set(claims.filter(each => each.endsWith(end)).map(each => each.slice(0, -end.length)));
  });
  return [...first].filter(each => others.every(other => other.has(each)));
}

function labelsJson(labels: Labels): Readonly<Record<string, string>> {
  const entries: [string, string][] = [];
  for (let i = 0; i < labels.length; i += 2) entries.push([labels[i] ?? '', labels[i + 1] ?? '']);
  return Object.fromEntries(entries);
}
