/** Flags with one value each; an empty value counts as unset. */
const connectionTexts = [
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

const connectionFlags = [
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

/** Returns flags for the same cluster and user, without the namespace. Never a token: others could see it. */
function connectionWords(flags: ConnectionFlags): readonly string[] {
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

export const ConnectionFlags = { all: connectionFlags, texts: connectionTexts, words: connectionWords };
