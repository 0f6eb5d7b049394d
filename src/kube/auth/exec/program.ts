/** Which program an exec plugin is, found as Go finds it, and whether the user's kuberc lets it run. */

import { type Platform, thisPlatform } from '../../../platform/platform.ts';
import { executable, isPathOf, lookUp } from '../../../platform/programs.ts';
import type { ResolvedConnection } from '../../config/connection.ts';
import { readCredentialFile } from '../../config/credential-file.ts';
import type { ExecConfig } from '../../config/kubeconfig.ts';

export type Program =
  /** Absolute but for a command that is a relative path. */
  | { readonly file: string }
  /** What keeps it from running, as the end of a sentence about the plugin. */
  | { readonly refused: string }
  /** Nowhere on the PATH, or only `relative`: in a folder that depends on where one stands. */
  | { readonly missing: 'everywhere' | 'relative' };

/**
 * The program to run, by the PATH of this process and not by one that the plugin is given; the very file that was
 * checked. As Go's `exec.Command` with `ErrDot`, and client-go's `updateCommandAndCheckAllowlistLocked` (v0.36).
 */
export function findProgram(
  { exec: { command }, connection: { env, pluginPolicy } }: PluginContext,
  platform: Platform = thisPlatform,
): Program {
  const isPath = isPathOf(command, platform);
  const given = platform.isWindows ? (executable(command, env, platform) ?? command) : command;
  const found = isPath ? { file: given } : lookUp(command, env, platform);
  if (pluginPolicy?.policy === 'DenyAll')
    return { refused: `may not run: credentialPluginPolicy of ${pluginPolicy.file} is DenyAll.` };
  if (pluginPolicy?.policy !== 'Allowlist') return found;
  const { allowlist, file: kuberc } = pluginPolicy;
  // Somebody may have listed the words of the kubeconfig.
  if (allowlist.includes(command) || ('file' in found && allowlist.includes(found.file))) return found;
  const resolved = isPath ? lookUp(command, env, platform) : found;
  if (!('file' in resolved)) return resolved;
  const isAllowed = allowlist
    .filter(entry => mayBe(entry, resolved.file, platform))
    .map(entry => lookUp(entry, env, platform))
    .some(entry => 'file' in entry && entry.file === resolved.file);
  return isAllowed
    ? resolved
    : { refused: `may not run: ${resolved.file} is not in the credentialPluginAllowlist of ${kuberc}.` };
}

/** By its name; on Windows one that is listed without its ending may be it too. */
function mayBe(entry: string, file: string, { isWindows, path }: Platform): boolean {
  const [listed, name] = [path.basename(entry), path.basename(file)];
  return isWindows ? name.toLowerCase().startsWith(listed.toLowerCase()) : listed === name;
}

export interface PluginContext {
  readonly exec: ExecConfig;
  readonly connection: ResolvedConnection;
}

/** As client-go's `refreshCredsLocked` and `ConfigToExecCluster` (v0.36). Rejects with node:fs errors. */
export async function pluginEnvironment(
  { exec, connection }: PluginContext,
  interactive: boolean,
  signal: AbortSignal,
): Promise<Record<string, string | undefined>> {
  const info = {
    kind: 'ExecCredential',
    apiVersion: exec.apiVersion,
    spec: { interactive, ...(exec.provideClusterInfo && { cluster: await clusterInfo(connection, signal) }) },
  };
  return {
    ...connection.env,
    ...Object.fromEntries(exec.env.map(({ name, value }) => [name, value])),
    KUBERNETES_EXEC_INFO: JSON.stringify(info),
  };
}

async function clusterInfo({ cluster }: ResolvedConnection, signal: AbortSignal): Promise<object> {
  const { server, tlsServerName, disableCompression, insecureSkipTlsVerify, caFile, proxyUrl, execConfig } =
    cluster;
  const caData =
    cluster.caData === '' && caFile !== ''
      ? (await readCredentialFile(caFile, signal)).toString('base64')
      : cluster.caData;
  return {
    server: withoutQuery(server),
    ...(tlsServerName !== '' && { 'tls-server-name': tlsServerName }),
    ...(disableCompression === true && { 'disable-compression': true }),
    ...(insecureSkipTlsVerify && { 'insecure-skip-tls-verify': true }),
    ...(caData !== '' && { 'certificate-authority-data': caData }),
    // That of the kubeconfig alone: one of the environment the plugin finds there itself.
    ...(proxyUrl !== '' && { 'proxy-url': proxyUrl }),
    config: execConfig ?? null,
  };
}

// As clientcmd does before it uses an address with a path, and with no other.
function withoutQuery(server: string): string {
  const url = URL.parse(server);
  return url === null || url.pathname.length < 2 ? server : server.replace(/[?#].*$/s, '');
}
