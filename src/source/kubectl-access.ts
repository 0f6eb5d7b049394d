/** How kubectl is started on the cluster that a source reads. */
export interface KubectlAccess {
  /** The program, found on the PATH. */
  readonly program: string;
  /** Flags in front of what it is to do. They hold no credentials: these stand in files, which flags name. */
  readonly words: readonly string[];
  /** Takes away what was written for it alone. To be called once it has ended. */
  readonly close: () => void;
}

/** What a source that is on the screen was opened with. */
export interface Opened {
  /** The context that was asked for; undefined where that was left to flags and kubeconfig. */
  readonly asked: string | undefined;
  /** The context that it was; undefined inside of a cluster, and with `--server` alone. */
  readonly context: string | undefined;
  /** The address of its API server. */
  readonly server: string | undefined;
}
