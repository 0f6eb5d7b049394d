/** The ways to log in that we carry out ourselves, each as something that can be asked for the current credential. */

import { SourceError } from '../../source/source.ts';
import type { ResolvedConnection } from '../config/connection.ts';
import { fileReason, readCredentialFile } from '../config/credential-file.ts';
import { plainText } from '../config/known-credentials.ts';
import { type ExecPluginOptions, type PluginMemory, pluginName, runExecPlugin } from './exec/plugin.ts';
import { type Login, type LoginCredential, type LoginTurn, tokenCredential } from './flight.ts';
import { oidcLogin } from './oidc.ts';

export interface LoginOptions extends ExecPluginOptions {
  readonly memory: LoginMemory;
}

/** What one login leaves for the next one of the same user. */
export interface LoginMemory extends PluginMemory {
  /** Read last from the user's token file. */
  token?: string;
  /** That it cannot be read any more was said. */
  saidUnreadable?: boolean;
}

/**
 * The login that the user of a connection needs, or undefined where the kubeconfig holds the credentials. A
 * token, password or certificate wins over a plugin (client-go `UpdateTransportConfig`, v0.36).
 */
export function loginFor(connection: ResolvedConnection, options: LoginOptions): Login | undefined {
  const { user } = connection;
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

/** Milliseconds for a pipe that nothing writes to any more, where there is a token already. */
const PATIENCE_MS = 2_000;

/**
 * The token in the file. Where there is none any more, the one that was read last goes on, and the file is looked at
 * again with each request (client-go `cachingTokenSource`, v0.36). Only in place of a first one serves the token
 * beside the file's name (`NewBearerAuthWithRefreshRoundTripper`).
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
    // The token beside it is no surprise.
    if (memory.token !== undefined && memory.saidUnreadable !== true) {
      memory.saidUnreadable = true;
      notice?.(`${fileFailure(error, connection)} The token read before is kept.`);
    }
    // A pipe costs each look the whole patience.
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

/** One sentence, of a node:fs error that names its file. */
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

/** What stands in the way of credentials, in words; a `SourceError` has some already. */
export function unreadable(error: unknown, connection: ResolvedConnection): SourceError {
  if (error instanceof SourceError) return error;
  const { path, message } = error as NodeJS.ErrnoException;
  if (path !== undefined) return new SourceError(fileFailure(error, connection));
  return new SourceError(
    `cannot get credentials for user "${connection.user.name}" (${plainText(String(message), 120)}); log in again.`,
  );
}
