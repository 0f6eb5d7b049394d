/** Runs kubectl with a source's flags; secrets and files that can't be read twice go into a temporary kubeconfig. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { programs } from '../../platform/index.ts';
import { ConnectionFlags, type KubectlAccess, type Opened, SourceError } from '../../source/index.ts';
import { isPiped } from './config-file.ts';
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';
import { execExtension } from './kubeconfig.ts';
import { type KubeconfigEnvironment, kubeconfigPaths } from './load-kubeconfig.ts';
import { type ResolvedConnection, resolveConnection } from './resolve-connection.ts';

const KUBECTL = 'kubectl';

/** Throws a `SourceError` if kubectl is missing or the kubeconfig now leads to another cluster. */
export function kubectlAccess(
  flags: ConnectionFlags,
  env: KubeconfigEnvironment,
  { context, server }: Omit<Opened, 'asked'>,
): KubectlAccess {
  const program = programOf(env);
  for (const file of [flags.kuberc ?? '', env['KUBERC'] ?? '']) {
    if (isPiped(file))
      throw new SourceError(
        `the kuberc ${file} is a pipe, which kubectl cannot read again. Put it in a file.`,
      );
  }
  const pinned = { ...flags, context: flags.context ?? context };
  const connection = resolveConnection(pinned, env);
  if (server !== undefined && connection.server !== server)
    throw new SourceError(
      `the kubeconfig has changed: it leads to ${connection.server}, and the screen shows ${server}. Start gc-tree again.`,
    );
  const isReadable = !kubeconfigPaths(flags.kubeconfig, env).some(isPiped);
  if (isReadable && !flags.token) return { program, words: ConnectionFlags.words(pinned), close: () => {} };
  const { file, remove } = writeTemporary(kubeconfigOf(connection));
  const { kuberc } = flags;
  return {
    program,
    words: ['--kubeconfig', file, ...(kuberc === undefined ? [] : ['--kuberc', kuberc])],
    close: remove,
  };
}

function programOf(env: KubeconfigEnvironment): string {
  const found = programs.lookUp(KUBECTL, env);
  if ('file' in found) return found.file;
  if ('missing' in found && found.missing === 'relative')
    throw new SourceError(
      `kubectl is only in a folder of the PATH that is relative, and isn't run from there. Give that folder's whole path.`,
    );
  throw new SourceError(
    'kubectl is not on the PATH. Install it, or start gc-tree with its folder on the PATH.',
  );
}

/** Writes a file that only this user can read, removed at exit unless the process is killed. */
function writeTemporary(text: string): { readonly file: string; readonly remove: () => void } {
  const folder = mkdtempSync(path.join(tmpdir(), 'gc-tree-kubectl-'));
  const remove = (): void => {
    process.off('exit', remove);
    rmSync(folder, { recursive: true, force: true });
  };
  process.on('exit', remove);
  const file = path.join(folder, 'kubeconfig');
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' });
  return { file, remove };
}

const NAME = 'gc-tree';

/** Builds a kubeconfig with this connection alone, flags included. JSON is also YAML. */
function kubeconfigOf({ cluster, user, namespace }: ResolvedConnection): string {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': NAME,
    contexts: [{ name: NAME, context: { cluster: NAME, user: NAME, namespace } }],
    clusters: [{ name: NAME, cluster: clusterFields(cluster) }],
    users: [{ name: NAME, user: userFields(user) }],
  });
}

function clusterFields(cluster: KubeconfigCluster): object {
  const { execConfig } = cluster;
  return filled({
    server: cluster.server,
    'certificate-authority': cluster.caFile,
    'certificate-authority-data': cluster.caData,
    'insecure-skip-tls-verify': cluster.insecureSkipTlsVerify,
    'tls-server-name': cluster.tlsServerName,
    'proxy-url': cluster.proxyUrl,
    'disable-compression': cluster.disableCompression,
    extensions: execConfig === undefined ? undefined : [{ name: execExtension, extension: execConfig }],
  });
}

function userFields(user: KubeconfigUser): object {
  return filled({
    'client-certificate': user.certFile,
    'client-certificate-data': user.certData,
    'client-key': user.keyFile,
    'client-key-data': user.keyData,
    token: user.token,
    tokenFile: user.tokenFile,
    username: user.username,
    password: user.password,
    as: user.as,
    'as-uid': user.asUid,
    'as-groups': user.asGroups,
    'as-user-extra': user.asUserExtra,
    exec: user.exec,
    'auth-provider': user.authProvider,
  });
}

function filled(fields: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== '' && value !== undefined),
  );
}
