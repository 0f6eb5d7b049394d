/**
 * Which of PodGC's rules a server has, by its version: the passes came one by one, and so did what they write before
 * they delete. Apart from the passes, so that these stay as one version has them (docs/kubernetes.md §7;
 * pkg/controller/podgc/gc_controller.go and pkg/features/kube_features.go of each minor release, v1.12 to v1.37).
 */
import type { ClusterView } from '../../graph/cluster-view.ts';
import {
  flagsOf,
  flagValue,
  isControllerOn,
  managerPods,
  type TellingFlag,
} from '../../graph/manager-pods.ts';
import { behaviourOf } from '../../graph/server-behaviour.ts';
import type { KubeObject } from '../../model/object.ts';
import type { FeatureStage } from '../../model/server/behaviours.ts';
import { newestBehaviour, ServerBehaviour, shownRelease } from '../../model/server/server-behaviour.ts';

/** Milliseconds from missing a node first to acting on it (gc_controller.go, v1.36). */
export const QUARANTINE_MS = 40_000;

/** kube-controller-manager's default for `--terminated-pod-gc-threshold`. */
export const DEFAULT_TERMINATED_POD_THRESHOLD = 12_500;

/** Which pass selected the pod, by the names of `PodGCCandidateList`. */
export type PodGcRule = 'Terminated' | 'OutOfService' | 'Orphaned' | 'UnscheduledTerminating';

export interface PodGcRules {
  /** `1.27`: the minor release whose rules these are. */
  readonly version: string;
  /** The server's version isn't known, or is none of those that were read: the nearest one's rules are taken. */
  readonly assumed: boolean;
  /** Those that run with the default settings, in their order. */
  readonly passes: readonly PodGcRule[];
  /** NodeOutOfServiceVolumeDetach, behind which the pass `OutOfService` was made. */
  readonly outOfService: FeatureStage;
  /** Evicted pods go before older ones, in the passes that have an order. */
  readonly evictedFirst: boolean;
  /** Milliseconds from missing a node to acting on it; 0 where a list of the nodes was believed at once. */
  readonly quarantine: number;
  /** Every pass gives an unfinished pod the phase Failed before it deletes it. */
  readonly marksFailed: boolean;
  /** The pass `Orphaned` adds the condition DisruptionTarget in the same patch. */
  readonly marksDisruption: boolean;
  /** That patch also says which generation of the pod it is about. */
  readonly marksGeneration: boolean;
}

/** The first minor release of Kubernetes 1 whose sources these rules were read from. */
const OLDEST = 12;

/** As in the newest release that was read: what a server whose version nobody knows is taken to do. */
export const newestRules: PodGcRules = rulesOf(newestBehaviour);

/**
 * Features are taken as their default has them, unless the flags of kube-controller-manager tell. A release before v1.12 is
 * taken for that one, any other unknown version for the newest; both are `assumed`. kube-controller-manager, which PodGC is part of, may be a release behind the API server
 * while a cluster is being upgraded, and that cannot be seen.
 *
 * Left out: v1.26.0 and v1.26.1 added the condition to finished pods, too. Until v1.26.10, v1.27.7 and v1.28.3 the
 * patch was a server-side apply, which fails on a pod that has a port or a variable twice, so that the pod stays.
 */
export function rulesOf(behaviour: ServerBehaviour): PodGcRules {
  if (behaviour.minor < OLDEST)
    return { ...rulesOf(new ServerBehaviour(shownRelease(OLDEST))), assumed: true };
  const isMarking = behaviour.has('podGcMarksFailed');
  return {
    version: behaviour.release,
    assumed: behaviour.unproven === 'unknown' || behaviour.unproven === 'newer',
    passes: [
      'Terminated',
      ...(behaviour.has('podGcOutOfService') ? (['OutOfService'] as const) : []),
      'Orphaned',
      'UnscheduledTerminating',
    ],
    outOfService: behaviour.stageOf('podGcOutOfService'),
    evictedFirst: behaviour.has('podGcEvictedFirst'),
    quarantine: behaviour.has('podGcQuarantine') ? QUARANTINE_MS : 0,
    marksFailed: isMarking,
    marksDisruption: isMarking,
    marksGeneration: behaviour.has('podGcMarksGeneration'),
  };
}

export interface PodGcSettings {
  /** A number of finished pods; zero or less is no limit. The default where nobody gave one. */
  readonly threshold: number;
  /**
   * - `given`: by the user.
   * - `manager`: kube-controller-manager was started with it, or without one and so with the default.
   * - `assumed`: nothing tells.
   */
  readonly thresholdFrom: 'given' | 'manager' | 'assumed';
  readonly rules: PodGcRules;
  /** What keeps PodGC from working at all, of every replica that shows what it was started with. */
  readonly switchedOff: TellingFlag | undefined;
}

export function podGcSettings(view: ClusterView): PodGcSettings {
  const { settings } = view;
  const managers = managerPods(view);
  const given = settings.terminatedPodGcThreshold;
  const started = given === undefined ? thresholdOf(managers) : undefined;
  return {
    threshold: given ?? started ?? DEFAULT_TERMINATED_POD_THRESHOLD,
    thresholdFrom: given !== undefined ? 'given' : started !== undefined ? 'manager' : 'assumed',
    rules: rulesOf(behaviourOf(view)),
    switchedOff: podGcSwitchedOff(managers),
  };
}

/** Undefined where they don't agree, or say no number. */
function thresholdOf(managers: readonly KubeObject[]): number | undefined {
  const values = new Set(
    managers.map(
      each => flagValue(each, 'terminated-pod-gc-threshold') ?? `${DEFAULT_TERMINATED_POD_THRESHOLD}`,
    ),
  );
  const [value] = values;
  return values.size === 1 && value !== undefined && /^-?\d+$/u.test(value) ? Number(value) : undefined;
}

const podGcNames: readonly string[] = ['pod-garbage-collector-controller', 'podgc'];

/** What switches it off, told by pods of which only managers have flags; undefined where one runs it, or none is seen. */
export function podGcSwitchedOff(pods: readonly KubeObject[]): TellingFlag | undefined {
  const managers = pods.filter(each => flagsOf(each).length > 0);
  const [pod] = managers;
  const isOff = (each: KubeObject): boolean => {
    const controllers = flagValue(each, 'controllers');
    return controllers !== undefined && !isControllerOn(controllers, podGcNames);
  };
  if (pod === undefined || !managers.every(isOff)) return undefined;
  return { pod, flag: `--controllers=${flagValue(pod, 'controllers')}` };
}

/** What it does: nothing, without a limit and without a pass, where it is switched off. */
export function podGcAtWork(view: ClusterView): Pick<PodGcSettings, 'threshold' | 'rules'> {
  const { threshold, rules, switchedOff } = podGcSettings(view);
  return switchedOff === undefined ? { threshold, rules } : { threshold: 0, rules: { ...rules, passes: [] } };
}
