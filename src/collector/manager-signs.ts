/** Signs that the collector runs: flags on kube-controller-manager's pods and its leader's lease, if visible. */
import { type ClusterView, controllerManagers, type TellingFlag } from '../graph/index.ts';
import { isManagerPod, type KubeObject, ManagerLease, type ResourceType } from '../model/index.ts';

const NAMESPACE = 'kube-system';
const NAME = 'kube-controller-manager';
/** Namespace of the kubelets' leases. */
const NODE_LEASES = 'kube-node-lease';

export interface SilentManager {
  readonly lease: KubeObject;
  readonly renewedAt: number;
  /** `''` if the last holder released it. */
  readonly holder: string;
}

function managerLeaseType({ catalog }: ClusterView): ResourceType | undefined {
  return catalog.resolveKind('coordination.k8s.io/v1', 'Lease');
}

/** Returns undefined if the lease is renewed or unknown. Looks it up if it isn't read. */
function silentManager(view: ClusterView, now: number): SilentManager | undefined {
  const lease = managerLease(view);
  const at = silentFrom(lease?.facts);
  if (lease === undefined || at === undefined || moment(view, now) < at) return undefined;
  const { holder = '', renewedAt = 0 } = lease.facts?.kind === 'Lease' ? lease.facts : {};
  return { lease, renewedAt, holder };
}

/** Returns when it counts as silent unless renewed; undefined without a lease. */
function silentUnlessRenewed(view: ClusterView): number | undefined {
  return silentFrom(managerLease(view)?.facts);
}

function managerLease(view: ClusterView): KubeObject | undefined {
  const type = managerLeaseType(view);
  return type && view.find(type, NAMESPACE, NAME);
}

/** Returns since when the leader leads, in milliseconds since the epoch; undefined if its lease is unknown. */
function leadingSince(view: ClusterView): number | undefined {
  const facts = managerLease(view)?.facts;
  return facts?.kind === 'Lease' ? facts.acquiredAt : undefined;
}

/** Returns when a lease counts as silent unless renewed. */
function silentFrom(facts: KubeObject['facts']): number | undefined {
  if (facts?.kind !== 'Lease' || facts.renewedAt === undefined) return undefined;
  return (
    facts.renewedAt +
    ManagerLease.silentAfter({ holder: facts.holder, duration: 1_000 * facts.durationSeconds })
  );
}

/** Returns the time to compare renewals with: for files, the last renewal of any control plane or node lease. */
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

/** Returns the flag that disables the garbage collector, on the leader or on every replica. */
function collectorSwitchedOff(view: ClusterView, pods: Iterable<KubeObject>): TellingFlag | undefined {
  const managers = [...pods].filter(each => controllerManagers.flags(each).length > 0);
  const { facts } = managerLease(view) ?? {};
  const leader = facts?.kind === 'Lease' ? nodeOf(facts.holder) : '';
  const leading = managers.filter(({ name }) => leader !== '' && name === `${NAME}-${leader}`);
  const flags = (leading.length > 0 ? leading : managers).map(pod => ({ pod, flag: offFlag(pod) }));
  const [first] = flags;
  if (first?.flag === undefined || flags.some(({ flag }) => flag === undefined)) return undefined;
  return { pod: first.pod, flag: `--${first.flag}` };
}

/** Returns the pod of the active replica: the only one, or the lease's holder. */
function leadingManager(view: ClusterView): KubeObject | undefined {
  const type = view.catalog.resolveKind('v1', 'Pod');
  const pods: KubeObject[] = [];
  for (const { object } of type === undefined ? [] : view.graph.inNamespace(type, NAMESPACE))
    if (object !== undefined && isManagerPod(object)) pods.push(object);
  const { facts } = managerLease(view) ?? {};
  const leader = facts?.kind === 'Lease' ? nodeOf(facts.holder) : '';
  return pods.length === 1 ? pods[0] : pods.find(({ name }) => leader !== '' && name === `${NAME}-${leader}`);
}

/** Reports whether a replica runs without leader election. */
function runsWithoutElection(pods: Iterable<KubeObject>): boolean {
  for (const pod of pods) if (controllerManagers.flagValue(pod, 'leader-elect') === 'false') return true;
  return false;
}

/** Extracts the node from kube-controller-manager's `cp-1_5f2c…`. */
function nodeOf(holder: string): string {
  return holder.split('_')[0] ?? '';
}

const collectorNames: readonly string[] = ['garbage-collector-controller', 'garbagecollector'];

function offFlag(pod: KubeObject): string | undefined {
  return controllerManagers.flags(pod).find(flag => {
    const [name, value = ''] = flag.split('=');
    if (name === 'enable-garbage-collector') return value === 'false';
    if (name === 'concurrent-gc-syncs') return Number(value) <= 0;
    return name === 'controllers' && !controllerManagers.isControllerOn(value, collectorNames);
  });
}

export const managerSigns = {
  leader: leadingManager,
  leadingSince,
  collectorSwitchedOff,
  runsWithoutElection,
  silent: silentManager,
  silentFrom,
  moment,
  silentUnlessRenewed,
};
