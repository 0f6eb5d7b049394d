/**
 * What a request needs to be let in: TLS material and headers, kept fresh. client-node's KubeConfig applies
 * them; here is what it leaves to its callers: one renewal at a time, and a new start after a 401.
 */
import type { RequestOptions } from 'node:https';
import { SourceError } from '../../source/source.ts';
import type { ResolvedConnection } from '../config/connection.ts';
import { KubeConfig, type User } from './client-node.ts';
import type { ExecPluginOptions } from './exec-plugin.ts';
import { loginFor } from './login.ts';
import type { Login } from './login-credential.ts';
import { plainText } from './plain-text.ts';
import { equalTls, type TlsMaterial } from './tls-material.ts';

/** One state of the credentials; a renewal makes a new instance. */
export interface Credentials {
  /** Lower-case names; several values are sent as several headers. */
  readonly headers: Readonly<Record<string, string | string[]>>;
  readonly tls: TlsMaterial;
}

export interface CredentialSource {
  /** Current credentials, renewed where they expired. Rejects with a `SourceError`. */
  current(): Promise<Credentials>;
  /**
   * New credentials after the server refused `refused` with 401. Does nothing, and returns what is current,
   * when they were renewed since or a renewal was tried moments ago.
   */
  renew(refused: Credentials): Promise<Credentials>;
}

// client-go re-reads token files and certificates about once a minute.
const rereadMs = 60_000;
// A server that refuses everybody must not start a plugin for each of a hundred watches, again and again.
const renewEveryMs = 10_000;

/** Credentials of a resolved connection. Nothing is read and no plugin runs before the first `current()`. */
export function createCredentials(first: ResolvedConnection, options: ExecPluginOptions): CredentialSource {
  let session = new Session(first, options);
  let cached: { readonly credentials: Credentials; readonly until: number } | undefined;
  let pending: Promise<Credentials> | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const load = (): Promise<Credentials> => {
    pending ??= session
      .read()
      .then(credentials => {
        const same = cached !== undefined && equal(cached.credentials, credentials);
        // Keeping the instance tells the transport that its connections can stay.
        const kept = same && cached !== undefined ? cached.credentials : credentials;
        cached = { credentials: kept, until: Math.min(Date.now() + rereadMs, session.expires) };
        return kept;
      })
      .finally(() => {
        pending = undefined;
      });
    return pending;
  };

  return {
    current: async () =>
      cached !== undefined && pending === undefined && Date.now() < cached.until
        ? cached.credentials
        : load(),
    renew: async refused => {
      if (pending !== undefined) await pending;
      if (cached !== undefined && cached.credentials !== refused) return cached.credentials;
      if (Date.now() - renewedAt < renewEveryMs) return refused;
      renewedAt = Date.now();
      session = new Session(reloaded(first), options);
      return load();
    },
  };
}

// The user's files may have changed (a login renews the token there). A changed address is not followed:
// credentials must not wander to another server in mid-session.
function reloaded(first: ResolvedConnection): ResolvedConnection {
  try {
    const again = first.reload();
    return again.server === first.server ? again : first;
  } catch {
    return first;
  }
}

/** The credentials as one reading of the kubeconfig gives them. */
class Session {
  /** Milliseconds since the epoch; after it `read` has to be asked again. */
  expires = Number.POSITIVE_INFINITY;
  readonly #connection: ResolvedConnection;
  readonly #config = new KubeConfig();

  constructor(connection: ResolvedConnection, options: ExecPluginOptions) {
    this.#connection = connection;
    const { cluster, server } = connection;
    // Over plain http credentials are never sent (clientcmd `ClientConfig`, v0.36).
    const login = isTls(connection) ? loginFor(connection, options) : undefined;
    if (login !== undefined) {
      this.#config.addAuthenticator({
        isAuthProvider: user => user.authProvider?.name === ownProvider,
        applyAuthentication: (_user, opts) => this.#authenticate(login, opts as RequestOptions),
      });
    }
    this.#config.loadFromOptions({
      clusters: [
        {
          name: 'cluster',
          server,
          // kubectl lets data win over the file, client-node the other way round.
          caFile: cluster.caData === '' ? cluster.caFile : '',
          caData: cluster.caData,
          // client-node refuses plain http unless verification is off; there is nothing to verify.
          skipTLSVerify: cluster.insecureSkipTlsVerify || !isTls(connection),
          tlsServerName: cluster.tlsServerName,
        },
      ],
      users: [clientNodeUser(connection, login !== undefined)],
      contexts: [{ name: 'context', cluster: 'cluster', user: 'user' }],
      currentContext: 'context',
    });
  }

  async read(): Promise<Credentials> {
    const opts: RequestOptions = {};
    try {
      await this.#config.applyToHTTPSOptions(opts);
    } catch (error) {
      throw error instanceof SourceError ? error : unreadable(error, this.#connection);
    }
    const headers: Record<string, string> = {};
    for (const [name, value] of Object.entries(opts.headers ?? {})) {
      if (typeof value === 'string') headers[name.toLowerCase()] = value;
    }
    if (typeof opts.auth === 'string') {
      headers['authorization'] = `Basic ${Buffer.from(opts.auth).toString('base64')}`;
    }
    return { headers: { ...headers, ...impersonation(this.#connection) }, tls: tlsMaterial(opts) };
  }

  async #authenticate(login: Login, opts: RequestOptions): Promise<void> {
    const { token, certificate, key, expires } = await login();
    this.expires = expires;
    if (token !== '') Object.assign((opts.headers ??= {}), { Authorization: `Bearer ${token}` });
    if (certificate !== '') Object.assign(opts, { cert: certificate, key });
  }
}

const ownProvider = 'gc-tree';

function isTls(connection: ResolvedConnection): boolean {
  return connection.server.startsWith('https:');
}

function clientNodeUser({ user, server }: ResolvedConnection, hasLogin: boolean): User {
  if (!server.startsWith('https:')) return { name: 'user' };
  const hasCert = user.certFile !== '' || user.certData !== '';
  return {
    name: 'user',
    ...(hasCert && {
      ...(user.certData === '' ? { certFile: user.certFile } : { certData: user.certData }),
      ...(user.keyData === '' ? { keyFile: user.keyFile } : { keyData: user.keyData }),
    }),
    ...(user.username !== '' && { username: user.username, password: user.password }),
    ...(user.token !== '' && !hasLogin && { token: user.token }),
    // The config is a copy, for client-node writes renewed tokens into it.
    ...(hasLogin
      ? { authProvider: { name: ownProvider } }
      : user.authProvider && {
          authProvider: { ...user.authProvider, config: { ...user.authProvider.config } },
        }),
  };
}

// client-go `impersonatingRoundTripper`, v0.36.
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

// client-go `headerKeyEscape`: whatever no name of a header may hold, and `%` itself, by its bytes.
function headerKey(key: string): string {
  return key
    .replace(/[^\w!#$&'*+.^`|~-]/gu, character =>
      [...Buffer.from(character)].map(byte => `%${byte.toString(16).padStart(2, '0')}`).join(''),
    )
    .toLowerCase();
}

function tlsMaterial(opts: RequestOptions): TlsMaterial {
  const { ca, cert, key, servername, rejectUnauthorized } = opts as TlsMaterial;
  return {
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    ...(servername !== undefined && servername !== '' && { servername }),
    ...(rejectUnauthorized !== undefined && { rejectUnauthorized }),
  };
}

function equal(a: Credentials, b: Credentials): boolean {
  return JSON.stringify(a.headers) === JSON.stringify(b.headers) && equalTls(a.tls, b.tls);
}

// A file that can't be read, or an identity provider that refuses to renew.
function unreadable(error: unknown, connection: ResolvedConnection): SourceError {
  const { code, path, message } = error as NodeJS.ErrnoException;
  const { cluster, user } = connection;
  if (path !== undefined) {
    const what =
      path === cluster.caFile
        ? `certificate authority of cluster "${cluster.name}"`
        : path === user.tokenFile
          ? `token of user "${user.name}"`
          : `client certificate or key of user "${user.name}"`;
    const reason = code === 'ENOENT' ? 'no such file' : code === 'EACCES' ? 'permission denied' : code;
    return new SourceError(`can't read the ${what}: ${path}: ${reason}.`);
  }
  const provider = user.authProvider?.name ?? 'its provider';
  return new SourceError(
    `can't get credentials for user "${user.name}" from ${provider} (${plainText(String(message), 120)}); log in again.`,
  );
}
