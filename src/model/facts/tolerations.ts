/** Tolerations of taints (core/v1 toleration.go and pkg/apis/core/v1/helper/helpers.go, v1.36). */
import { type Taint, Toleration } from './facts.ts';

const NO_EXECUTE = 'NoExecute';
const NOT_READY = 'node.kubernetes.io/not-ready';
const UNREACHABLE = 'node.kubernetes.io/unreachable';
function toleratesAll(key: string, effect: string, tolerationSeconds?: number): Toleration {
  return { key, operator: 'Exists', value: '', effect, tolerationSeconds };
}

/** Tolerations that the API server adds by default (plugin/pkg/admission/defaulttolerationseconds, v1.36). */
const defaults: readonly Toleration[] = [NOT_READY, UNREACHABLE].map(key =>
  toleratesAll(key, NO_EXECUTE, 300),
);

function admittedTolerations(tolerations: readonly Toleration[]): readonly Toleration[] {
  const says = (wanted: string): boolean =>
    tolerations.some(
      ({ key, effect }) => (key === wanted || key === '') && (effect === NO_EXECUTE || effect === ''),
    );
  const missing = defaults.filter(({ key }) => !says(key));
  return Toleration.shared(missing.length === 0 ? tolerations : [...tolerations, ...missing]);
}

/** Tolerations of every DaemonSet pod (pkg/controller/daemon/util/daemonset_util.go, v1.36); lost nodes keep them. */
const DAEMON_TOLERATIONS: readonly Toleration[] = Toleration.shared([
  toleratesAll(NOT_READY, NO_EXECUTE),
  toleratesAll(UNREACHABLE, NO_EXECUTE),
  ...['disk-pressure', 'memory-pressure', 'pid-pressure', 'unschedulable'].map(name =>
    toleratesAll(`node.kubernetes.io/${name}`, 'NoSchedule'),
  ),
]);

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
      // These operators exist only if the API server's gate for them is on.
      return comparesAs(operator, value, taint.value);
    default:
      return false;
  }
}

/** Numbers that content.IsDecimalInteger accepts: no sign except a minus, no leading zeros. */
const decimal = /^(?:0|-?[1-9]\d*)$/;
const LARGEST = 2n ** 63n - 1n;

function comparesAs(operator: 'Lt' | 'Gt', tolerated: string, tainted: string): boolean {
  if (!decimal.test(tolerated) || !decimal.test(tainted)) return false;
  const [limit, value] = [BigInt(tolerated), BigInt(tainted)];
  if ([limit, value].some(each => each > LARGEST || each < -LARGEST - 1n)) return false;
  return operator === 'Lt' ? value < limit : value > limit;
}

function tolerates(tolerations: readonly Toleration[], taint: Taint): boolean {
  return tolerations.some(each => covers(each, taint));
}

function noExecuteTaints(taints: readonly Taint[]): readonly Taint[] {
  return taints.filter(({ effect }) => effect === NO_EXECUTE);
}

/**
 * Returns the milliseconds that a pod may stay once its node has these NoExecute taints: infinite if all are tolerated
 * forever, undefined if one isn't tolerated. The first toleration of a taint counts, and the shortest time of all
 * taints (pkg/controller/tainteviction/taint_eviction.go getMinTolerationTime, v1.36).
 */
function toleratedFor(tolerations: readonly Toleration[], taints: readonly Taint[]): number | undefined {
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
  readonly taints: readonly Taint[];
  /** The pod's arrival on the node, or earlier. */
  readonly since: number;
  /** Assumed time of a taint without `timeAdded`. */
  readonly now: number;
}

/**
 * Returns the time when a pod must leave its node, in milliseconds since the epoch; undefined if it may stay. Models a
 * controller that has run since the first taint. The first taint starts the count. A later taint changes its end only
 * if the pod doesn't tolerate that taint at all, or tolerates all taints forever; even a toleration of zero seconds
 * doesn't. A restarted controller counts anew, which no object shows.
 */
function evictionTime({ tolerations, taints, since, now }: Stay): number | undefined {
  const added = noExecuteTaints(taints)
    .map(taint => ({ taint, at: Math.max(taint.timeAdded ?? now, since) }))
    .sort((a, b) => a.at - b.at);
  let due: number | undefined;
  for (const [index, { at }] of added.entries()) {
    if (added[index + 1]?.at === at) continue;
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

export const tolerationRules = {
  noExecute: noExecuteTaints,
  toleratedFor,
  tolerates,
  evictionTime,
  ofDaemons: DAEMON_TOLERATIONS,
  admitted: admittedTolerations,
};
