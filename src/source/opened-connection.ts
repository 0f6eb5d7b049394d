export interface KubectlAccess {
  /** The program, found on the PATH. */
  readonly program: string;
  /** Leading flags. They hold no credentials, only names of files. */
  readonly words: readonly string[];
  /** Deletes temporary files. Call it after kubectl has ended. */
  readonly close: () => void;
}

export interface Opened {
  /** The requested context; undefined if left to flags and kubeconfig. */
  readonly asked: string | undefined;
  /** The context used; undefined inside a cluster, and with `--server` alone. */
  readonly context: string | undefined;
  readonly server: string | undefined;
}
