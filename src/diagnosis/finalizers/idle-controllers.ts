/**
 * Finds controllers whose pods are ready and that do nothing: the object is paused, or none of the pods leads. Then no
 * pod renews their Lease (client-go tools/leaderelection, v1.36), or a pod that ended holds their lock (operator-lib
 * leader, v0.19).
 */
import { managerSigns } from '../../collector/index.ts';
import { patience, requestWords } from '../../forecast/index.ts';
import { isDeleting, objectDeletion } from '../../graph/index.ts';
import {
  isoTime,
  type KubeObject,
  labelRules,
  list,
  objectState,
  objectTitle,
  record,
  shownName,
  text,
  workloadFacts,
} from '../../model/index.ts';
import { type Advice, advice } from '../engine/finding.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import { type Handler, mayAct } from './handler.ts';

/** Marks a handler that seems to leave the object alone, because the object is paused. */
export function withPause(tracked: TrackedView, object: KubeObject, handler: Handler): Handler {
  const isSimulated = handler.entry?.controller.runsIn === 'control plane';
  const pause = mayAct(handler) && !isSimulated ? pauseOf(tracked, object) : undefined;
  if (pause === undefined) return handler;
  const { finalizer, evidence, name, workloads } = handler;
  const [workload] = workloads;
  const who = workload === undefined ? name : objectTitle(workload);
  const title = objectTitle(object);
  const end = `end the pause of ${title}: then ${who} does its work, and removes ${finalizer}`;
  return {
    ...handler,
    presence: 'unhealthy',
    toAct: { ...advice('end-pause', end, 'caution'), kubectl: pause.end.map(words => ({ words })) },
    words: `the object is paused (${pause.by}), and ${who} seems to leave it alone until that ends`,
    evidence: [...evidence, `${object.type.kind} ${object.name}: ${pause.by}`],
  };
}

interface Pause {
  readonly by: string;
  /** Commands that end it. */
  readonly end: readonly (readonly (string | undefined)[])[];
}

function pauseOf(tracked: TrackedView, object: KubeObject): Pause | undefined {
  const on = requestWords.onObject(tracked.view.catalog, object);
  const { annotations } = object;
  const key = annotations.find(
    (each, index) =>
      index % 2 === 0 &&
      each.endsWith('/paused') &&
      // Cluster API ignores the value.
      (annotations[index + 1] !== 'false' || each === 'cluster.x-k8s.io/paused'),
  );
  if (key !== undefined) return { by: `annotation ${key}`, end: [['kubectl', 'annotate', ...on, `${key}-`]] };
  const { spec, status } = tracked.content(object)?.json ?? {};
  if (record(spec)['paused'] === true) {
    const patch = '{"spec":{"paused":false}}';
    return { by: 'spec.paused: true', end: [['kubectl', 'patch', ...on, '--type=merge', '-p', patch]] };
  }
  // KEDA and others report a pause of something else.
  const paused = list(record(status)['conditions'])
    .map(record)
    .find(each => /^Reconcil\w*Paused$/u.test(text(each[each['status'] === 'True' ? 'type' : 'reason'])));
  if (paused === undefined) return undefined;
  const [type, state, reason] = ['type', 'status', 'reason'].map(each => shownName(text(paused[each])));
  return { by: `${type}=${state}, ${reason}`, end: [['kubectl', 'describe', ...on]] };
}

/** Marks a running handler whose pods have no leader. Judges only a single workload, since another one could lead. */
export function withLeader(tracked: TrackedView, object: KubeObject, handler: Handler): Handler {
  const { workloads, presence, evidence } = handler;
  const [workload, ...others] = workloads;
  if (presence !== 'present' || workload === undefined || others.length > 0) return handler;
  const lock = tracked.once(`lock of ${workload.uid}`, () => lockOfEndedPod(tracked, workload));
  const found = lock ?? silentLease(tracked, workload, object);
  if (found === undefined) return handler;
  return {
    ...handler,
    presence: 'unhealthy',
    toAct: letOneLead(workload, found.pod),
    words: `${objectTitle(workload)} seems to be the one that removes it, and none of its replicas seems to lead: ${found.why}`,
    evidence: [...evidence, found.evidence],
  };
}

interface Found {
  readonly why: string;
  readonly evidence: string;
  readonly pod?: KubeObject;
}

/** Advises deleting the ended pod that holds the lock, or restarting a workload that doesn't renew its Lease. */
function letOneLead(workload: KubeObject, pod: KubeObject | undefined): Advice {
  const title = objectTitle(workload);
  if (pod !== undefined)
    return {
      ...advice(
        'free-lock',
        `delete ${objectTitle(pod)}: its lock is deleted with it, another pod of ${title} leads, and everything follows`,
      ),
      kubectl: [
        { words: ['kubectl', 'delete', 'pod', pod.name, ...requestWords.namespaceFlag(pod.namespace)] },
      ],
    };
  const target = `${workload.type.kind.toLowerCase()}/${workload.name}`;
  return {
    ...advice(
      'restart-controller',
      `restart ${title}, and see in its log why no replica takes over the Lease: once one leads, it continues by itself`,
    ),
    kubectl: [
      {
        words: ['kubectl', 'rollout', 'restart', target, ...requestWords.namespaceFlag(workload.namespace)],
      },
    ],
  };
}

/** Finds a lock that no other pod takes, because the collector deletes it only after the ended pod that owns it. */
function lockOfEndedPod(tracked: TrackedView, workload: KubeObject): Found | undefined {
  const type = tracked.type('v1', 'Pod');
  const selector = workloadFacts(workload)?.selector;
  if (type === undefined || selector === undefined) return undefined;
  // Uses only pods that are already read: those of another namespace may be hidden, and change often.
  for (const { object: pod } of tracked.view.graph.inNamespace(type, workload.namespace)) {
    if (pod === undefined || !objectState.isFinished(pod) || !labelRules.selects(selector, pod.labels))
      continue;
    const node = tracked.node(pod.uid);
    const lock = (node === undefined ? [] : tracked.dependents(node)).find(
      each => each.type.kind === 'ConfigMap' && /lock|lead/u.test(each.name) && !isDeleting(each),
    );
    if (lock === undefined || tracked.find(type, pod.namespace, pod.name) === undefined) continue;
    const title = objectTitle(pod);
    return {
      pod,
      why: `${title}, which has ended, still owns their lock, ${objectTitle(lock)}`,
      evidence: `${objectTitle(lock)}: metadata.ownerReferences: Pod ${pod.name}`,
    };
  }
  return undefined;
}

/** Finds a workload's Lease if its pods stopped renewing it before they should have released the object. */
function silentLease(tracked: TrackedView, workload: KubeObject, object: KubeObject): Found | undefined {
  const type = tracked.type('coordination.k8s.io/v1', 'Lease');
  if (type === undefined) return undefined;
  const isHolder = holdersOf(workload);
  // Leases change every few seconds: only a silent one is recorded as a dependency.
  const leases = [...tracked.view.graph.inNamespace(type, workload.namespace)].flatMap(({ object: lease }) =>
    lease?.facts?.kind === 'Lease' && isHolder(lease.facts.holder) ? lease : [],
  );
  const [last] = leases.toSorted((a, b) => renewedAt(b) - renewedAt(a));
  const silentFrom = managerSigns.silentFrom(last?.facts);
  if (last?.facts?.kind !== 'Lease' || silentFrom === undefined) return undefined;
  const { holder } = last.facts;
  const at = renewedAt(last);
  const isSilent =
    tracked.lasted(silentFrom, 0) && managerSigns.moment(tracked.view, tracked.now) >= silentFrom;
  const wasLedThen = at > (objectDeletion.requestedAt(object) ?? 0) + patience.usual;
  if (!isSilent || wasLedThen) return undefined;
  tracked.find(type, last.namespace, last.name);
  const title = `Lease ${last.namespace}/${last.name}`;
  return {
    why: `${title} was last renewed at ${isoTime(at)}, by ${shownName(holder)}`,
    evidence: `${title}: spec.renewTime: ${isoTime(at)}, spec.holderIdentity: ${shownName(holder)}`,
  };
}

function renewedAt({ facts }: KubeObject): number {
  return facts?.kind === 'Lease' ? (facts.renewedAt ?? 0) : 0;
}

const podSuffixes: Readonly<Record<string, string>> = {
  Deployment: '-[a-z0-9]+-[a-z0-9]{5}',
  StatefulSet: String.raw`-\d+`,
  DaemonSet: '-[a-z0-9]{5}',
};

/** Recognizes identities of a workload's pods: the pod's name, before `_` and a random part. */
function holdersOf({ type, name }: KubeObject): (holder: string) => boolean {
  const suffix = new RegExp(`^${podSuffixes[type.kind]}(?:_|$)`, 'u');
  return holder => holder.startsWith(name) && suffix.test(holder.slice(name.length));
}
