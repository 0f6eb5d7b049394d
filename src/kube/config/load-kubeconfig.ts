/**
 * Merges kubeconfig files as kubectl does; in client-node the last `current-context` wins and a missing file throws.
 */
import { existsSync, statSync } from 'node:fs';
import { Platform } from '../../platform/index.ts';
import { SourceError } from '../../source/index.ts';
import { readConfigFile } from './config-file.ts';
import { fileReason } from './credential-file.ts';
import {
  type KubeconfigCluster,
  type KubeconfigContext,
  type KubeconfigFile,
  type KubeconfigUser,
  parseKubeconfig,
} from './kubeconfig.ts';

export type KubeconfigEnvironment = Readonly<Record<string, string | undefined>>;

export interface Kubeconfig extends KubeconfigFile {
  readonly searched: readonly string[];
  readonly found: readonly string[];
}

/**
 * Loads and merges (clientcmd `ClientConfigLoadingRules.Load`, v0.36): `explicit` alone, else every file of
 * `KUBECONFIG`, else `~/.kube/config`. The first file to name an entry or the current context wins. Only a missing
 * explicit file is an error; an unreadable or broken one always is.
 */
export function loadKubeconfig(explicit: string | undefined, env: KubeconfigEnvironment): Kubeconfig {
  const searched = kubeconfigPaths(explicit, env);
  const clusters = new Map<string, KubeconfigCluster>();
  const users = new Map<string, KubeconfigUser>();
  const contexts = new Map<string, KubeconfigContext>();
  const found: string[] = [];
  let currentContext = '';
  for (const file of searched) {
    const text = read(file);
    if (text === undefined) continue;
    found.push(file);
    const config = parseKubeconfig(text, file);
    addMissing(clusters, config.clusters);
    addMissing(users, config.users);
    addMissing(contexts, config.contexts);
    currentContext ||= config.currentContext;
  }
  if (explicit !== undefined && explicit !== '' && found.length === 0) {
    throw new SourceError(`kubeconfig ${explicit} does not exist.`);
  }
  return { searched, found, currentContext, clusters, users, contexts };
}

export function kubeconfigPaths(
  explicit: string | undefined,
  env: KubeconfigEnvironment,
  platform = Platform.current,
): string[] {
  if (explicit !== undefined && explicit !== '') return [explicit];
  const listed = env['KUBECONFIG'];
  if (listed !== undefined && listed !== '') {
    return [...new Set(Platform.paths(listed, platform).filter(file => file !== ''))];
  }
  const home = homeFolder(env, platform);
  return home === '' ? [] : [platform.path.join(home, '.kube', 'config')];
}

/**
 * Returns kubectl's folder (client-go `homedir.HomeDir`, v0.36), or `''`; on Windows one with a kubeconfig is
 * preferred.
 */
export function homeFolder(
  env: KubeconfigEnvironment,
  { isWindows, path: paths } = Platform.current,
): string {
  const { HOME = '', HOMEDRIVE = '', HOMEPATH = '', USERPROFILE = '' } = env;
  if (!isWindows) return HOME;
  const network = HOMEDRIVE !== '' && HOMEPATH !== '' ? HOMEDRIVE + HOMEPATH : '';
  const set = (folder: string): boolean => folder !== '';
  const usual = [HOME, USERPROFILE, network].filter(set);
  return (
    [HOME, network, USERPROFILE].filter(set).find(home => existsSync(paths.join(home, '.kube', 'config'))) ??
    usual.find(isWritableFolder) ??
    usual.find(home => existsSync(home)) ??
    usual[0] ??
    ''
  );
}

/** Checks the mode as Go does on Windows, which only shows if a file is read-only. */
function isWritableFolder(folder: string): boolean {
  const status = statSync(folder, { throwIfNoEntry: false });
  return status?.isDirectory() === true && (status.mode & 0o200) !== 0;
}

function read(file: string): string | undefined {
  try {
    return readConfigFile(file);
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT') return undefined;
    throw new SourceError(`cannot read kubeconfig ${file}: ${fileReason(error) ?? code}.`);
  }
}

function addMissing<T>(into: Map<string, T>, from: ReadonlyMap<string, T>): void {
  for (const [name, value] of from) if (!into.has(name)) into.set(name, value);
}
