/** Exports for other programs: `import { openCluster, why } from 'kubectl-gc-tree'`. docs/documents.md shows how. */
import type { Diagnosis, FindingList, OwnershipGraph, Plan } from '../cli/documents/definitions.ts';

export type * from '../cli/documents/definitions.ts';

/** Something to ask about, read when the first question needs it and followed until it is closed. Nothing can be changed by it. */
export interface Cluster {
  readonly source: 'cluster' | 'files' | 'demo' | 'replay';
  /** Questions that are being answered are broken off. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/** Facts that the objects don't show. */
export interface Assumptions {
  /** How many finished pods kube-controller-manager keeps; 12500 where nothing tells. */
  readonly terminatedPodGcThreshold?: number;
  /** Files with finalizers of your own, counted before those that are built in. */
  readonly catalogue?: readonly string[];
}

/** kubectl's flags of the same names; what is left out is found as kubectl finds it. */
export interface ClusterOptions extends Assumptions {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly cluster?: string;
  readonly user?: string;
  readonly namespace?: string;
  readonly server?: string;
  readonly token?: string;
  readonly as?: string;
  readonly asGroup?: readonly string[];
  readonly clientCertificate?: string;
  readonly clientKey?: string;
  readonly certificateAuthority?: string;
  readonly insecureSkipTlsVerify?: boolean;
  readonly tlsServerName?: string;
  /** `5s`, `2m`; `0` is never. */
  readonly requestTimeout?: string;
}

/** The kubeconfig is read now, and the cluster with the first question. Rejects with a `GcTreeError`. */
export function openCluster(options?: ClusterOptions): Promise<Cluster>;

export interface FilesOptions extends Assumptions {
  /** An owner that isn't in the files doesn't exist. */
  readonly closedWorld?: boolean;
  /** To be judged as, such as `v1.33`. */
  readonly serverVersion?: string;
}

/** Manifests, what `kubectl get -o yaml` prints, or dumps: files and folders. Rejects with a `GcTreeError`. */
export function openFiles(paths: string | readonly string[], options?: FilesOptions): Promise<Cluster>;

/** A simulated cluster; `kubectl gc-tree demo --list` has their names. Rejects with a `GcTreeError`. */
export function openDemo(scenario: string): Promise<Cluster>;

export interface QuestionOptions {
  /** Left out: that of the context, and of files all of them. */
  readonly namespace?: string;
  /** Every namespace and everything outside of them. */
  readonly allNamespaces?: boolean;
  /** Labels, as kubectl's `-l`: `app=web,tier!=db`. */
  readonly selector?: string;
  /** Breaks the question off, which then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/** As kubectl takes them: `sts/web`, `ns/shop`, or a type alone for all of it. */
export type Targets = string | readonly string[];

export interface SelectionOptions extends QuestionOptions {
  /** Left out: everything in the namespace. */
  readonly targets?: Targets;
}

/** Who owns what: what `tree --flat -o json` prints. Rejects with a `GcTreeError`. */
export function graph(cluster: Cluster, options?: SelectionOptions): Promise<OwnershipGraph>;

/** Why objects are still there, survived or will be deleted: what `why -o json` prints. Rejects with a `GcTreeError`. */
export function why(cluster: Cluster, targets: Targets, options?: QuestionOptions): Promise<Diagnosis>;

export interface CheckOptions extends SelectionOptions {
  /** Only findings with these codes. */
  readonly codes?: readonly string[];
}

/** Every finding: what `check -o json` prints. Rejects with a `GcTreeError`. */
export function check(cluster: Cluster, options?: CheckOptions): Promise<FindingList>;

/** Action to forecast; nothing of it is done. */
export type PlannedAction =
  | {
      readonly verb: 'delete';
      readonly targets: Targets;
      /** `background`, as in kubectl, where it is left out. */
      readonly cascade?: 'background' | 'foreground' | 'orphan';
      /** Seconds, of pods. */
      readonly gracePeriod?: number;
    }
  | {
      readonly verb: 'unblock';
      readonly targets: Targets;
      /** The id of a remedy, as `why` tells it. */
      readonly remedy: string;
    }
  /** kube-controller-manager is restarted. */
  | { readonly verb: 'restart' }
  /** Nobody acts. */
  | { readonly verb: 'none' };

/** Forecasts an action, as `plan -o json` prints it. Rejects with a `GcTreeError`. */
export function plan(cluster: Cluster, action: PlannedAction, options?: QuestionOptions): Promise<Plan>;

/** A failure in one or two sentences, as the command line tells it; without credentials. */
export class GcTreeError extends Error {
  /** `usage`: what was asked is wrong, or isn't there. `source`: what is asked about can't be read. */
  readonly reason: 'usage' | 'source';
}
