/** kubectl's flags for finding a cluster, under kubectl's names. */

/** With one value each, of which an empty one is none. */
export const connectionTexts = [
  'kubeconfig',
  'context',
  'cluster',
  'user',
  'namespace',
  'server',
  'token',
  'as',
  'asUid',
  'clientCertificate',
  'clientKey',
  'certificateAuthority',
  'tlsServerName',
  'requestTimeout',
  'cacheDir',
] as const;

export const connectionFlags = [
  ...connectionTexts,
  ...(['kuberc', 'asGroup', 'asUserExtra', 'insecureSkipTlsVerify', 'disableCompression'] as const),
] as const;

/** Unset or empty means "as the kubeconfig says". May hold a token: never print it whole. */
export type ConnectionFlags = {
  readonly [name in (typeof connectionTexts)[number] | 'kuberc']?: string | undefined;
} & {
  readonly asGroup?: readonly string[] | undefined;
  /** Each `key=value`. */
  readonly asUserExtra?: readonly string[] | undefined;
  readonly insecureSkipTlsVerify?: boolean | undefined;
  readonly disableCompression?: boolean | undefined;
};
