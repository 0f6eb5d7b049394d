/** Finds an exec plugin's program as Go does, and checks if the user's kuberc allows it. */

import { Platform, programs } from '../../../platform/index.ts';
import { readCredentialFile } from '../../config/credential-file.ts';
import type { ExecConfig } from '../../config/kubeconfig.ts';
import type { ResolvedConnection } from '../../config/resolve-connection.ts';

export type Program =
  /** An absolute path, unless the command is a relative path. */
  | { readonly file: string }
  /** The reason, as the end of a sentence about the plugin. */
  | { readonly refused: string }
  /** `relative`: found only in a relative folder of the PATH. */
  | { readonly missing: 'everywhere' | 'relative' };

/** Uses this process's PATH (Go's `exec.Command` with `ErrDot`, `updateCommandAndCheckAllowlistLocked`, v0.36). */
export function findProgram(
  { exec: { command }, connection: { env, pluginPolicy } }: PluginContext,
  platform: Platform = Platform.current,
): Program {
  const isPath = programs.isPath(command, platform);
  const given = platform.isWindows ? (programs.executable(command, env, platform) ?? command) : command;
  const found = isPath ? { file: given } : programs.lookUp(command, env, platform);
  if (pluginPolicy?.policy === 'DenyAll')
    return { refused: `may not run: credentialPluginPolicy of ${pluginPolicy.file} is DenyAll.` };
  if (pluginPolicy?.policy !== 'Allowlist') return found;
  const { allowlist, file: kuberc } = pluginPolicy;
  if (allowlist.includes(command) || ('file' in found && allowlist.includes(found.file))) return found;
  const resolved = isPath ? programs.lookUp(command, env, platform) : found;
  if (!('file' in resolved)) return resolved;
  const isAllowed = allowlist
    .filter(entry => mayBe(entry, resolved.file, platform))
    .map(entry => programs.lookUp(entry, env, platform))
    .some(entry => 'file' in entry && entry.file === resolved.file);
  return isAllowed
    ? resolved
    : { refused: `may not run: ${resolved.file} is not in the credentialPluginAllowlist of ${kuberc}.` };
}

/** Compares base names; on Windows an entry may lack the extension. */
function mayBe(entry: string, file: string, { isWindows, path }: Platform): boolean {
  const [listed, name] = [path.basename(entry), path.basename(file)];
  return isWindows ? name.toLowerCase().startsWith(listed.toLowerCase()) : listed === name;
}

export interface PluginContext {
  readonly exec: ExecConfig;
  readonly connection: ResolvedConnection;
}

/** Follows client-go's `refreshCredsLocked` and `ConfigToExecCluster` (v0.36). Rejects with node:fs errors. */
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
    // Only the kubeconfig's proxy: the plugin finds the environment's itself.
    ...(proxyUrl !== '' && { 'proxy-url': proxyUrl }),
    config: execConfig ?? null,
  };
}

// Drops the query as clientcmd does, only for addresses with a path.
function withoutQuery(server: string): string {
  const url = URL.parse(server);
  return url === null || url.pathname.length < 2 ? server : server.replace(/[?#].*$/s, '');
}
