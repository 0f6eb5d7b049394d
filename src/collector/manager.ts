/**
 * Whether the collector runs at all, as far as the objects of a cluster tell: by what the pods of kube-controller-manager
 * were started with, and by the lease that its leader renews. Both are signs that a cluster may not show; then nothing is
 * concluded.
 */
import type { ClusterView } from '../graph/cluster-view.ts';
import { flagsOf, flagValue, isControllerOn, type TellingFlag } from '../graph/manager-pods.ts';
import { silentAfter } from '../model/exchange/manager-lease.ts';
import { isManagerPod } from '../model/facts/manager-flags.ts';
import type { KubeObject } from '../model/object.ts';
import type { ResourceType } from '../model/types/resource-type.ts';

const NAMESPACE = 'kube-system';
const NAME = 'kube-controller-manager';
/** In which the kubelets renew theirs. */
const NODE_LEASES = 'kube-node-lease';

/** Nobody holds the lease, or nobody renews it. */
export interface SilentManager {
  readonly lease: KubeObject;
  /** Milliseconds since the epoch. */
  readonly renewedAt: number;
  /** `''` where the last one gave it up. */
  readonly holder: string;
}

function managerLeaseType({ catalog }: ClusterView): ResourceType | undefined {
  return catalog.resolveKind('coordination.k8s.io/v1', 'Lease');
}

/** Undefined where it is renewed, or nothing tells. Looked up where it isn't read. */
export function silentManager(view: ClusterView, now: number): SilentManager | undefined {
  const lease = managerLease(view);
  const at = silentFrom(lease?.facts);
  if (lease === undefined || at === undefined || moment(view, now) < at) return undefined;
  const { holder = '', renewedAt = 0 } = lease.facts?.kind === 'Lease' ? lease.facts : {};
  return { lease, renewedAt, holder };
}

/** When it counts as silent unless it is renewed, in milliseconds since the epoch; undefined where nothing tells. */
export function silentUnlessRenewed(view: ClusterView): number | undefined {
  return silentFrom(managerLease(view)?.facts);
}

function managerLease(view: ClusterView): KubeObject | undefined {
  const type = managerLeaseType(view);
  return type && view.find(type, NAMESPACE, NAME);
}

function silentFrom(facts: KubeObject['facts']): number | undefined {
  if (facts?.kind !== 'Lease' || facts.renewedAt === undefined) return undefined;
  return facts.renewedAt + silentAfter({ holder: facts.holder, duration: 1_000 * facts.durationSeconds });
}

/**
 * What renewals are compared with. Files of one cluster are written over minutes: there it is the last renewal that they
 * have of any lease of the control plane or a node.
 */
function moment(view: ClusterView, now: number): number {
  if (view.settings.standsStill !== true) return view.followedUntil(now);
  const type = managerLeaseType(view);
  if (type === undefined) return 0;
  let latest = 0;
  for (const namespace of [NAMESPACE, NODE_LEASES])
    for (const { object } of view.graph.inNamespace(type, namespace))
      if (object?.facts?.kind === 'Lease') latest = Math.max(latest, object.facts.renewedAt ?? 0);
  return latest;
}

/** The flag that keeps the garbage collector from working, of the leader or of every replica; undefined where none does. */
export function collectorSwitchedOff(view: ClusterView, pods: Iterable<KubeObject>): TellingFlag | undefined {
  const managers = [...pods].filter(each => flagsOf(each).length > 0);
  const { facts } = managerLease(view) ?? {};
  const leader = facts?.kind === 'Lease' ? nodeOf(facts.holder) : '';
  const leading = managers.filter(({ name }) => leader !== '' && name === `${NAME}-${leader}`);
  const flags = (leading.length > 0 ? leading : managers).map(pod => ({ pod, flag: offFlag(pod) }));
  const [first] = flags;
  if (first?.flag === undefined || flags.some(({ flag }) => flag === undefined)) return undefined;
  return { pod: first.pod, flag: `--${first.flag}` };
}

/** The pod of the replica that runs the controllers: the only one, or the one that holds the lease. */
export function leadingManager(view: ClusterView): KubeObject | undefined {
  const type = view.catalog.resolveKind('v1', 'Pod');
  const pods: KubeObject[] = [];
  for (const { object } of type === undefined ? [] : view.graph.inNamespace(type, NAMESPACE))
    if (object !== undefined && isManagerPod(object.namespace, object.name)) pods.push(object);
  const { facts } = managerLease(view) ?? {};
  const leader = facts?.kind === 'Lease' ? nodeOf(facts.holder) : '';
  return pods.length === 1 ? pods[0] : pods.find(({ name }) => leader !== '' && name === `${NAME}-${leader}`);
}

/** Whether all of them were told to do without a lease. */
export function runsWithoutElection(pods: Iterable<KubeObject>): boolean {
  for (const pod of pods) if (flagValue(pod, 'leader-elect') === 'false') return true;
  return false;
}

/** Of `cp-1_5f2c…`, as kube-controller-manager names itself. */
function nodeOf(holder: string): string {
  return holder.split('_')[0] ?? '';
}

const collectorNames: readonly string[] = ['garbage-collector-controller', 'garbagecollector'];

function offFlag(pod: KubeObject): string | undefined {
  return flagsOf(pod).find(flag => {
    const [name, value = ''] = flag.split('=');
    if (name === 'enable-garbage-collector') return value === 'false';
    if (name === 'concurrent-gc-syncs') return Number(value) <= 0;
    return name === 'controllers' && !isControllerOn(value, collectorNames);
  });
}
