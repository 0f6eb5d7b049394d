import { SourceError } from '../../source/index.ts';
import type { ResolvedConnection } from '../config/resolve-connection.ts';
import { equalTls } from '../dial/tls-settings.ts';
import type { Waiting } from '../transport/transport.ts';
import type { ExecPluginOptions } from './exec/exec-plugin.ts';
import { type LoginOptions, loginFor } from './login.ts';
import { type Limits, type Login, LoginAttempt, standardLimits } from './login-attempt.ts';
import { type Credentials, readCredentials } from './read-credentials.ts';

export interface CredentialOptions extends ExecPluginOptions {
  readonly limits?: Partial<Limits> | undefined;
}

// client-go re-reads token files and certificates about once a minute.
const rereadMs = 60_000;
// A server that refuses everyone must not start a plugin for each of a hundred watches.
const renewEveryMs = 10_000;

/**
 * Keeps credentials fresh: one login at a time, limited in time, with pauses after failures and a new start after a
 * 401. Reads nothing and runs no plugin before the first `current()`. All methods reject with a `SourceError`, or with
 * the signal's reason while others go on waiting.
 */
export class CredentialSource {
  readonly #first: ResolvedConnection;
  readonly #options: LoginOptions;
  readonly #limits: Limits;
  readonly #closed = new SourceError('the login was cancelled.');
  #connection: ResolvedConnection;
  #login: Login | undefined;
  #cached: { readonly credentials: Credentials; readonly until: number } | undefined;
  #attempt: LoginAttempt<Credentials> | undefined;
  #failed: { readonly error: unknown; readonly again: number } | undefined;
  #failures = 0;
  #renewedAt = Number.NEGATIVE_INFINITY;
  #trustedAt = Number.NEGATIVE_INFINITY;
  #isClosed = false;

  constructor(connection: ResolvedConnection, { limits, ...options }: CredentialOptions) {
    this.#first = connection;
    this.#options = { ...options, memory: {} };
    this.#limits = { ...standardLimits, ...limits };
    this.#connection = connection;
    this.#login = loginFor(connection, this.#options);
  }

  get waiting(): Waiting | undefined {
    return this.#attempt;
  }

  /** Renews expired credentials. */
  async current(signal?: AbortSignal): Promise<Credentials> {
    const isFresh =
      this.#cached !== undefined && this.#attempt === undefined && Date.now() < this.#cached.until;
    return this.#cached !== undefined && isFresh ? this.#cached.credentials : this.#load(signal);
  }

  /** Renews credentials after a 401, unless they were renewed since or a renewal was tried moments ago. */
  async renew(refused: Credentials, signal?: AbortSignal): Promise<Credentials> {
    const since = await this.#readSince(refused, signal);
    if (since !== undefined) return since;
    if (Date.now() - this.#renewedAt < renewEveryMs) {
      // The failed renewal's reason explains more than the 401.
      if (this.#failed !== undefined) throw this.#failed.error;
      return refused;
    }
    this.#renewedAt = Date.now();
    this.#startAnew(reloaded(this.#first));
    return this.#load(signal);
  }

  /** Reads the authority again, because `unverified` doesn't trust the server; logs in again only if it changed. */
  async trustAnew(unverified: Credentials, signal?: AbortSignal): Promise<Credentials> {
    const since = await this.#readSince(unverified, signal);
    if (since !== undefined) return since;
    if (Date.now() - this.#trustedAt < renewEveryMs) return unverified;
    this.#trustedAt = Date.now();
    const again = reloaded(this.#first);
    if (!sameAuthority(again, this.#connection)) this.#startAnew(again);
    return this.#load(signal);
  }

  /** Ends a login under way. Resolves once nothing of it is left. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#attempt?.end(this.#closed);
  }

  #load(signal: AbortSignal | undefined): Promise<Credentials> {
    if (this.#isClosed) return Promise.reject(this.#closed);
    if (this.#attempt === undefined && this.#failed !== undefined && Date.now() < this.#failed.again)
      return Promise.reject(this.#failed.error as Error);
    this.#attempt ??= this.#begin();
    return this.#attempt.join(signal);
  }

  #begin(): LoginAttempt<Credentials> {
    const limits = this.#limits;
    const limitMs = this.#cached === undefined ? limits.firstMs : limits.renewMs(this.#failures);
    const connection = this.#connection;
    const login = this.#login;
    const who = login?.who ?? `a file with the credentials of user "${connection.user.name}"`;
    return new LoginAttempt({ who, limitMs, limits }, async turn => {
      try {
        const { credentials, expires } = await readCredentials(connection, login, turn);
        return this.#succeed(credentials, expires);
      } catch (error) {
        this.#failures++;
        this.#failed = { error, again: Date.now() + limits.pause(this.#failures) };
        throw error;
      } finally {
        this.#attempt = undefined;
      }
    });
  }

  #succeed(credentials: Credentials, expires: number): Credentials {
    const last = this.#cached?.credentials;
    // Keeping the instance lets the transport keep its connections.
    const kept = last !== undefined && areEqual(last, credentials) ? last : credentials;
    this.#cached = { credentials: kept, until: Math.min(Date.now() + rereadMs, expires) };
    this.#failures = 0;
    this.#failed = undefined;
    return kept;
  }

  async #readSince(before: Credentials, signal: AbortSignal | undefined): Promise<Credentials | undefined> {
    if (this.#attempt !== undefined) await this.#attempt.join(signal);
    return this.#cached?.credentials === before ? undefined : this.#cached?.credentials;
  }

  #startAnew(connection: ResolvedConnection): void {
    this.#connection = connection;
    this.#login = loginFor(connection, this.#options);
  }
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

function areEqual(a: Credentials, b: Credentials): boolean {
  return JSON.stringify(a.headers) === JSON.stringify(b.headers) && equalTls(a.tls, b.tls);
}
