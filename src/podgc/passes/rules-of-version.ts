/**
 * PodGC's rules by server version (docs/kubernetes.md §7; pkg/controller/podgc/gc_controller.go and
 * pkg/features/kube_features.go of each minor release, v1.12 to v1.37). Passes and their patches were added over time.
 */
import { behaviourOf, type ClusterView, controllerManagers, type TellingFlag } from '../../graph/index.ts';
import { type FeatureStage, type KubeObject, ServerBehaviour, serverReleases } from '../../model/index.ts';

/** Milliseconds from first missing a node to acting on it (gc_controller.go, v1.36). */
const QUARANTINE_MS = 40_000;

const DEFAULT_TERMINATED_POD_THRESHOLD = 12_500;

export type PodGcRule = 'Terminated' | 'OutOfService' | 'Orphaned' | 'UnscheduledTerminating';

export interface PodGcRules {
  readonly version: string;
  /** Set if the server's version is unknown or wasn't read: the nearest one's rules apply. */
  readonly assumed: boolean;
  /** Passes with default settings, in order. */
  readonly passes: readonly PodGcRule[];
  /** NodeOutOfServiceVolumeDetach, the gate of the pass `OutOfService`. */
  readonly outOfService: FeatureStage;
  /** Sorted passes delete evicted pods first. */
  readonly evictedFirst: boolean;
  /** Milliseconds from missing a node to acting on it; 0 if a node list is trusted at once. */
  readonly quarantine: number;
  /** Every pass sets an unfinished pod's phase to Failed before deleting it. */
  readonly marksFailed: boolean;
  /** The pass `Orphaned` adds DisruptionTarget in the same patch. */
  readonly marksDisruption: boolean;
  /** That patch also names the pod's generation. */
  readonly marksGeneration: boolean;
}

const OLDEST = 12;

const newestRules: PodGcRules = rulesOf(serverReleases.newest);

/**
 * Returns a version's rules, with default features unless kube-controller-manager's flags are known. Releases before
 * v1.12 get its rules, other unknown versions the newest; both are `assumed`. During an upgrade
 * kube-controller-manager, which runs PodGC, may be a release behind the API server; this cannot be seen.
 * Not modelled: v1.26.0 and v1.26.1 also added the condition to finished pods. Until v1.26.10, v1.27.7 and v1.28.3 the
 * patch was a server-side apply, which fails if a pod has a port or variable twice, so the pod stays.
 */
function rulesOf(behaviour: ServerBehaviour): PodGcRules {
  if (behaviour.minor < OLDEST)
    return { ...rulesOf(new ServerBehaviour(serverReleases.shown(OLDEST))), assumed: true };
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
  /** Zero or less means no limit. */
  readonly threshold: number;
  /**
   * - `given`: by the user.
   * - `manager`: from kube-controller-manager's flags, including their default.
   * - `assumed`: the default, because no flags are known.
   */
  readonly thresholdFrom: 'given' | 'manager' | 'assumed';
  readonly rules: PodGcRules;
  /** Flag that disables PodGC on every replica with visible flags. */
  readonly switchedOff: TellingFlag | undefined;
}

function podGcSettings(view: ClusterView): PodGcSettings {
  const { settings } = view;
  const managers = controllerManagers.pods(view);
  const given = settings.terminatedPodGcThreshold;
  const started = given === undefined ? thresholdOf(managers) : undefined;
  return {
    threshold: given ?? started ?? DEFAULT_TERMINATED_POD_THRESHOLD,
    thresholdFrom: given !== undefined ? 'given' : started !== undefined ? 'manager' : 'assumed',
    rules: rulesOf(behaviourOf(view)),
    switchedOff: podGcSwitchedOff(managers),
  };
}

/** Returns undefined if replicas disagree or have no number. */
function thresholdOf(managers: readonly KubeObject[]): number | undefined {
  const values = new Set(
    managers.map(
      each =>
        controllerManagers.flagValue(each, 'terminated-pod-gc-threshold') ??
        `${DEFAULT_TERMINATED_POD_THRESHOLD}`,
    ),
  );
  const [value] = values;
  return values.size === 1 && value !== undefined && /^-?\d+$/u.test(value) ? Number(value) : undefined;
}

const podGcNames: readonly string[] = ['pod-garbage-collector-controller', 'podgc'];

/** Returns the flag that disables PodGC; undefined if a replica runs it or none shows flags. */
function podGcSwitchedOff(pods: readonly KubeObject[]): TellingFlag | undefined {
  const managers = pods.filter(each => controllerManagers.flags(each).length > 0);
  const [pod] = managers;
  const isOff = (each: KubeObject): boolean => {
    const controllers = controllerManagers.flagValue(each, 'controllers');
    return controllers !== undefined && !controllerManagers.isControllerOn(controllers, podGcNames);
  };
  if (pod === undefined || !managers.every(isOff)) return undefined;
  return { pod, flag: `--controllers=${controllerManagers.flagValue(pod, 'controllers')}` };
}

function podGcAtWork(view: ClusterView): Pick<PodGcSettings, 'threshold' | 'rules'> {
  const { threshold, rules, switchedOff } = podGcSettings(view);
  return switchedOff === undefined ? { threshold, rules } : { threshold: 0, rules: { ...rules, passes: [] } };
}

export const PodGcSettings = {
  of: podGcSettings,
  quarantine: QUARANTINE_MS,
  defaultThreshold: DEFAULT_TERMINATED_POD_THRESHOLD,
};

export const PodGcRules = {
  newest: newestRules,
  of: rulesOf,
  atWork: podGcAtWork,
  switchedOff: podGcSwitchedOff,
};
