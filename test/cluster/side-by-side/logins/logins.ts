/** How a user logs in: exec plugins and what they are told, token files, passwords, and the providers that are gone. */

import type { ConnectionFlags } from '../../../../src/source/connection-flags.ts';
import { type Cell, type Cells, type Fields, trusting, type World } from '../cell.ts';

export const v1 = 'client.authentication.k8s.io/v1';
export const v1beta1 = 'client.authentication.k8s.io/v1beta1';

/** Says what it was told, and gives a token with its first argument in it; or prints `answer` instead. */
export function plugin(answer?: string, apiVersion = v1): string {
  const status = { kind: 'ExecCredential', apiVersion, status: { token: 'plugin-TOKEN' } };
  const text = (answer ?? JSON.stringify(status)).replace('TOKEN', `'"$1$MINE"'`);
  return `#!/bin/sh\nprintf %s "$KUBERNETES_EXEC_INFO" > 'HOME/told'\nprintf %s '${text}'\n`;
}

/** A user who logs in by `HOME/bin/login` unless told otherwise, and no token. */
export function byPlugin(exec: Fields = {}, user: Fields = {}): Fields {
  const usual = { apiVersion: v1, command: './bin/login', interactiveMode: 'IfAvailable' };
  return { token: '', ...user, exec: { ...usual, ...exec } };
}

export function logins({ made }: World): Cells {
  const files = { 'bin/login': plugin(), 'other/login': plugin() };
  const exec = (settings: Fields = {}, more: Partial<Cell> & { says?: RegExp } = {}): Cell => ({
    user: byPlugin(settings),
    files,
    ...more,
  });
  const told = (cluster: Fields, more: Partial<Cell> = {}): Cell =>
    exec({ provideClusterInfo: true }, { cluster: { ...trusting(made.root), ...cluster }, ...more });
  const extension = (value: unknown): Cell =>
    told({ extensions: [{ name: 'client.authentication.k8s.io/exec', extension: value }] });
  const wrong = (settings: Fields, says: RegExp): Cell => exec(settings, { says });
  const path = (PATH: string, more: Partial<Cell> = {}): Cell =>
    exec({ command: 'login' }, { env: { PATH }, ...more });
  const provider = (name: string, user: Fields = {}): Cell => ({
    user: { token: '', ...user, 'auth-provider': { name, config: {} } },
    says: /auth-provider/,
  });
  const tokenFile = (text: string, user: Fields = {}, flags: ConnectionFlags = {}): Cell => ({
    user: { token: '', tokenFile: 'HOME/token', ...user },
    files: { token: text },
    flags,
  });
  const unread = /cannot read the token of user "test"/;
  return {
    accepted: {
      'by a plugin': exec(),
      'by a plugin that is never asked for anything': exec({ interactiveMode: 'Never' }),
      'by a plugin of v1beta1': exec(
        { apiVersion: v1beta1 },
        { files: { 'bin/login': plugin(undefined, v1beta1) } },
      ),
      'by a plugin of v1beta1 without a mode': exec(
        { apiVersion: v1beta1, interactiveMode: undefined },
        { files: { 'bin/login': plugin(undefined, v1beta1) } },
      ),
      'by a plugin with arguments and environment': exec({
        args: ['one'],
        env: [{ name: 'MINE', value: 'two' }],
      }),
      'by a plugin that is given its own KUBERNETES_EXEC_INFO': exec({
        env: [{ name: 'KUBERNETES_EXEC_INFO', value: '{}' }],
      }),
      'by a plugin with its whole path': exec({ command: 'HOME/bin/../bin//login' }),
      'by a plugin with a relative path': exec({ command: 'bin/login' }),
      'by a plugin on the PATH': path('HOME/none:HOME/bin:HOME/other:/usr/bin:/bin'),
      'by a plugin on our PATH, not on its own': exec(
        { command: 'login', env: [{ name: 'PATH', value: '/nowhere' }] },
        { env: { PATH: 'HOME/bin:/usr/bin:/bin' } },
      ),
      'by a plugin before a relative folder of the PATH': path('HOME/bin:HERE/other:/usr/bin:/bin'),
      'by a plugin after what is no program': path('HOME:HOME/text:HOME/bin:/usr/bin:/bin', {
        files: { ...files, 'login/a': '', 'text/login': 'text' },
      }),
      'by a plugin that is told of the cluster': told({}),
      'by a plugin that is told of a name, of no compression': told({
        'tls-server-name': 'localhost',
        'disable-compression': true,
      }),
      'by a plugin that is told of nobody to trust': exec(
        { provideClusterInfo: true },
        { cluster: { 'insecure-skip-tls-verify': true } },
      ),
      'by a plugin that is told of an authority in a file': exec(
        { provideClusterInfo: true },
        { cluster: { 'certificate-authority': made.root.certificate } },
      ),
      'by a plugin that is told of a proxy': told({}, { proxy: { kind: 'http' } }),
      'by a plugin that is told of a proxy with a password': told(
        {},
        { proxy: { kind: 'http', address: 'http://me:pass@127.0.0.1:PORT', wants: 'me:pass' } },
      ),
      'by a plugin that is not told of the proxy of the environment': told(
        {},
        {
          address: 'https://example.com:PORT',
          cluster: { ...trusting(made.root), 'tls-server-name': 'localhost' },
          proxy: { kind: 'http', from: 'HTTPS_PROXY' },
        },
      ),
      'by a plugin that is told of an address with a path': told(
        {},
        { address: 'https://127.0.0.1:PORT/base/' },
      ),
      'by a plugin that is told of an address with more than a path': told(
        {},
        { address: 'https://127.0.0.1:PORT/base?a=1#b' },
      ),
      'by a plugin that is told of an address with a slash': told({}, { address: 'https://127.0.0.1:PORT/' }),
      'by a plugin that is told of settings': extension({
        audience: 'a<b>&c',
        list: [1, 2.5, null, true],
        apiVersion: 'v1',
        kind: 'x',
      }),
      'by a plugin that is told of settings that are text': extension('text'),
      'by a plugin that is told of settings that are null': extension(null),
      'by a plugin that is told of settings of others': told({
        extensions: [{ name: 'other', extension: { a: 1 } }],
      }),
      'with a token beside a plugin': { user: byPlugin({}, { token: 'test' }), files },
      'with --token beside a plugin': exec({}, { flags: { token: 'flag' } }),
      'with a password beside a plugin': { user: byPlugin({}, { username: 'me', password: 'pass' }), files },
      'with a certificate beside a plugin': {
        user: byPlugin({}, { 'client-certificate': made.user.certificate, 'client-key': made.user.key }),
        files,
      },
      'with a token file beside a plugin': {
        user: byPlugin({}, { tokenFile: 'HOME/token' }),
        files: { ...files, token: 'file' },
      },
      'by a plugin, without TLS': exec({}, { server: 'http' }),
      'by a plugin of a version that is gone, without TLS': exec(
        { apiVersion: 'client.authentication.k8s.io/v1alpha1', interactiveMode: undefined },
        { server: 'http' },
      ),
      'by a provider that is gone, without TLS': { ...provider('gcp'), server: 'http' },
      'by a plugin, as somebody else': exec({}, { flags: { as: 'jane', asUserExtra: ['a=b'] } }),
      'with a token file': tokenFile('file'),
      'with a token file that ends with a line': tokenFile('file\n\n'),
      'with a token beside its file': tokenFile('file', { token: 'test' }),
      'with a token beside a file that is not there': { user: { token: 'test', tokenFile: 'HOME/none' } },
      'with --token beside a token file': { ...tokenFile('file', {}, { token: 'flag' }), sendsOther: true },
      'with a token and no file': { user: { token: 'a b' } },
      'with a password': { user: { token: '', username: 'me', password: 'pa:ss' } },
      'with a name and no password': { user: { token: '', username: 'me' } },
    },
    refused: {
      'by a plugin of v1 without a mode': wrong({ interactiveMode: undefined }, /without an interactiveMode/),
      'by a plugin with an empty mode': wrong({ interactiveMode: '' }, /without an interactiveMode/),
      'by a plugin with another mode': wrong({ interactiveMode: 'never' }, /with interactiveMode "never"/),
      'by a plugin that always asks': wrong({ interactiveMode: 'Always' }, /has to ask on the terminal/),
      'by a plugin without a version': wrong({ apiVersion: undefined }, /without an API version/),
      'by a plugin of a version that is gone': wrong(
        { apiVersion: 'client.authentication.k8s.io/v1alpha1', interactiveMode: undefined },
        /is not supported/,
      ),
      'by a plugin of another version': wrong({ apiVersion: 'v1' }, /is not supported/),
      'by a plugin of another version, with a token': {
        ...exec({}, { says: /is not supported/ }),
        user: byPlugin({ apiVersion: 'v1' }, { token: 'test' }),
      },
      'by a plugin without a command': wrong({ command: '' }, /without a command/),
      'by a plugin with a variable that has no name': wrong({ env: [{ value: 'a' }] }, /has no name/),
      'by a plugin with a variable that has no name, with a token': {
        ...exec({}, { says: /has no name/ }),
        user: byPlugin({ env: [{ value: 'a' }] }, { token: 'test' }),
      },
      'by a plugin and a provider': {
        user: byPlugin({}, { 'auth-provider': { name: 'oidc' } }),
        files,
        says: /and an auth-provider/,
      },
      'by a plugin without a mode, without TLS': exec(
        { interactiveMode: undefined },
        { server: 'http', says: /without an interactiveMode/ },
      ),
      'by a plugin that is not there': wrong({ command: 'no-such-login' }, /was not found/),
      'by a plugin that is not there, with a hint': wrong(
        { command: 'no-such-login', installHint: 'get\u001b[31m it.' },
        /was not found: get it\.$/,
      ),
      'by a plugin that is not at its path': wrong({ command: './no-such-login' }, /was not found/),
      'by a plugin that is no program': exec(
        {},
        { files: { 'bin/login': 'text' }, says: /is not executable/ },
      ),
      'by a plugin in a relative folder of the PATH': path('HERE/bin:HOME/bin:/usr/bin:/bin', {
        says: /relative folder of the PATH/,
      }),
      'by a plugin whose authority cannot be read': told(
        { 'certificate-authority-data': undefined, 'certificate-authority': '/no/such' },
        { says: /cannot read the certificate authority/ },
      ),
      'by a plugin that fails': exec(
        {},
        { files: { 'bin/login': '#!/bin/sh\necho no. >&2; exit 3\n' }, says: /exit code 3: no\.$/ },
      ),
      'by gcp': provider('gcp'),
      'by azure': provider('azure'),
      'by a provider that nobody knows': provider('other'),
      'by a provider without a name': provider(''),
      'by gcp, with a token': provider('gcp', { token: 'test' }),
      'by gcp, with --token': { ...provider('gcp'), flags: { token: 'flag' } },
      'by oidc without an issuer': { ...provider('oidc'), says: /without idp-issuer-url/ },
      'by oidc without an issuer, with a token': {
        ...provider('oidc', { token: 'test' }),
        says: /without idp-issuer-url/,
      },
      'with a token and a password': { user: { username: 'me', password: 'pass' }, says: /both a token and/ },
      'with --token and a password': {
        user: { token: '', username: 'me', password: 'pass' },
        flags: { token: 'flag' },
        says: /both a token and/,
      },
      'with a token file and a password': {
        ...tokenFile('file', { username: 'me', password: 'pass' }),
        says: /both a token and/,
      },
      'with a token file that is not there': {
        user: { token: '', tokenFile: 'HOME/none' },
        says: unread,
      },
      'with a token file that is a folder': { user: { token: '', tokenFile: 'HOME' }, says: unread },
      'with a token file that is empty': { ...tokenFile(''), says: unread },
      'with a token file of blanks': { ...tokenFile(' \n'), says: unread },
    },
    // kubectl asks for a name and a password then, and there is nobody to ask.
    laxer: {
      'with nothing': { user: { token: '' } },
      'with nothing, as somebody else': { user: { token: '', as: 'jane' } },
    },
  };
}
