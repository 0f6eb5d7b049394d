/**
 * Runs a kubeconfig's exec plugin by client-go's rules. Ours, and registered with client-node as a custom
 * authenticator, because client-node's leaves standard input open (a plugin that prompts hangs for ever),
 * sets no KUBERNETES_EXEC_INFO, and reports failures without saying whose.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { SourceError } from '../../source/source.ts';
import type { ResolvedConnection } from '../config/connection.ts';
import type { ExecConfig } from '../config/kubeconfig.ts';
import type { LoginCredential } from './login-credential.ts';
import { plainText } from './plain-text.ts';

export interface ExecPluginOptions {
  /** Lets the plugin read the terminal, where there is one and the kubeconfig doesn't forbid it. */
  readonly interactive?: boolean | undefined;
  /** Receives what the plugin writes to standard error while it runs, such as "open this page". */
  readonly notice?: ((line: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/**
 * Runs the plugin once (client-go `refreshCredsLocked`, v0.36). Rejects with a `SourceError` that carries
 * the plugin's own words from standard error, never anything from standard output, which holds credentials.
 */
export async function runExecPlugin(
  exec: ExecConfig,
  connection: ResolvedConnection,
  options: ExecPluginOptions = {},
): Promise<LoginCredential> {
  const name = connection.user.name;
  if (!apiVersions.includes(exec.apiVersion)) {
    throw new SourceError(
      `the exec plugin of user "${name}" is set to API version "${exec.apiVersion}", which is no longer supported; use ${apiVersions[0]}.`,
    );
  }
  const interactive = isInteractive(exec, options.interactive === true);
  if (exec.interactiveMode === 'Always' && !interactive) {
    throw new SourceError(
      `the exec plugin ${exec.command} of user "${name}" has to ask on the terminal; log in with kubectl first.`,
    );
  }
  const stdout = await run(exec, { connection, interactive, options });
  return readCredential(stdout, exec, name);
}

function isInteractive(exec: ExecConfig, allowed: boolean): boolean {
  return allowed && exec.interactiveMode !== 'Never' && process.stdin.isTTY;
}

interface Run {
  readonly connection: ResolvedConnection;
  readonly interactive: boolean;
  readonly options: ExecPluginOptions;
}

function run(exec: ExecConfig, { connection, interactive, options }: Run): Promise<string> {
  return new Promise((resolve, reject) => {
    const child: ChildProcess = spawn(exec.command, exec.args, {
      env: environment(exec, connection, interactive),
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', interactive ? 'inherit' : 'pipe'],
      ...(options.signal && { signal: options.signal }),
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
    });
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      // The end tells why it failed; a chatty plugin must not fill memory.
      stderr = (stderr + chunk).slice(-4096);
      for (const line of chunk.split('\n')) if (line.trim() !== '') options.notice?.(plainText(line));
    });
    child.on('error', (error: NodeJS.ErrnoException) => {
      reject(startFailure(error, exec, connection.user.name));
    });
    child.on('close', (code, signal) => {
      if (code === 0) return resolve(stdout);
      const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
      const why = plainText(stderr);
      reject(
        new SourceError(
          `the exec plugin ${exec.command} of user "${connection.user.name}" ${how}${why === '' ? '.' : `: ${why}`}`,
        ),
      );
    });
  });
}

function startFailure(error: NodeJS.ErrnoException, exec: ExecConfig, user: string): SourceError {
  if (error.code !== 'ENOENT') {
    const reason = error.code === 'EACCES' ? 'it is not executable' : (error.code ?? 'unknown error');
    return new SourceError(`can't run the exec plugin ${exec.command} of user "${user}": ${reason}.`);
  }
  const hint = plainText(exec.installHint) || 'install it or put it on the PATH.';
  return new SourceError(`the exec plugin ${exec.command} of user "${user}" was not found: ${hint}`);
}

function environment(
  exec: ExecConfig,
  connection: ResolvedConnection,
  interactive: boolean,
): Record<string, string | undefined> {
  const { cluster } = connection;
  const caData =
    cluster.caData === '' && cluster.caFile !== '' && exec.provideClusterInfo
      ? readFileSync(cluster.caFile).toString('base64')
      : cluster.caData;
  const info = {
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion,
    spec: {
      interactive,
      ...(exec.provideClusterInfo && {
        cluster: {
          server: cluster.server,
          ...(cluster.tlsServerName !== '' && { 'tls-server-name': cluster.tlsServerName }),
          ...(cluster.insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
          ...(caData !== '' && { 'certificate-authority-data': caData }),
          ...(connection.proxyUrl !== '' && { 'proxy-url': connection.proxyUrl }),
          ...(cluster.execConfig !== undefined && { config: cluster.execConfig }),
        },
      }),
    },
  };
  return {
    ...connection.env,
    ...Object.fromEntries(exec.env.map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  };
}

function readCredential(stdout: string, exec: ExecConfig, user: string): LoginCredential {
  const wrong = (what: string) =>
    new SourceError(`the exec plugin ${exec.command} of user "${user}" ${what}; run it by hand to see why.`);
  let answer: { apiVersion?: unknown; status?: Record<string, unknown> | null } | null;
  try {
    answer = JSON.parse(stdout) as typeof answer;
  } catch {
    throw wrong('printed no ExecCredential');
  }
  if (answer?.apiVersion !== exec.apiVersion) {
    const returned = typeof answer?.apiVersion === 'string' ? plainText(answer.apiVersion, 60) : 'none';
    throw wrong(`is set to API version ${exec.apiVersion} but answers in ${returned}`);
  }
  const status = answer.status;
  if (typeof status !== 'object' || status === null) throw wrong('returned no status');
  const text = (key: string) => (typeof status[key] === 'string' ? status[key] : '');
  const token = text('token');
  const certificate = text('clientCertificateData');
  const key = text('clientKeyData');
  if (token === '' && certificate === '' && key === '') throw wrong('returned neither token nor certificate');
  if ((certificate === '') !== (key === '')) throw wrong('returned only one of certificate and key');
  const expires = Date.parse(text('expirationTimestamp'));
  return { token, certificate, key, expires: Number.isNaN(expires) ? Number.POSITIVE_INFINITY : expires };
}
