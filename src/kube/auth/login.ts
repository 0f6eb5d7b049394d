import { SourceError } from '../../source/index.ts';
import { fileReason, readCredentialFile } from '../config/credential-file.ts';
import { plainText } from '../config/known-credentials.ts';
import type { ResolvedConnection } from '../config/resolve-connection.ts';
import { type ExecPluginOptions, type PluginMemory, pluginName, runExecPlugin } from './exec/exec-plugin.ts';
import { type Login, type LoginCredential, type LoginTurn, tokenCredential } from './login-attempt.ts';
import { oidcLogin } from './oidc.ts';

export interface LoginOptions extends ExecPluginOptions {
  readonly memory: LoginMemory;
}

/** State kept between two logins of the same user. */
export interface LoginMemory extends PluginMemory {
  token?: string;
  saidUnreadable?: boolean;
}

/** Returns undefined if the kubeconfig holds credentials, which win over a plugin (`UpdateTransportConfig`, v0.36). */
export function loginFor(connection: ResolvedConnection, options: LoginOptions): Login | undefined {
  const { user } = connection;
  // Over plain http credentials are never sent (clientcmd `ClientConfig`, v0.36).
  if (!usesTls(connection)) return undefined;
  if (user.tokenFile !== '') {
    return {
      who: `the token file ${user.tokenFile} of user "${user.name}"`,
      get: turn => fileLogin(connection, options, turn),
    };
  }
  if (user.token !== '' || user.username !== '') return undefined;
  const { exec } = user;
  if (exec !== undefined && user.certFile === '' && user.certData === '') {
    const context = { exec, connection };
    return untilExpired({
      who: pluginName(context),
      get: turn => runExecPlugin({ ...options, ...context, turn }),
    });
  }
  return user.authProvider?.name === 'oidc' ? oidcLogin(connection, options) : undefined;
}

export function usesTls({ server }: ResolvedConnection): boolean {
  return server.startsWith('https:');
}

/** Milliseconds to wait for a pipe if an older token exists. */
const PATIENCE_MS = 2_000;

/**
 * Reads the token file; if it is gone, keeps the last token and retries per request (client-go `cachingTokenSource`,
 * v0.36), else uses the kubeconfig's own token (`NewBearerAuthWithRefreshRoundTripper`).
 */
async function fileLogin(
  connection: ResolvedConnection,
  { memory, notice }: LoginOptions,
  { signal }: LoginTurn,
): Promise<LoginCredential> {
  const { tokenFile, token: beside } = connection.user;
  const last = memory.token ?? (beside === '' ? undefined : beside);
  const patience = last === undefined ? signal : AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)]);
  try {
    const token = (await readCredentialFile(tokenFile, patience)).toString('utf8').trim();
    if (token === '') throw Object.assign(new Error('empty'), { code: 'EMPTY', path: tokenFile });
    memory.token = token;
    memory.saidUnreadable = false;
    return tokenCredential(token);
  } catch (error) {
    signal.throwIfAborted();
    if (last === undefined) throw error;
    if (memory.token !== undefined && memory.saidUnreadable !== true) {
      memory.saidUnreadable = true;
      notice?.(`${fileFailure(error, connection)} The token read before is kept.`);
    }
    // Checking a pipe costs the whole wait, so it isn't repeated.
    return tokenCredential(last, patience.aborted ? Number.POSITIVE_INFINITY : 0);
  }
}

function untilExpired({ who, get }: Login): Login {
  let last: LoginCredential | undefined;
  return {
    who,
    get: async turn => {
      if (last === undefined || Date.now() >= last.expires) last = await get(turn);
      return last;
    },
  };
}

function fileFailure(error: unknown, { cluster, user }: ResolvedConnection): string {
  const { code, path } = error as NodeJS.ErrnoException;
  const what =
    path === cluster.caFile
      ? `certificate authority of cluster "${cluster.name}"`
      : path === user.tokenFile
        ? `token of user "${user.name}"`
        : `client certificate or key of user "${user.name}"`;
  return `cannot read the ${what}: ${path}: ${fileReason(error) ?? code}.`;
}

/** Describes why credentials can't be had; returns a `SourceError` unchanged. */
export function unreadable(error: unknown, connection: ResolvedConnection): SourceError {
  if (error instanceof SourceError) return error;
  const { path, message } = error as NodeJS.ErrnoException;
  if (path !== undefined) return new SourceError(fileFailure(error, connection));
  return new SourceError(
    `cannot get credentials for user "${connection.user.name}" (${plainText(String(message), 120)}); log in again.`,
  );
}
