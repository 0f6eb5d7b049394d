/** What the finalizer catalogue says of one finalizer, and of the controller that removes it. */

export interface ControllerSigns {
  /** `kube-controller-manager`, `Argo CD`: as it stands in a sentence. */
  readonly name: string;
  /**
   * - `API server`: always there where anything can be read at all.
   * - `control plane`: beside the API server, on many clusters where nobody can see it.
   * - `cluster`: as a workload in the cluster.
   * - `elsewhere`: perhaps as a workload in the cluster, perhaps outside of it, as where a cloud provider runs it.
   */
  readonly runsIn: 'API server' | 'control plane' | 'cluster' | 'elsewhere';
  /** Names of its workloads, of their name labels, or of its pods in the control plane; `*` stands for anything. */
  readonly workloads: readonly string[];
  /** API groups that come with it; `*.` stands for any group below a domain. */
  readonly groups: readonly string[];
}

export interface FinalizerEntry {
  /** `*` stands for anything. */
  readonly finalizers: readonly string[];
  readonly controller: ControllerSigns;
  /** The objects that carry it, in words. */
  readonly on: string;
  /** What is done or waited for before it is removed. */
  readonly protects: string;
  /** What removing it by hand leaves behind: `… is left behind`. */
  readonly cost: string;
}
