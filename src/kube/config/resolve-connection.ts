/** Resolves flags, environment and kubeconfig with kubectl's precedence. Opens no connection and runs no plugin. */
import { readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { type ConnectionFlags, SourceError } from '../../source/index.ts';
import { isLoopback, proxyFromEnvironment } from './choose-proxy.ts';
import { keepSecret } from './known-credentials.ts';
import {
  anonymous,
  type KubeconfigCluster,
  type KubeconfigContext,
  type KubeconfigUser,
  noCluster,
} from './kubeconfig.ts';
import { loadKuberc, type PluginPolicy } from './kuberc.ts';
import { type Kubeconfig, type KubeconfigEnvironment, loadKubeconfig } from './load-kubeconfig.ts';
import { validate } from './validate.ts';

/** A usable connection. Holds credentials: never print it whole. */
export interface ResolvedConnection {
  /** `https://host:port/base` without credentials, query or trailing slash. */
  readonly server: string;
  /** Undefined inside a cluster and with `--server` alone. */
  readonly contextName: string | undefined;
  readonly namespace: string;
  /** Milliseconds for every request except watches; 0 is no limit, undefined is the default of `withRetries`. */
  readonly requestTimeoutMs: number | undefined;
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser;
  /** The proxy of the kubeconfig or the environment; `''` for none. May hold a password. */
  readonly proxyUrl: string;
  readonly compression: boolean;
  readonly pluginPolicy: PluginPolicy | undefined;
  /** A warning about the kuberc to show once if this user logs in by a plugin; `''` for none. */
  readonly warning: string;
  readonly env: KubeconfigEnvironment;
  /** Reads everything again for the same context, for instance after the credentials expired. */
  reload(): ResolvedConnection;
}

export interface ContextInfo extends KubeconfigContext {
  readonly current: boolean;
}

/** Throws a `SourceError` for a broken file; no kubeconfig is not an error. */
export function listContexts(flags: ConnectionFlags, env: KubeconfigEnvironment): ContextInfo[] {
  const config = loadKubeconfig(flags.kubeconfig, env);
  const current = flags.context || config.currentContext;
  return [...config.contexts.values()]
    .map(context => ({ ...context, current: context.name === current }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/**
 * Resolves like clientcmd's `DirectClientConfig` and `DeferredLoadingClientConfig` (v0.36), except that a missing user
 * is an error, not anonymous access. Throws `SourceError`s of one line. Only tests set `root`.
 */
export function resolveConnection(
  flags: ConnectionFlags,
  env: KubeconfigEnvironment,
  root = '',
): ResolvedConnection {
  const kuberc = loadKuberc(flags.kuberc, env);
  const config = loadKubeconfig(flags.kubeconfig, env);
  const context = findContext(flags, config);
  const clusterName = flags.cluster || context?.cluster || '';
  const userName = flags.user || context?.user || '';
  if (flags.cluster && !config.clusters.has(flags.cluster)) {
    throw new SourceError(
      `no cluster "${flags.cluster}" in the kubeconfig. ${known('Clusters', config.clusters)}`,
    );
  }
  if (flags.user && !config.users.has(flags.user)) {
    throw new SourceError(`no user "${flags.user}" in the kubeconfig. ${known('Users', config.users)}`);
  }
  const configured = config.clusters.get(clusterName);
  // With --server the service account isn't used, so its token is sent only to the pod's own API server.
  const isElsewhere = configured !== undefined || context !== undefined || Boolean(flags.server);
  const pod = isElsewhere ? undefined : inCluster(env, root);
  const cluster = withClusterFlags(configured ?? pod?.cluster ?? noCluster, flags);
  if (cluster.server === '') throw noServer(config, context, clusterName);
  const user = withUserFlags(findUser(config, userName, { flags, context }) ?? pod?.user ?? anonymous, flags);
  keepSecret(secretsOf(user));
  validate(cluster, user);

  const server = normaliseServer(cluster.server);
  const proxyUrl = cluster.proxyUrl || proxyFromEnvironment(server, env);
  keepSecret([URL.parse(proxyUrl)?.password]);
  return {
    server,
    contextName: context?.name,
    namespace: validNamespace(
      withoutNamespacePrefix(flags.namespace ?? '') || context?.namespace || pod?.namespace || 'default',
    ),
    requestTimeoutMs: flags.requestTimeout ? parseTimeout(flags.requestTimeout) : undefined,
    cluster,
    user,
    proxyUrl,
    compression: wantsCompression(cluster, server, proxyUrl),
    pluginPolicy: kuberc.pluginPolicy,
    warning: user.exec === undefined ? '' : kuberc.warning,
    env,
    reload: () => resolveConnection({ ...flags, context: context?.name ?? flags.context }, env, root),
  };
}

/** Follows client-go's `Request.Namespace` (rest/request.go): the server judges every other name. */
function validNamespace(name: string): string {
  if (name !== '.' && name !== '..' && !/[/%]/.test(name)) return name;
  throw new SourceError(
    `invalid namespace "${name}": lowercase letters, digits and "-" make the name of a namespace.`,
  );
}

/** Follows kubectl, except on loopback without an explicit `disable-compression: false` (see docs/connection.md). */
function wantsCompression(
  { disableCompression }: KubeconfigCluster,
  server: string,
  proxyUrl: string,
): boolean {
  if (disableCompression !== undefined) return !disableCompression;
  return proxyUrl !== '' || !isLoopback(new URL(server).hostname);
}

function findContext(flags: ConnectionFlags, config: Kubeconfig): KubeconfigContext | undefined {
  const name = flags.context || config.currentContext;
  if (name === '') return undefined;
  const context = config.contexts.get(name);
  if (context !== undefined) return context;
  if (config.found.length === 0) throw noKubeconfig(config);
  const origin = flags.context ? '' : ' (its current-context)';
  throw new SourceError(
    `no context "${name}" in the kubeconfig${origin}. ${known('Contexts', config.contexts)}`,
  );
}

function findUser(
  config: Kubeconfig,
  name: string,
  { flags, context }: { flags: ConnectionFlags; context: KubeconfigContext | undefined },
): KubeconfigUser | undefined {
  const user = config.users.get(name);
  if (user === undefined && name !== '' && !flags.token) {
    throw new SourceError(
      `context "${context?.name}" uses user "${name}", which is not in the kubeconfig. ${known('Users', config.users)}`,
    );
  }
  return user;
}

function noServer(config: Kubeconfig, context: KubeconfigContext | undefined, cluster: string): SourceError {
  if (config.found.length === 0) return noKubeconfig(config);
  if (context === undefined) {
    return new SourceError(
      `the kubeconfig has no current context. Choose one with --context. ${known('Contexts', config.contexts)}`,
    );
  }
  if (cluster === '') return new SourceError(`context "${context.name}" names no cluster; pass --cluster.`);
  return config.clusters.has(cluster)
    ? new SourceError(
        `cluster "${cluster}" of context "${context.name}" has no server; set it or pass --server.`,
      )
    : new SourceError(
        `context "${context.name}" uses cluster "${cluster}", which is not in the kubeconfig. ${known('Clusters', config.clusters)}`,
      );
}

function noKubeconfig(config: Kubeconfig): SourceError {
  const where = config.searched.length > 0 ? `looked for ${config.searched.join(', ')}` : 'HOME is not set';
  return new SourceError(
    `no kubeconfig found (${where}). Set KUBECONFIG, pass --kubeconfig or --server, or try \`kubectl gc-tree demo\`.`,
  );
}

const maxNames = 20;

function known(what: string, names: ReadonlyMap<string, unknown>): string {
  const sorted = [...names.keys()].sort();
  if (sorted.length === 0) return `It has no ${what.toLowerCase()}.`;
  const more = sorted.length > maxNames ? ` and ${sorted.length - maxNames} more` : '';
  return `${what}: ${sorted.slice(0, maxNames).join(', ')}${more}.`;
}

function withClusterFlags(cluster: KubeconfigCluster, flags: ConnectionFlags): KubeconfigCluster {
  const ownTrust = flags.insecureSkipTlsVerify === true || Boolean(flags.certificateAuthority);
  return {
    ...cluster,
    server: flags.server || cluster.server,
    disableCompression: flags.disableCompression === true || cluster.disableCompression,
    // Another server has another name, so the kubeconfig's no longer applies (`getCluster`, v0.36).
    tlsServerName: flags.tlsServerName || (flags.server ? '' : cluster.tlsServerName),
    ...(ownTrust && {
      insecureSkipTlsVerify: flags.insecureSkipTlsVerify === true,
      caFile: flags.certificateAuthority ?? '',
      caData: '',
    }),
  };
}

// A certificate flag replaces the kubeconfig's file or data (`getAuthInfo`, v0.36); the key flag likewise.
function withUserFlags(user: KubeconfigUser, flags: ConnectionFlags): KubeconfigUser {
  return {
    ...user,
    as: flags.as || user.as,
    asUid: flags.asUid || user.asUid,
    asGroups: flags.asGroup !== undefined && flags.asGroup.length > 0 ? flags.asGroup : user.asGroups,
    asUserExtra: { ...user.asUserExtra, ...parseExtra(flags.asUserExtra ?? []) },
    ...(flags.clientCertificate && { certFile: flags.clientCertificate, certData: '' }),
    ...(flags.clientKey && { keyFile: flags.clientKey, keyData: '' }),
    ...(flags.token && { token: flags.token, tokenFile: '' }),
  };
}

// Rejects values without `=`, which kubectl's `ToRawKubeConfigLoader` (cli-runtime v0.36) ignores.
function parseExtra(given: readonly string[]): Readonly<Record<string, readonly string[]>> {
  const extra = new Map<string, string[]>();
  for (const each of given) {
    const at = each.indexOf('=');
    if (at < 0) {
      throw new SourceError(
        `invalid --as-user-extra "${each}": give a key and a value, as in --as-user-extra team=value.`,
      );
    }
    const key = each.slice(0, at);
    extra.set(key, [...(extra.get(key) ?? []), each.slice(at + 1)]);
  }
  return Object.fromEntries(extra);
}

// Defaults to http as client-go does, because credentials are only sent over https (v0.36, `DefaultServerURL`).
function normaliseServer(address: string): string {
  const url = URL.parse(address.includes('://') ? address : `http://${address}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new SourceError('the server address is not a URL; it should look like https://host:6443.');
  }
  return `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, '')}`;
}

// Accepts `-n ns/shop` (clientcmd `RemoveNamespacesPrefix`, v0.36).
function withoutNamespacePrefix(namespace: string): string {
  return namespace.replace(/^(?:namespaces|namespace|ns)\/(?=.)/i, '');
}

function secretsOf({ token, password, keyData, exec, authProvider }: KubeconfigUser): string[] {
  const isSecret = (name: string): boolean => /token|passw|secret|key/iu.test(name);
  return [
    token,
    password,
    keyData,
    Buffer.from(keyData, 'base64').toString(),
    ...(exec?.env ?? []).flatMap(({ name, value }) => (isSecret(name) ? [value] : [])),
    ...Object.entries(authProvider?.config ?? {}).flatMap(([name, value]) => (isSecret(name) ? [value] : [])),
  ];
}

const unitMs: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Returns milliseconds for `30`, `1m30s` or `500ms`; 0 is no limit. Throws a `SourceError` (`ParseTimeout`). */
function parseTimeout(text: string): number {
  if (/^\d+$/.test(text)) return Number(text) * 1000;
  const parts = [...text.matchAll(/(\d+(?:\.\d*)?|\.\d+)(ns|us|µs|ms|s|m|h)/gy)];
  const matched = parts.reduce((length, part) => length + part[0].length, 0);
  if (text === '' || matched !== text.length) {
    throw new SourceError(
      `invalid --request-timeout "${text}": give seconds or a duration such as 30s, 2m or 1h.`,
    );
  }
  return parts.reduce((sum, part) => sum + Number(part[1]) * (unitMs[part[2] ?? ''] ?? 0), 0);
}

const mountedAt = '/var/run/secrets/kubernetes.io/serviceaccount';

/** Returns undefined outside a pod (client-go `rest.InClusterConfig`, clientcmd `inClusterClientConfig`, v0.36). */
export function inCluster(
  env: KubeconfigEnvironment,
  root = '',
): Pick<ResolvedConnection, 'cluster' | 'user' | 'namespace'> | undefined {
  const host = env['KUBERNETES_SERVICE_HOST'] ?? '';
  const port = env['KUBERNETES_SERVICE_PORT'] ?? '';
  const folder = path.join(root, mountedAt);
  const tokenFile = path.join(folder, 'token');
  if (host === '' || port === '' || !isFile(tokenFile)) return undefined;
  const caFile = path.join(folder, 'ca.crt');
  return {
    cluster: {
      ...noCluster,
      name: 'in-cluster',
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      caFile: isFile(caFile) ? caFile : '',
    },
    user: { ...anonymous, name: 'in-cluster', tokenFile },
    namespace: env['POD_NAMESPACE'] || readText(path.join(folder, 'namespace')) || 'default',
  };
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
