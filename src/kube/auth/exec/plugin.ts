/**
 * Runs a kubeconfig's exec plugin by client-go's rules. Ours, and registered with client-node as a custom
 * authenticator, because client-node's leaves standard input open (a plugin that prompts hangs for ever),
 * sets no KUBERNETES_EXEC_INFO, and reports failures without saying whose.
 */
import { SourceError } from '../../../source/source.ts';
import type { ExecConfig } from '../../config/kubeconfig.ts';
import type { LoginCredential, LoginTurn } from '../login-credential.ts';
import { plainText } from '../plain-text.ts';
import { type PluginContext, pluginEnvironment } from './info.ts';
import { type PluginEnd, runPlugin } from './process.ts';

export interface ExecPluginOptions {
  /** Lets the plugin read the terminal, where there is one and the kubeconfig doesn't forbid it. */
  readonly interactive?: boolean | undefined;
  /** Receives what the plugin writes to standard error while it runs, such as "open this page". */
  readonly notice?: ((line: string) => void) | undefined;
}

const apiVersions = ['client.authentication.k8s.io/v1', 'client.authentication.k8s.io/v1beta1'];

/** For messages: whose plugin it is. */
export function pluginName({ exec, connection }: PluginContext): string {
  return `the exec plugin ${exec.command} of user "${connection.user.name}"`;
}

/**
 * Runs the plugin once (client-go `refreshCredsLocked`, v0.36). Rejects with a `SourceError` that carries
 * the plugin's own words from standard error, never anything from standard output, which holds credentials.
 */
export async function runExecPlugin(
  context: PluginContext,
  options: ExecPluginOptions,
  turn: LoginTurn,
): Promise<LoginCredential> {
  const { exec } = context;
  const name = pluginName(context);
  if (!apiVersions.includes(exec.apiVersion)) {
    throw new SourceError(
      `${name} is set to API version "${exec.apiVersion}", which is no longer supported; use ${apiVersions[0]}.`,
    );
  }
  const onTerminal = mayAsk(exec, options.interactive === true);
  if (exec.interactiveMode === 'Always' && !onTerminal) {
    throw new SourceError(`${name} has to ask on the terminal; log in with kubectl first.`);
  }
  if (onTerminal) turn.personAsked();
  const env = await pluginEnvironment(context, onTerminal, turn.signal);
  const end = await runPlugin({
    program: exec.command,
    args: exec.args,
    env,
    onTerminal,
    apart: false,
    signal: turn.signal,
    talk: text => {
      turn.personAsked();
      for (const line of text.split('\n')) if (line.trim() !== '') options.notice?.(plainText(line));
    },
  }).catch((error: unknown) => {
    throw error === turn.signal.reason ? error : startFailure(error as NodeJS.ErrnoException, exec, name);
  });
  if (end.code !== 0) throw failure(end, name);
  return readCredential(end.stdout, exec, name);
}

function mayAsk(exec: ExecConfig, allowed: boolean): boolean {
  return allowed && exec.interactiveMode !== 'Never' && process.stdin.isTTY;
}

function failure({ code, signal, stderr }: PluginEnd, name: string): SourceError {
  const how = code === null ? `was ended by ${signal}` : `failed with exit code ${code}`;
  const why = plainText(stderr);
  return new SourceError(`${name} ${how}${why === '' ? '.' : `: ${why}`}`);
}

function startFailure(error: NodeJS.ErrnoException, exec: ExecConfig, name: string): SourceError {
  if (error.code !== 'ENOENT') {
    const reason = error.code === 'EACCES' ? 'it is not executable' : (error.code ?? 'unknown error');
    return new SourceError(`can't run ${name}: ${reason}.`);
  }
  const hint = plainText(exec.installHint) || 'install it or put it on the PATH.';
  return new SourceError(`${name} was not found: ${hint}`);
}

function readCredential(stdout: string, exec: ExecConfig, name: string): LoginCredential {
  const wrong = (what: string) => new SourceError(`${name} ${what}; run it by hand to see why.`);
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
