/**
 * Actors on an object apart from its owners: scalers, budgets and evictors, and controllers that delete it with another
 * object. Sources (v1.36): pkg/controller/podautoscaler/horizontal.go; pkg/registry/core/pod/storage/eviction.go, which
 * only evictions go through; pkg/controller/endpoint/endpoints_controller.go (syncService); tokens_controller.go in
 * pkg/controller/serviceaccount. Descheduler: defaultevictor.go in pkg/framework/plugins/defaultevictor (v0.34).
 */
import { type ClusterView, type GraphNode, type Identity, identityOfObject } from '../../graph/index.ts';
import {
  controllerKindOf,
  controllerOf,
  isMirrorPod,
  type KubeObject,
  Labels,
  labelRules,
  letsNothingGo,
  nodeFacts,
  objectState,
  objectTitle,
  objectTitleIn,
  ownEntry,
  podFacts,
  shownName,
  type Uid,
  workloadFacts,
} from '../../model/index.ts';
import { putBack } from '../../simulation/index.ts';

export interface ActsToo {
  readonly object: Identity;
  /** `deletedWith`: a controller deletes the object when `object` is deleted. `recreates`: `object` is the object itself. */
  readonly effect: 'scales' | 'holdsEviction' | 'evicts' | 'deletedWith' | 'recreates';
  readonly words: string;
}

const MOST_OWNERS = 20;

export function contextOf(view: ClusterView, { object }: GraphNode): readonly ActsToo[] {
  if (object === undefined || object.deletionTimestamp !== undefined) return [];
  return [
    ...scaled(view, object),
    ...budgets(view, object),
    ...evicted(view, object),
    ...marked(view, object),
    ...deletedWith(view, object),
    ...recreated(view, object),
  ];
}

function* inNamespace(
  view: ClusterView,
  resource: string,
  group: string,
  namespace: string,
): Iterable<GraphNode> {
  const type = view.catalog.preferredOf({ resource, group });
  if (type !== undefined && namespace !== '') yield* view.graph.inNamespace(type, namespace);
}

/** Covers a workload, or a pod's workload. */
function* scaled(view: ClusterView, object: KubeObject): Iterable<ActsToo> {
  for (const { identity, object: scaler } of inNamespace(
    view,
    'horizontalpodautoscalers',
    'autoscaling',
    object.namespace,
  )) {
    if (scaler?.facts?.kind !== 'HorizontalPodAutoscaler' || scaler.deletionTimestamp !== undefined) continue;
    const { target, minReplicas, maxReplicas } = scaler.facts;
    const workload = controllersOf(view, object).find(
      ({ type, name }) =>
        type.kind === target.kind && name === target.name && type.group === groupOf(target.apiVersion),
    );
    // A target scaled to zero has autoscaling off.
    if (workload === undefined || workloadFacts(workload)?.desired === 0) continue;
    const owner = controllerOf(scaler);
    const keda =
      owner?.apiVersion.startsWith('keda.sh/') === true ? `, for ${owner.kind} ${owner.name} of KEDA` : '';
    const which =
      workload.uid === object.uid ? 'its replicas' : `the replicas of ${workload.type.kind} ${workload.name}`;
    yield {
      object: identity,
      effect: 'scales',
      words: `HorizontalPodAutoscaler ${scaler.name} sets ${which}, ${minReplicas} to ${maxReplicas}${keda}: pods come and go with the load, and a number set by hand does not last unless it is 0.`,
    };
  }
}

function controllersOf(view: ClusterView, object: KubeObject): readonly KubeObject[] {
  const found = [object];
  for (let at = controllerOf(object); at !== undefined && found.length < MOST_OWNERS; ) {
    const next = view.graph.get(at.uid)?.object;
    if (next === undefined) break;
    found.push(next);
    at = controllerOf(next);
  }
  return found;
}

function groupOf(apiVersion: string): string {
  const slash = apiVersion.indexOf('/');
  return slash < 0 ? '' : apiVersion.slice(0, slash);
}

/** Yields budgets that allow no eviction now. */
function* budgets(view: ClusterView, object: KubeObject): Iterable<ActsToo> {
  const isPod = podFacts(object) !== undefined;
  const labels = isPod ? object.labels : workloadFacts(object)?.templateLabels;
  if (labels === undefined || labels.length === 0 || (isPod && objectState.isFinished(object))) return;
  for (const { identity, object: budget } of inNamespace(
    view,
    'poddisruptionbudgets',
    'policy',
    object.namespace,
  )) {
    const facts = budget?.facts;
    if (budget === undefined || !letsNothingGo(facts) || !labelRules.selects(facts.selector, labels))
      continue;
    const { currentHealthy, expectedPods, desiredHealthy } = facts;
    const what = isPod ? 'it' : 'its pods';
    yield {
      object: identity,
      effect: 'holdsEviction',
      words: `PodDisruptionBudget ${budget.name} does not let ${what} be evicted now (${currentHealthy} of ${expectedPods} healthy, ${desiredHealthy} wanted): a drain waits for that, a deletion does not.`,
    };
  }
}

/** Tools by the taint they set on a node they are about to remove. */
const removers: Readonly<Record<string, string>> = {
  ToBeDeletedByClusterAutoscaler: 'Cluster Autoscaler',
  'karpenter.sh/disrupted': 'Karpenter',
  'karpenter.sh/disruption': 'Karpenter',
};

function* evicted(view: ClusterView, pod: KubeObject): Iterable<ActsToo> {
  const name = podFacts(pod)?.nodeName ?? '';
  const nodes = view.catalog.preferredOf({ group: '', resource: 'nodes' });
  const node = name === '' || nodes === undefined ? undefined : view.graph.find(nodes, '', name);
  const taints = node?.object && nodeFacts(node.object)?.taints;
  // A DaemonSet's pod is deleted with its node, and isn't recreated elsewhere.
  if (
    node === undefined ||
    taints === undefined ||
    objectState.isFinished(pod) ||
    controllerKindOf(pod) === 'DaemonSet'
  )
    return;
  const taint = taints.find(({ key }) => ownEntry(removers, key) !== undefined);
  const remover = taint && ownEntry(removers, taint.key);
  if (taint === undefined || remover === undefined) return;
  yield {
    object: node.identity,
    effect: 'evicts',
    words: `${remover} is removing node ${name} (taint ${taint.key}) and may evict it.`,
  };
}

const EVICT = 'descheduler.alpha.kubernetes.io/evict';

/** Pod annotations that keep node-draining tools away; a deletion ignores them. */
const sparing: readonly { readonly key: string; readonly value: string; readonly who: string }[] = [
  { key: 'cluster-autoscaler.kubernetes.io/safe-to-evict', value: 'false', who: 'Cluster Autoscaler' },
  { key: 'karpenter.sh/do-not-disrupt', value: 'true', who: 'Karpenter' },
];

function* marked(view: ClusterView, pod: KubeObject): Iterable<ActsToo> {
  if (podFacts(pod) === undefined || objectState.isFinished(pod)) return;
  const own = identityOfObject(pod);
  for (const { key, value, who } of sparing)
    if (Labels.value(pod.annotations, key) === value)
      yield {
        object: own,
        effect: 'holdsEviction',
        words: `${who} removes no node for which it would have to evict it (annotation ${key}: ${value}); a deletion and kubectl drain pass that over.`,
      };
  if (Labels.value(pod.annotations, EVICT) === undefined) return;
  const descheduler = deschedulerIn(view);
  yield {
    object: descheduler?.identity ?? own,
    effect: 'evicts',
    words: `${descheduler === undefined ? 'A descheduler' : objectTitle(descheduler.identity)} may evict it, even if it would otherwise spare such a pod (annotation ${EVICT}).`,
  };
}

function deschedulerIn(view: ClusterView): GraphNode | undefined {
  for (const [group, resource] of [
    ['apps', 'deployments'],
    ['batch', 'cronjobs'],
  ] as const) {
    const type = view.catalog.preferredOf({ group, resource });
    for (const node of type === undefined ? [] : view.graph.ofType(type))
      if (node.object?.name === 'descheduler') return node;
  }
  return undefined;
}

const TOKEN_OF = 'kubernetes.io/service-account.name';
const TOKEN_OF_UID = 'kubernetes.io/service-account.uid';

function* deletedWith(view: ClusterView, object: KubeObject): Iterable<ActsToo> {
  const { type, namespace, name, annotations, facts } = object;
  if (type.group !== '') return;
  const seen = (resource: string, named: string): GraphNode | undefined => {
    const kind = view.catalog.preferredOf({ group: '', resource });
    return kind && view.graph.find(kind, namespace, named);
  };
  const claim =
    facts?.kind === 'PersistentVolume' && facts.reclaimPolicy === 'Delete'
      ? view.graph.get(facts.claimUid as Uid)?.object
      : undefined;
  if (claim !== undefined)
    yield {
      object: identityOfObject(claim),
      effect: 'deletedWith',
      words: `It is deleted with ${objectTitle(claim)}, and so is its data, because its reclaim policy is Delete${claim.deletionTimestamp === undefined ? '' : ': that claim is being deleted already'}.`,
    };
  const service = type.kind === 'Endpoints' ? seen('services', name) : undefined;
  if (service !== undefined)
    yield {
      object: service.identity,
      effect: 'deletedWith',
      words: `The endpoints controller deletes it with ${objectTitleIn(service.identity, namespace)}, though that is not its owner.`,
    };
  const account = type.kind === 'Secret' ? Labels.value(annotations, TOKEN_OF) : undefined;
  const owner = account === undefined ? undefined : seen('serviceaccounts', account);
  if (owner === undefined || Labels.value(annotations, TOKEN_OF_UID) !== owner.uid) return;
  yield {
    object: owner.identity,
    effect: 'deletedWith',
    words: `The token controller deletes it with ${objectTitleIn(owner.identity, namespace)}, if its type is kubernetes.io/service-account-token; types of Secrets are not read.`,
  };
}

function* recreated(view: ClusterView, object: KubeObject): Iterable<ActsToo> {
  const row = putBack.in(view, object);
  if (row === undefined) return;
  const { by, after, afterRestart } = row;
  const soon = typeof after === 'number' && after >= 10_000 ? ` within ${after / 1000} s` : '';
  const restarted =
    afterRestart === undefined
      ? ''
      : `, but only ${afterRestart} if it has been restarted since it last changed it`;
  const words =
    typeof after === 'string'
      ? `If it is deleted, it is created again when ${after}.`
      : `If it is deleted, ${by} creates it again${soon}${restarted}.`;
  yield { object: identityOfObject(object), effect: 'recreates', words: `${words}${staticPod(object)}` };
}

function staticPod(pod: KubeObject): string {
  return isMirrorPod(pod)
    ? ` It mirrors a static pod: to stop that, remove its manifest from node ${shownName(putBack.node(pod))}.`
    : '';
}
