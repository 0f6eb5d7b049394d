/**
 * One kubeconfig file as plain values: read, checked for shape, relative paths resolved. Apart from the
 * merging of several files, so that each error can name its file.
 */
import path from 'node:path';
import { parseAllDocuments, type Tags } from 'yaml';
import { list, record, text } from '../../model/json.ts';
import { SourceError } from '../../source/source.ts';

export interface KubeconfigCluster {
  readonly name: string;
  readonly server: string;
  readonly caFile: string;
  /** Base64, as in the file. */
  readonly caData: string;
  readonly insecureSkipTlsVerify: boolean;
  readonly tlsServerName: string;
  readonly proxyUrl: string;
  /** Undefined where it isn't said. */
  readonly disableCompression: boolean | undefined;
  /** The extension `client.authentication.k8s.io/exec`, handed to exec plugins that ask for it. */
  readonly execConfig: unknown;
}

export interface ExecConfig {
  readonly apiVersion: string;
  readonly command: string;
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly interactiveMode: string;
  readonly installHint: string;
  readonly provideClusterInfo: boolean;
}

export interface KubeconfigUser {
  readonly name: string;
  /** The file that defines the user; `''` for one that no file defines. */
  readonly file: string;
  readonly certFile: string;
  readonly certData: string;
  readonly keyFile: string;
  readonly keyData: string;
  readonly token: string;
  readonly tokenFile: string;
  readonly username: string;
  readonly password: string;
  readonly as: string;
  readonly asUid: string;
  readonly asGroups: readonly string[];
  readonly asUserExtra: Readonly<Record<string, readonly string[]>>;
  readonly exec: ExecConfig | undefined;
  readonly authProvider:
    | { readonly name: string; readonly config: Readonly<Record<string, string>> }
    | undefined;
}

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

const execExtension = 'client.authentication.k8s.io/exec';

/**
 * Parses the text of `file` the way kubectl reads it (clientcmd `Load`, v0.36): JSON or the first YAML
 * document, scalars taken as text where text is expected, a name twice in one list refused, relative paths
 * taken from the file's folder. Throws a `SourceError` that names the file and the place, never a value.
 */
export function parseKubeconfig(source: string, file: string): KubeconfigFile {
  const root = parseYaml(source, file);
  if (root === undefined || root === null) return emptyFile;
  if (!isFields(root)) throw new SourceError(`kubeconfig ${file} is not a kubeconfig: it holds no fields.`);
  const kind = text(root['kind']);
  if (kind !== '' && kind !== 'Config') {
    throw new SourceError(`kubeconfig ${file} is not a kubeconfig: its kind is ${kind}.`);
  }
  const folder = path.resolve(path.dirname(file));
  const extensions = source.includes(execExtension) ? typedExtensions(source) : new Map<string, unknown>();
  return {
    currentContext: text(root['current-context']),
    clusters: named(root, 'clusters', file, (name, entry) =>
      readCluster(name, record(entry['cluster']), { folder, execConfig: extensions.get(name) }),
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

/** How kubectl's parser reads values: by the words and numbers of YAML 1.1, but for dates, which stay text. */
export const yaml11 = {
  version: '1.1',
  customTags: (tags: Tags) => tags.filter(tag => typeof tag === 'string' || !tag.tag.endsWith(':timestamp')),
  merge: true,
  uniqueKeys: false,
  prettyErrors: false,
} as const;

// Only null and text are told apart: a token of digits stays the text that it is.
function parseYaml(source: string, file: string): unknown {
  const document = parseAllDocuments(source, {
    schema: 'failsafe',
    customTags: ['null'],
    merge: true,
    uniqueKeys: false,
    prettyErrors: false,
  })[0];
  if (document === undefined) return undefined;
  const error = document.errors[0];
  if (error !== undefined) {
    const line = source.slice(0, error.pos[0]).split('\n').length;
    throw new SourceError(
      `kubeconfig ${file} is not valid YAML: line ${line} can't be read (${error.code}).`,
    );
  }
  return document.toJS();
}

// The extension is handed on as JSON, so here numbers and booleans do matter, as YAML 1.1 has them.
function typedExtensions(source: string): Map<string, unknown> {
  const root: unknown = parseAllDocuments(source, yaml11)[0]?.toJS();
  const found = new Map<string, unknown>();
  for (const entry of list(record(root)['clusters'])) {
    for (const extension of list(record(record(entry)['cluster'])['extensions'])) {
      const { name, extension: value } = record(extension);
      if (name === execExtension) found.set(text(record(entry)['name']), value);
    }
  }
  return found;
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

function readCluster(
  name: string,
  cluster: Fields,
  { folder, execConfig }: { folder: string; execConfig: unknown },
): KubeconfigCluster {
  return {
    name,
    server: text(cluster['server']),
    caFile: resolvePath(folder, text(cluster['certificate-authority'])),
    caData: text(cluster['certificate-authority-data']),
    insecureSkipTlsVerify: boolean(cluster['insecure-skip-tls-verify']),
    tlsServerName: text(cluster['tls-server-name']),
    proxyUrl: text(cluster['proxy-url']),
    disableCompression:
      cluster['disable-compression'] === undefined ? undefined : boolean(cluster['disable-compression']),
    execConfig,
  };
}

function readUser(name: string, user: Fields, file: string): KubeconfigUser {
  const folder = path.resolve(path.dirname(file));
  return {
    name,
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
    asGroups: list(user['as-groups']).map(text),
    asUserExtra: Object.fromEntries(
      Object.entries(record(user['as-user-extra'])).map(([key, values]) => [key, list(values).map(text)]),
    ),
    exec: isFields(user['exec']) ? readExec(user['exec'], folder) : undefined,
    authProvider: isFields(user['auth-provider']) ? readAuthProvider(user['auth-provider']) : undefined,
  };
}

function readExec(exec: Fields, folder: string): ExecConfig {
  const command = text(exec['command']);
  const apiVersion = text(exec['apiVersion']);
  // What was written before there was a mode, or for a version without one (clientcmd `SetDefaults_ExecConfig`).
  const usualMode = /^client\.authentication\.k8s\.io\/v1(?:alpha|beta)1$/.test(apiVersion)
    ? 'IfAvailable'
    : '';
  return {
    apiVersion,
    // A bare name is looked up in PATH; anything with a separator belongs to the file (clientcmd
    // `GetAuthInfoFileReferences`, v0.36).
    command: command.includes(path.sep) ? resolvePath(folder, command) : command,
    args: list(exec['args']).map(text),
    env: list(exec['env']).map(item => ({
      name: text(record(item)['name']),
      value: text(record(item)['value']),
    })),
    interactiveMode: text(exec['interactiveMode']) || usualMode,
    installHint: text(exec['installHint']),
    provideClusterInfo: boolean(exec['provideClusterInfo']),
  };
}

function readAuthProvider(provider: Fields): NonNullable<KubeconfigUser['authProvider']> {
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

// The words of YAML 1.1, which kubectl's parser knows.
function boolean(value: unknown): boolean {
  return /^(?:true|yes|on|y)$/i.test(text(value));
}
