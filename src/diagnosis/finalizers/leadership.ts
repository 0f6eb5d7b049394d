/**
 * Finds controllers whose pods are ready and do nothing, because none of them leads: no pod renews their Lease
 * (client-go tools/leaderelection, v1.36), or a pod that ended holds their lock (operator-lib leader, v0.19).
 */
import { managerSigns } from '../../collector/index.ts';
import { patience } from '../../forecast/index.ts';
import { isDeleting, objectDeletion } from '../../graph/index.ts';
import {
  isoTime,
  type KubeObject,
  labelRules,
  objectState,
  objectTitle,
  shownName,
  workloadFacts,
} from '../../model/index.ts';
import type { TrackedView } from '../engine/tracked-view.ts';
import type { Handler } from './handler.ts';

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
    leaderless: { workload, pod: found.pod },
    words: `${objectTitle(workload)} seems to be the one that removes it, and none of its replicas seems to lead: ${found.why}`,
    evidence: [...evidence, found.evidence],
  };
}

interface Found {
  readonly why: string;
  readonly evidence: string;
  readonly pod?: KubeObject;
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
