/**
 * kubectl's OpenID Connect login. client-node 2.0.1 fails at every renewal (its library wants the issuer as a URL
 * object and, with a custom authority, a genuine Response), and doesn't save new tokens.
 */

import { closeSync, openSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { isMap, isSeq, parseDocument } from 'yaml';
import { replaceFileSync } from '../../disk/index.ts';
import { record } from '../../model/index.ts';
import { SourceError } from '../../source/index.ts';
import { proxyFromEnvironment, shownProxy } from '../config/choose-proxy.ts';
import { readCredentialFile } from '../config/credential-file.ts';
import { keepSecret, plainText } from '../config/known-credentials.ts';
import type { KubeconfigUser } from '../config/kubeconfig.ts';
import type { ResolvedConnection } from '../config/resolve-connection.ts';
import { connectionError } from '../transport/connection-failure.ts';
import { createDispatcher } from '../transport/dispatcher.ts';
import { parseJson } from '../wire/json-list.ts';
import type { ExecPluginOptions } from './exec/exec-plugin.ts';
import { type Login, type LoginTurn, tokenCredential } from './login-attempt.ts';

type Config = Readonly<Record<string, string>>;

/** Logs in by client-go's rules (`oidcAuthProvider.idToken`, v0.36). No error shows the tokens. */
export function oidcLogin(connection: ResolvedConnection, options: ExecPluginOptions): Login {
  const { user } = connection;
  let config: Config = user.authProvider?.config ?? {};
  const who = `the identity provider ${providerOf(config)} of user "${user.name}"`;
  const get = async ({ signal }: LoginTurn) => {
    const current = config['id-token'] ?? '';
    const expires = expiry(current);
    if (current !== '' && Date.now() < expires) return tokenCredential(current, expires);
    if ((config['refresh-token'] ?? '') === '') {
      throw new SourceError(
        `the login of user "${user.name}" has expired, and there is no refresh token; log in again.`,
      );
    }
    const renewed = await renew(config, connection, signal);
    config = { ...config, ...renewed };
    if (!keepTokens(user, renewed)) {
      options.notice?.(`could not save the renewed login of user "${user.name}" in ${user.file}`);
    }
    const token = renewed['id-token'] ?? '';
    return tokenCredential(token, expiry(token));
  };
  return { who, get };
}

function providerOf(config: Config): string {
  const url = URL.parse(config['idp-issuer-url'] ?? '');
  return url === null ? 'without an address' : `${url.origin}${url.pathname.replace(/\/$/, '')}`;
}

// Returns milliseconds since the epoch. Go allows ten seconds for clock skew.
function expiry(jwt: string): number {
  try {
    const { exp } = JSON.parse(Buffer.from(jwt.split('.')[1] ?? '', 'base64url').toString()) as {
      exp?: unknown;
    };
    return typeof exp === 'number' ? exp * 1000 - 10_000 : 0;
  } catch {
    return 0;
  }
}

async function renew(config: Config, connection: ResolvedConnection, signal: AbortSignal): Promise<Config> {
  const issuer = (config['idp-issuer-url'] ?? '').replace(/\/$/, '');
  const failed = (why: string) =>
    new SourceError(
      `cannot renew the login of user "${connection.user.name}" at ${providerOf(config)}: ${why}; log in again.`,
    );
  if (URL.parse(issuer)?.protocol !== 'https:') throw failed('idp-issuer-url is not an https address');

  const metadata = await ask(`${issuer}/.well-known/openid-configuration`, { config, connection, signal });
  const endpoint = metadata.json['token_endpoint'];
  if (typeof endpoint !== 'string' || URL.parse(endpoint)?.protocol !== 'https:') {
    throw failed(`it names no token endpoint (${metadata.status})`);
  }
  const form = new URLSearchParams({
    grant_type: 'refresh_token',
    refresh_token: config['refresh-token'] ?? '',
  });
  const id = config['client-id'] ?? '';
  const secret = config['client-secret'] ?? '';
  const basic = `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString('base64')}`;
  // Providers take the client's secret in a header or in the form; Go's oauth2 tries them in this order.
  let answer = await ask(endpoint, { config, connection, signal, form, authorization: basic });
  if (answer.status !== 200) {
    form.set('client_id', id);
    if (secret !== '') form.set('client_secret', secret);
    answer = await ask(endpoint, { config, connection, signal, form });
  }
  const {
    id_token: idToken,
    refresh_token: refreshToken,
    error,
    error_description: description,
  } = answer.json;
  if (answer.status !== 200) {
    const why = [error, description].filter(text => typeof text === 'string').join(': ');
    throw failed(`${answer.status} ${plainText(why, 160)}`.trim());
  }
  keepSecret([idToken, refreshToken].filter(token => typeof token === 'string'));
  if (typeof idToken !== 'string')
    throw failed('its answer holds no id_token (was the scope openid asked for?)');
  return {
    'id-token': idToken,
    ...(typeof refreshToken === 'string' && refreshToken !== '' && { 'refresh-token': refreshToken }),
  };
}

interface Question {
  readonly config: Config;
  readonly connection: ResolvedConnection;
  readonly signal: AbortSignal;
  readonly form?: URLSearchParams;
  readonly authorization?: string;
}

async function ask(address: string, { config, connection, signal, form, authorization }: Question) {
  const { origin, pathname, search } = new URL(address);
  const file = config['idp-certificate-authority'] ?? '';
  const data = config['idp-certificate-authority-data'] ?? '';
  const ca =
    data !== ''
      ? Buffer.from(data, 'base64')
      : file !== ''
        ? await readCredentialFile(file, signal)
        : undefined;
  const proxyUrl = proxyFromEnvironment(origin, connection.env);
  const dispatcher = createDispatcher(
    { server: origin, proxyUrl, env: connection.env },
    ca === undefined ? {} : { ca },
  );
  try {
    const response = await dispatcher.request({
      origin,
      path: pathname + search,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        accept: 'application/json',
        ...(form !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        ...(authorization !== undefined && { authorization }),
      },
      ...(form !== undefined && { body: form.toString() }),
      signal,
    });
    const text = await response.body.text();
    return { status: response.statusCode, json: record(parseJson(text)) };
  } catch (error) {
    signal.throwIfAborted();
    throw connectionError(error, { server: origin, contextName: undefined, proxy: shownProxy(proxyUrl) });
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Writes only these values, under clientcmd's lock file (`ModifyConfig`, v0.36); false if it is locked or read-only.
 */
function keepTokens({ file, name }: KubeconfigUser, renewed: Config): boolean {
  let lock: string | undefined;
  try {
    const target = realpathSync(file);
    closeSync(openSync(`${target}.lock`, 'wx'));
    lock = `${target}.lock`;
    const text = withTokens(readFileSync(target, 'utf8'), name, renewed);
    if (text === undefined) return false;
    const next = `${target}.gc-tree-${process.pid}`;
    try {
      writeFileSync(next, text, { mode: statSync(target).mode & 0o777, flag: 'wx' });
      replaceFileSync(next, target);
    } catch (error) {
      rmSync(next, { force: true });
      throw error;
    }
    return true;
  } catch {
    return false;
  } finally {
    if (lock !== undefined) rmSync(lock, { force: true });
  }
}

function withTokens(text: string, user: string, config: Config): string | undefined {
  const document = parseDocument(text, { uniqueKeys: false });
  const users = document.get('users');
  if (document.errors.length > 0 || !isSeq(users)) return undefined;
  const entry = users.items.find(item => isMap(item) && item.get('name') === user);
  const provider = isMap(entry) ? entry.getIn(['user', 'auth-provider', 'config']) : undefined;
  if (!isMap(provider)) return undefined;
  for (const [key, value] of Object.entries(config)) provider.set(key, value);
  return document.toString({ lineWidth: 0 });
}
