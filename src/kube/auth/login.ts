/** The ways to log in that we carry out ourselves, each as a function that yields the current credential. */
import { readFile } from 'node:fs/promises';
import { SourceError } from '../../source/source.ts';
import type { ResolvedConnection } from '../config/connection.ts';
import { type ExecPluginOptions, runExecPlugin } from './exec-plugin.ts';
import { type Login, type LoginCredential, tokenCredential } from './login-credential.ts';
import { oidcLogin } from './oidc.ts';

/**
 * The login that the user of a connection needs, or undefined where the kubeconfig holds the credentials. A
 * token, password or certificate wins over a plugin (client-go `UpdateTransportConfig`, v0.36).
 */
export function loginFor(connection: ResolvedConnection, options: ExecPluginOptions): Login | undefined {
  const { user } = connection;
  if (user.tokenFile !== '') return () => fileLogin(user.tokenFile, user.token);
  if (user.token !== '' || user.username !== '') return undefined;
  const { exec } = user;
  if (exec !== undefined && user.certFile === '' && user.certData === '') {
    return untilExpired(() => runExecPlugin(exec, connection, options));
  }
  return user.authProvider?.name === 'oidc' ? oidcLogin(connection, options) : undefined;
}

// The last resort is the token beside the file's name, as the kubeconfig's documentation has it.
async function fileLogin(file: string, fallback: string): Promise<LoginCredential> {
  try {
    const token = (await readFile(file, 'utf8')).trim();
    if (token !== '') return tokenCredential(token);
    if (fallback === '') throw new SourceError(`the token file ${file} is empty.`);
  } catch (error) {
    if (fallback === '') throw error;
  }
  return tokenCredential(fallback);
}

function untilExpired(login: Login): Login {
  let last: LoginCredential | undefined;
  return async () => {
    if (last === undefined || Date.now() >= last.expires) last = await login();
    return last;
  };
}
