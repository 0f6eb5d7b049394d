import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { readCredentialFile } from '../config/credential-file.ts';
import { keepSecret } from '../config/known-credentials.ts';
import type { ResolvedConnection } from '../config/resolve-connection.ts';
import type { TlsMaterial } from '../dial/tls-settings.ts';
import { unreadable, usesTls } from './login.ts';
import type { Login, LoginCredential, LoginTurn } from './login-attempt.ts';

/** One state of the credentials; a renewal makes a new instance. */
export interface Credentials {
  /** Lower-case names; several values are sent as several headers. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
}

/** Rejects with a `SourceError`, or with the reason of the turn's signal. */
export async function readCredentials(
  connection: ResolvedConnection,
  login: Login | undefined,
  turn: LoginTurn,
): Promise<{
  readonly credentials: Credentials;
  readonly expires: number;
}> {
  const opts: RequestOptions = {};
  let expires = Number.POSITIVE_INFINITY;
  try {
    // client-node would read the files synchronously.
    const material = await readMaterial(connection, turn.signal);
    const credential = await login?.get(turn);
    keepSecret([credential?.token, credential?.key, Buffer.from(material.key, 'base64').toString()]);
    expires = credential?.expires ?? expires;
    await clientNodeConfig(connection, material, credential).applyToHTTPSOptions(opts);
  } catch (error) {
    turn.signal.throwIfAborted();
    throw unreadable(error, connection);
  }
  const headers: Record<string, string | string[]> = impersonation(connection);
  for (const [name, value] of Object.entries(opts.headers ?? {}))
    if (typeof value === 'string') headers[name.toLowerCase()] ??= value;
  if (typeof opts.auth === 'string') {
    headers['authorization'] = `Basic ${Buffer.from(opts.auth).toString('base64')}`;
    keepSecret([opts.auth]);
  }
  return { credentials: { headers, tls: tlsMaterial(opts, connection) }, expires };
}

/** Base64, as in a kubeconfig; `''` for none. */
interface Material {
  readonly ca: string;
  readonly cert: string;
  readonly key: string;
}

async function readMaterial({ cluster, user }: ResolvedConnection, signal: AbortSignal): Promise<Material> {
  const read = async (data: string, file: string): Promise<string> =>
    data !== '' || file === '' ? data : (await readCredentialFile(file, signal)).toString('base64');
  const [ca, cert, key] = await Promise.all([
    read(cluster.caData, cluster.caFile),
    read(user.certData, user.certFile),
    read(user.keyData, user.keyFile),
  ]);
  return { ca, cert, key };
}

function clientNodeConfig(
  connection: ResolvedConnection,
  { ca, cert, key }: Material,
  credential: LoginCredential | undefined,
): KubeConfig {
  const { cluster, user, server } = connection;
  const config = new KubeConfig();
  const isSecure = usesTls(connection);
  const token = credential?.token ?? user.token;
  const { certificate = '', key: certificateKey = '' } = credential ?? {};
  const encoded = (pem: string): string => Buffer.from(pem).toString('base64');
  config.loadFromOptions({
    clusters: [
      {
        name: 'cluster',
        server,
        caData: ca,
        // client-node refuses plain http unless verification is off; there is nothing to verify.
        skipTLSVerify: cluster.insecureSkipTlsVerify || !isSecure,
        tlsServerName: cluster.tlsServerName,
      },
    ],
    users: [
      {
        name: 'user',
        ...(isSecure && {
          ...(cert !== '' && { certData: cert, keyData: key }),
          ...(certificate !== '' && { certData: encoded(certificate), keyData: encoded(certificateKey) }),
          ...(user.username !== '' && { username: user.username, password: user.password }),
          ...(token !== '' && { token }),
        }),
      },
    ],
    contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
    currentContext: 'context',
  });
  return config;
}

// Follows client-go `impersonatingRoundTripper`, v0.36.
function impersonation({ user }: ResolvedConnection): Record<string, string | string[]> {
  if (user.as === '') return {};
  return {
    'impersonate-user': user.as,
    ...(user.asUid !== '' && { 'impersonate-uid': user.asUid }),
    ...(user.asGroups.length > 0 && { 'impersonate-group': [...user.asGroups] }),
    ...Object.fromEntries(
      Object.entries(user.asUserExtra).map(([key, values]) => [
        `impersonate-extra-${headerKey(key)}`,
        [...values],
      ]),
    ),
  };
}

// Escapes, like client-go `headerKeyEscape`, the bytes that a header name can't hold, and `%` itself.
function headerKey(key: string): string {
  return key
    .replace(/[^\w!#$&'*+.^`|~-]/gu, character =>
      [...Buffer.from(character)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    )
    .toLowerCase();
}

function tlsMaterial(opts: RequestOptions, connection: ResolvedConnection): TlsMaterial {
  // kubectl reads none of it for plain http, not even for a proxy that uses TLS.
  if (!usesTls(connection)) return {};
  const { ca, cert, key, servername, rejectUnauthorized } = opts as TlsMaterial;
  const { cluster, user } = connection;
  // An empty authority file trusts nothing, instead of the system's; an empty certificate is unusable, not absent.
  const trusted = ca ?? (cluster.caFile === '' ? undefined : '');
  const shown = cert ?? (user.certFile === '' ? undefined : '');
  return {
    ...(trusted !== undefined && { ca: trusted }),
    ...(shown !== undefined && { cert: shown }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && servername !== '' && { servername }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
}
