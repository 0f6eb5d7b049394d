/**
 * Which of PodGC's rules a server has, by its version: the passes came one by one, and so did what they write before
 * they delete. Apart from the passes, so that these stay as one version has them (docs/kubernetes.md §7;
 * pkg/controller/podgc/gc_controller.go and pkg/features/kube_features.go of each minor release, v1.12 to v1.36).
 */
import type { ClusterSettings } from '../../graph/cluster-view.ts';

/** Milliseconds from missing a node first to acting on it (gc_controller.go, v1.36). */
export const QUARANTINE_MS = 40_000;

/** kube-controller-manager's default for `--terminated-pod-gc-threshold`. */
export const DEFAULT_TERMINATED_POD_THRESHOLD = 12_500;

/** Which pass selected the pod, by the names of `PodGCCandidateList`. */
export type PodGcRule = 'Terminated' | 'OutOfService' | 'Orphaned' | 'UnscheduledTerminating';

/**
 * As a feature gate's stages. `Alpha`: only where somebody switched it on, which cannot be told from outside, so that
 * the rule isn't among the passes. `Beta`: unless somebody switched it off.
 */
export type FeatureStage = 'Absent' | 'Alpha' | 'Beta' | 'Stable';

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

/** The minor releases of Kubernetes 1 whose sources these rules were read from. */
const OLDEST = 12;
const NEWEST = 36;

/** As in the newest release that was read: what a server whose version nobody knows is taken to do. */
export const newestRules: PodGcRules = rulesOfMinor(NEWEST, false);

/**
 * `serverVersion` as the server gives it: `v1.27.3-gke.100`, `v1.30+`. Alpha features are taken to be off and beta
 * ones as their default has it. A release before v1.12 is taken for that one, any other unknown version for the
 * newest; both are `assumed`. kube-controller-manager, which PodGC is part of, may be a release behind the API server
 * while a cluster is being upgraded, and that cannot be seen.
 *
 * Left out: v1.26.0 and v1.26.1 added the condition to finished pods, too. Until v1.26.10, v1.27.7 and v1.28.3 the
 * patch was a server-side apply, which fails on a pod that has a port or a variable twice, so that the pod stays.
 */
export function rulesOfVersion(serverVersion: string | undefined): PodGcRules {
  const [, major, minor] = /^v?(\d+)\.(\d+)/u.exec(serverVersion ?? '') ?? [];
  if (major !== '1' || minor === undefined) return { ...newestRules, assumed: true };
  const known = Math.min(Math.max(Number(minor), OLDEST), NEWEST);
  return rulesOfMinor(known, known !== Number(minor));
}

function rulesOfMinor(minor: number, assumed: boolean): PodGcRules {
  const outOfService = stageOfOutOfService(minor);
  const isOn = outOfService === 'Beta' || outOfService === 'Stable';
  return {
    version: `1.${minor}`,
    assumed,
    passes: [
      'Terminated',
      ...(isOn ? (['OutOfService'] as const) : []),
      'Orphaned',
      'UnscheduledTerminating',
    ],
    outOfService,
    evictedFirst: minor >= 27,
    quarantine: minor >= 17 ? QUARANTINE_MS : 0,
    // PodDisruptionConditions: alpha in 1.25, on since 1.26. Its patch is made for JobPodReplacementPolicy as well.
    marksFailed: minor >= 26,
    marksDisruption: minor >= 26,
    // PodObservedGenerationTracking: alpha in 1.33, on since 1.34.
    marksGeneration: minor >= 34,
  };
}

function stageOfOutOfService(minor: number): FeatureStage {
  if (minor < 24) return 'Absent';
  if (minor < 26) return 'Alpha';
  return minor < 28 ? 'Beta' : 'Stable';
}

export interface PodGcSettings {
  /** A number of finished pods; zero or less is no limit. The default where nobody gave one. */
  readonly threshold: number;
  readonly rules: PodGcRules;
}

export function podGcSettings({ settings }: { readonly settings: ClusterSettings }): PodGcSettings {
  return {
    threshold: settings.terminatedPodGcThreshold ?? DEFAULT_TERMINATED_POD_THRESHOLD,
    rules: rulesOfVersion(settings.serverVersion),
  };
}
