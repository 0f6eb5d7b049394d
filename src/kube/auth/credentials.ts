/**
 * Keeps credentials fresh: one login at a time, limited in time, with pauses after failures and a new start after a
 * 401.
 */
import { SourceError } from '../../source/source.ts';
import type { ResolvedConnection } from '../config/connection.ts';
import { equalTls } from '../dial/security.ts';
import type { Waiting } from '../transport/transport.ts';
import type { ExecPluginOptions } from './exec/plugin.ts';
import { Flight, type Limits, standardLimits } from './flight.ts';
import type { LoginMemory } from './login.ts';
import { type Credentials, LoginSession } from './session.ts';

export interface CredentialSource {
  /**
   * Renews expired credentials. Rejects with a `SourceError`, or with the signal's reason while others go on waiting.
   */
  current(signal?: AbortSignal): Promise<Credentials>;
  /** Renews credentials after a 401, unless they were renewed since or a renewal was tried moments ago. */
  renew(refused: Credentials, signal?: AbortSignal): Promise<Credentials>;
  /** Reads the authority again, because `unverified` doesn't trust the server; logs in again only if it changed. */
  trustAnew(unverified: Credentials, signal?: AbortSignal): Promise<Credentials>;
  readonly waiting: Waiting | undefined;
  /** Ends a login under way. Resolves once nothing of it is left. */
  close(): Promise<void>;
}

export interface CredentialOptions extends ExecPluginOptions {
  readonly limits?: Partial<Limits> | undefined;
}

// client-go re-reads token files and certificates about once a minute.
const rereadMs = 60_000;
// A server that refuses everyone must not start a plugin for each of a hundred watches.
const renewEveryMs = 10_000;

/** Reads nothing and runs no plugin before the first `current()`. */
export function createCredentials(first: ResolvedConnection, options: CredentialOptions): CredentialSource {
  const limits = { ...standardLimits, ...options.limits };
  const memory: LoginMemory = {};
  let connection = first;
  let session = new LoginSession(connection, { ...options, memory });
  let cached: { readonly credentials: Credentials; readonly until: number } | undefined;
  let flight: Flight<Credentials> | undefined;
  let failed: { readonly error: unknown; readonly again: number } | undefined;
  let failures = 0;
  let renewedAt = Number.NEGATIVE_INFINITY;
  let trustedAt = Number.NEGATIVE_INFINITY;
  const closed = new SourceError('the login was cancelled.');
  let isClosed = false;

  const succeed = (credentials: Credentials): Credentials => {
    const same = cached !== undefined && equal(cached.credentials, credentials);
    // Keeping the instance lets the transport keep its connections.
    const kept = same && cached !== undefined ? cached.credentials : credentials;
    cached = { credentials: kept, until: Math.min(Date.now() + rereadMs, session.expires) };
    failures = 0;
    failed = undefined;
    return kept;
  };

  const fail = (error: unknown): never => {
    failures++;
    failed = { error, again: Date.now() + limits.pause(failures) };
    throw error;
  };

  const load = (signal: AbortSignal | undefined): Promise<Credentials> => {
    if (isClosed) return Promise.reject(closed);
    if (flight === undefined && failed !== undefined && Date.now() < failed.again) {
      return Promise.reject(failed.error as Error);
    }
    flight ??= begin();
    return flight.join(signal);
  };

  const begin = (): Flight<Credentials> => {
    const limitMs = cached === undefined ? limits.firstMs : limits.renewMs(failures);
    return new Flight({ who: session.who, limitMs, limits }, turn =>
      session
        .read(turn)
        .then(succeed, fail)
        .finally(() => {
          flight = undefined;
        }),
    );
  };

  const readSince = async (
    before: Credentials,
    signal: AbortSignal | undefined,
  ): Promise<Credentials | undefined> => {
    if (flight !== undefined) await flight.join(signal);
    return cached?.credentials === before ? undefined : cached?.credentials;
  };

  const startAnew = (of: ResolvedConnection): void => {
    connection = of;
    session = new LoginSession(connection, { ...options, memory });
  };

  return {
    current: async signal =>
      cached !== undefined && flight === undefined && Date.now() < cached.until
        ? cached.credentials
        : load(signal),
    renew: async (refused, signal) => {
      const since = await readSince(refused, signal);
      if (since !== undefined) return since;
      if (Date.now() - renewedAt < renewEveryMs) {
        // The failed renewal's reason explains more than the 401.
        if (failed !== undefined) throw failed.error;
        return refused;
      }
      renewedAt = Date.now();
      startAnew(reloaded(first));
      return load(signal);
    },
    trustAnew: async (unverified, signal) => {
      const since = await readSince(unverified, signal);
      if (since !== undefined) return since;
      if (Date.now() - trustedAt < renewEveryMs) return unverified;
      trustedAt = Date.now();
      const again = reloaded(first);
      if (!sameAuthority(again, connection)) startAnew(again);
      return load(signal);
    },
    get waiting() {
      return flight;
    },
    close: async () => {
      isClosed = true;
      await flight?.end(closed);
    },
  };
}

// Ignores a changed server address: credentials must not reach another server in mid-session.
function reloaded(first: ResolvedConnection): ResolvedConnection {
  try {
    const again = first.reload();
    return again.server === first.server ? again : first;
  } catch {
    return first;
  }
}

/** Compares file names only: the session reads the file each time. */
function sameAuthority({ cluster: a }: ResolvedConnection, { cluster: b }: ResolvedConnection): boolean {
  return (
    a.caFile === b.caFile &&
    a.caData === b.caData &&
    a.tlsServerName === b.tlsServerName &&
    a.insecureSkipTlsVerify === b.insecureSkipTlsVerify
  );
}

function equal(a: Credentials, b: Credentials): boolean {
  return JSON.stringify(a.headers) === JSON.stringify(b.headers) && equalTls(a.tls, b.tls);
}
