/**
 * What a pod tolerates of a node's taints, and for how long (core/v1 toleration.go and
 * pkg/apis/core/v1/helper/helpers.go, v1.36). Apart from the facts, because the readers share lists here, and because
 * eviction, scheduling and the forecast of a taint have to agree.
 */
import type { Taint, Toleration } from './facts.ts';

const NO_EXECUTE = 'NoExecute';
const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
/** Lists of one cluster differ by workload, not by pod: so many are remembered before the memory begins anew. */
const MOST_SHARED = 4096;

const shared = new Map<string, readonly Toleration[]>();

const none: readonly Toleration[] = Object.freeze([]);

/** The same frozen list for equal ones. */
export function sharedTolerations(tolerations: readonly Toleration[]): readonly Toleration[] {
  if (tolerations.length === 0) return none;
  const key = JSON.stringify(
    tolerations.map(each => [each.key, each.operator, each.value, each.effect, each.tolerationSeconds ?? '']),
  );
  const known = shared.get(key);
  if (known !== undefined) return known;
  if (shared.size >= MOST_SHARED) shared.clear();
  const list = Object.freeze([...tolerations]);
  shared.set(key, list);
  return list;
}

function toleratesAll(key: string, effect: string, tolerationSeconds?: number): Toleration {
  return { key, operator: 'Exists', value: '', effect, tolerationSeconds };
}

/** What the API server adds where a pod says nothing (plugin/pkg/admission/defaulttolerationseconds, v1.36). */
const defaults: readonly Toleration[] = [NOT_READY, UNREACHABLE].map(key =>
  toleratesAll(key, NO_EXECUTE, 300),
);

/** A new pod's tolerations after admission. */
export function admittedTolerations(tolerations: readonly Toleration[]): readonly Toleration[] {
  const says = (wanted: string): boolean =>
    tolerations.some(
      ({ key, effect }) => (key === wanted || key === '') && (effect === NO_EXECUTE || effect === ''),
    );
  const missing = defaults.filter(({ key }) => !says(key));
  return sharedTolerations(missing.length === 0 ? tolerations : [...tolerations, ...missing]);
}

/**
 * What every DaemonSet's pods tolerate, whatever their template says (pkg/controller/daemon/util/daemonset_util.go,
 * v1.36). For ever, so that a lost node keeps them.
 */
export const DAEMON_TOLERATIONS: readonly Toleration[] = sharedTolerations([
  toleratesAll(NOT_READY, NO_EXECUTE),
  toleratesAll(UNREACHABLE, NO_EXECUTE),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map(name =>
    toleratesAll(`node.kubernetes.io/${name}`, 'NoSchedule'),
  ),
]);

/** Whether one toleration covers one taint. */
function covers(toleration: Toleration, taint: Taint): boolean {
  const { key, operator, value, effect } = toleration;
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  switch (operator) {
    case '':
    case 'Equal':
      return value === taint.value;
    case 'Exists':
      return true;
    case 'Lt':
    case 'Gt':
      // A pod can only have these where the API server's gate for them is on.
      return comparesAs(operator, value, taint.value);
    default:
      return false;
  }
}

/** Numbers as content.IsDecimalInteger takes them: no sign but a minus, no leading zeros. */
const decimal = /^(?:0|-?[1-9]\d*)$/;
const LARGEST = 2n ** 63n - 1n;

function comparesAs(operator: 'Lt' | 'Gt', tolerated: string, tainted: string): boolean {
  if (!decimal.test(tolerated) || !decimal.test(tainted)) return false;
  const [limit, value] = [BigInt(tolerated), BigInt(tainted)];
  if ([limit, value].some(each => each > LARGEST || each < -LARGEST - 1n)) return false;
  return operator === 'Lt' ? value < limit : value > limit;
}

/** Whether a pod tolerates a taint, for a while at least. */
export function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(each => covers(each, taint));
}

/** The taints that make pods leave. */
export function noExecuteTaints(taints: readonly Taint[]): readonly Taint[] {
  return taints.filter(({ effect }) => effect === NO_EXECUTE);
}

/**
 * Milliseconds that a pod may stay once its node has these NoExecute taints; infinite where all are tolerated for ever,
 * undefined where one isn't tolerated at all. Of several tolerations of one taint the first counts, and of several taints the
 * shortest time (pkg/controller/tainteviction/taint_eviction.go getMinTolerationTime, v1.36).
 */
export function toleratedFor(
  tolerations: readonly Toleration[],
  taints: readonly Taint[],
): number | undefined {
  let milliseconds = Number.POSITIVE_INFINITY;
  for (const taint of taints) {
    const used = tolerations.find(each => covers(each, taint));
    if (used === undefined) return undefined;
    if (used.tolerationSeconds === undefined) continue;
    milliseconds = Math.min(milliseconds, Math.max(0, used.tolerationSeconds) * 1000);
  }
  return milliseconds;
}

export interface Stay {
  readonly tolerations: readonly Toleration[];
  /** Of the node, of any effect. */
  readonly taints: readonly Taint[];
  /** When the pod came to the node, or earlier, in milliseconds since the epoch. */
  readonly since: number;
  /** What counts as the moment at which a taint was added that doesn't say so. */
  readonly now: number;
}

/**
 * When a pod has to leave its node, in milliseconds since the epoch; undefined where it may stay. Counted as a
 * controller does that has been running since the first taint: the count begins with the first taint, and one that
 * comes later moves its end only where the pod doesn't tolerate it at all, or tolerates all for ever: not even one that is
 * tolerated for no time does. A controller that
 * was restarted began to count anew, which no object tells.
 */
export function evictionTime({ tolerations, taints, since, now }: Stay): number | undefined {
  const added = noExecuteTaints(taints)
    .map(taint => ({ taint, at: Math.max(taint.timeAdded ?? now, since) }))
    .sort((a, b) => a.at - b.at);
  let due: number | undefined;
  for (const [index, { at }] of added.entries()) {
    if (added[index + 1]?.at === at) continue;
    // By then the pod is gone.
    if (due !== undefined && due <= at) return due;
    const patience = toleratedFor(
      tolerations,
      added.slice(0, index + 1).map(({ taint }) => taint),
    );
    if (patience === undefined) return at;
    if (patience === Number.POSITIVE_INFINITY) due = undefined;
    else due ??= at + patience;
  }
  return due;
}
