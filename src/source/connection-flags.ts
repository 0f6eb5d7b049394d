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

/**
 * The flags as they are given to kubectl or to this tool once more, so that it finds the same cluster as the same user;
 * never a token, which others could read on the command line. Without the namespace, which is the object's.
 */
export function connectionWords(flags: ConnectionFlags): readonly string[] {
  const given: readonly (readonly [string, string | undefined])[] = [
    ['--kubeconfig', flags.kubeconfig],
    ['--context', flags.context],
    ['--cluster', flags.cluster],
    ['--user', flags.user],
    ['--server', flags.server],
    ['--as', flags.as],
    ...(flags.asGroup ?? []).map(group => ['--as-group', group] as const),
    ['--as-uid', flags.asUid],
    ...(flags.asUserExtra ?? []).map(extra => ['--as-user-extra', extra] as const),
    // Paths, which the command has to find again; what is in them isn't repeated.
    ['--client-certificate', flags.clientCertificate],
    ['--client-key', flags.clientKey],
    ['--certificate-authority', flags.certificateAuthority],
    ['--tls-server-name', flags.tlsServerName],
    ['--kuberc', flags.kuberc],
  ];
  const words = given.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value]));
  return [
    ...words,
    ...(flags.insecureSkipTlsVerify === true ? ['--insecure-skip-tls-verify'] : []),
    ...(flags.disableCompression === true ? ['--disable-compression'] : []),
  ];
}
