/** One kubeconfig file as plain values: read, checked for shape, relative paths resolved. */
import path from 'node:path';
import { list, prose, record, text, truth } from '../../model/index.ts';
import { SourceError } from '../../source/index.ts';
import { readConfigYaml } from './config-file.ts';
import { misfit, type Shape } from './shape.ts';

export type KubeconfigCluster = Readonly<ReturnType<typeof readCluster>>;
export type ExecConfig = Readonly<ReturnType<typeof readExec>>;
export type KubeconfigUser = Readonly<ReturnType<typeof readUser>>;

export interface KubeconfigContext {
  readonly name: string;
  readonly cluster: string;
  readonly user: string;
  readonly namespace: string;
}

export interface KubeconfigFile {
  readonly currentContext: string;
  readonly clusters: ReadonlyMap<string, KubeconfigCluster>;
  readonly users: ReadonlyMap<string, KubeconfigUser>;
  readonly contexts: ReadonlyMap<string, KubeconfigContext>;
}

type Fields = Readonly<Record<string, unknown>>;

export const execExtension = 'client.authentication.k8s.io/exec';

/**
 * Parses like kubectl (clientcmd `Load`, v0.36): YAML 1.1, the last of duplicate keys, no wrong types or duplicate
 * names, paths relative to the file. Throws a `SourceError` with file and place, never a value.
 */
export function parseKubeconfig(source: string, file: string): KubeconfigFile {
  const root = parseYaml(source, file);
  if (root === undefined || root === null) return emptyFile;
  if (!isFields(root)) throw new SourceError(`kubeconfig ${file} is not a kubeconfig: it holds no fields.`);
  const wrong = misfit(root, kubeconfigShape);
  if (wrong !== undefined) throw new SourceError(`kubeconfig ${file} cannot be used: ${prose(wrong)}.`);
  for (const [key, wanted] of [
    ['kind', 'Config'],
    ['apiVersion', 'v1'],
  ] as const) {
    const given = text(root[key]);
    if (given !== '' && given !== wanted)
      throw new SourceError(`kubeconfig ${file} is not a kubeconfig: its ${key} is ${prose(given)}.`);
  }
  const folder = path.resolve(path.dirname(file));
  return {
    currentContext: text(root['current-context']),
    clusters: named(root, 'clusters', file, (name, entry) =>
      readCluster(name, record(entry['cluster']), folder),
    ),
    users: named(root, 'users', file, (name, entry) => readUser(name, record(entry['user']), file)),
    contexts: named(root, 'contexts', file, (name, entry) => {
      const context = record(entry['context']);
      return {
        name,
        cluster: text(context['cluster']),
        user: text(context['user']),
        namespace: text(context['namespace']),
      };
    }),
  };
}

const emptyFile: KubeconfigFile = {
  currentContext: '',
  clusters: new Map(),
  users: new Map(),
  contexts: new Map(),
};

function parseYaml(source: string, file: string): unknown {
  try {
    return readConfigYaml(source);
  } catch (error) {
    throw new SourceError(`kubeconfig ${file} is ${(error as Error).message}.`);
  }
}

function named<T>(
  root: Fields,
  key: string,
  file: string,
  read: (name: string, entry: Fields) => T,
): Map<string, T> {
  const entries = new Map<string, T>();
  for (const item of list(root[key])) {
    const entry = record(item);
    const name = text(entry['name']);
    if (entries.has(name)) {
      throw new SourceError(`kubeconfig ${file} lists "${name}" twice under ${key}; remove one of them.`);
    }
    entries.set(name, read(name, entry));
  }
  return entries;
}

function readCluster(name: string, cluster: Fields, folder: string) {
  const extension = list(cluster['extensions']).find(each => record(each)['name'] === execExtension);
  return {
    name,
    server: text(cluster['server']),
    caFile: resolvePath(folder, text(cluster['certificate-authority'])),
    caData: text(cluster['certificate-authority-data']),
    insecureSkipTlsVerify: truth(cluster['insecure-skip-tls-verify']),
    tlsServerName: text(cluster['tls-server-name']),
    proxyUrl: text(cluster['proxy-url']),
    disableCompression:
      cluster['disable-compression'] === undefined ? undefined : truth(cluster['disable-compression']),
    /** The extension `client.authentication.k8s.io/exec`, handed to exec plugins that request it. */
    execConfig: record(extension)['extension'],
  };
}

function readUser(name: string, user: Fields, file: string) {
  const folder = path.resolve(path.dirname(file));
  return {
    name,
    /** The file that defines the user; `''` if none does. */
    file,
    certFile: resolvePath(folder, text(user['client-certificate'])),
    certData: text(user['client-certificate-data']),
    keyFile: resolvePath(folder, text(user['client-key'])),
    keyData: text(user['client-key-data']),
    token: text(user['token']),
    tokenFile: resolvePath(folder, text(user['tokenFile'])),
    username: text(user['username']),
    password: text(user['password']),
    as: text(user['as']),
    asUid: text(user['as-uid']),
    asGroups: list(user['as-groups']).map(text) as readonly string[],
    asUserExtra: Object.fromEntries<readonly string[]>(
      Object.entries(record(user['as-user-extra'])).map(([key, values]) => [key, list(values).map(text)]),
    ),
    exec: isFields(user['exec']) ? readExec(user['exec'], folder) : undefined,
    authProvider: isFields(user['auth-provider']) ? readAuthProvider(user['auth-provider']) : undefined,
  };
}

export const noCluster: KubeconfigCluster = readCluster('', {}, '');

export const anonymous: KubeconfigUser = readUser('', {}, '');

function readExec(exec: Fields, folder: string) {
  const command = text(exec['command']);
  const apiVersion = text(exec['apiVersion']);
  // The default for versions without a mode (clientcmd `SetDefaults_ExecConfig`).
  const usualMode = /^client\.authentication\.k8s\.io\/v1(?:alpha|beta)1$/.test(apiVersion)
    ? 'IfAvailable'
    : '';
  return {
    apiVersion,
    // A bare name is looked up in PATH; a path is relative to the file (clientcmd `GetAuthInfoFileReferences`, v0.36).
    command: command.includes(path.sep) ? resolvePath(folder, command) : command,
    args: list(exec['args']).map(text),
    env: list(exec['env']).map(item => ({
      name: text(record(item)['name']),
      value: text(record(item)['value']),
    })),
    interactiveMode: text(exec['interactiveMode']) || usualMode,
    installHint: text(exec['installHint']),
    provideClusterInfo: truth(exec['provideClusterInfo']),
  };
}

function readAuthProvider(provider: Fields) {
  return {
    name: text(provider['name']),
    config: Object.fromEntries(
      Object.entries(record(provider['config'])).map(([key, value]) => [key, text(value)]),
    ),
  };
}

function resolvePath(folder: string, file: string): string {
  return file === '' ? '' : path.resolve(folder, file);
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

const extensions: Shape = { list: { fields: { name: 'text', extension: 'anything' } } };

const cluster: Shape = {
  fields: {
    server: 'text',
    'tls-server-name': 'text',
    'insecure-skip-tls-verify': 'boolean',
    'certificate-authority': 'text',
    'certificate-authority-data': 'bytes',
    'proxy-url': 'text',
    'disable-compression': 'boolean',
    extensions,
  },
};

const exec: Shape = {
  fields: {
    apiVersion: 'text',
    command: 'text',
    args: { list: 'text' },
    env: { list: { fields: { name: 'text', value: 'text' } } },
    interactiveMode: 'text',
    installHint: 'text',
    provideClusterInfo: 'boolean',
  },
};

const user: Shape = {
  fields: {
    'client-certificate': 'text',
    'client-certificate-data': 'bytes',
    'client-key': 'text',
    'client-key-data': 'bytes',
    token: 'text',
    tokenFile: 'text',
    as: 'text',
    'as-uid': 'text',
    'as-groups': { list: 'text' },
    'as-user-extra': { map: { list: 'text' } },
    username: 'text',
    password: 'text',
    'auth-provider': { fields: { name: 'text', config: { map: 'text' } } },
    exec,
    extensions,
  },
};

const context: Shape = { fields: { cluster: 'text', user: 'text', namespace: 'text', extensions } };

const kubeconfigShape: Shape = {
  fields: {
    kind: 'text',
    apiVersion: 'text',
    preferences: { fields: { colors: 'boolean', extensions } },
    'current-context': 'text',
    clusters: { list: { fields: { name: 'text', cluster } } },
    users: { list: { fields: { name: 'text', user } } },
    contexts: { list: { fields: { name: 'text', context } } },
    extensions,
  },
};
