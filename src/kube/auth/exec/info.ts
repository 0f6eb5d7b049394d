/** What an exec plugin is told: the environment, with KUBERNETES_EXEC_INFO. */

import type { ResolvedConnection } from '../../config/connection.ts';
import type { ExecConfig } from '../../config/kubeconfig.ts';
import { readCredentialFile } from '../credential-file.ts';

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
