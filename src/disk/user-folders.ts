/** The user's folders by the XDG base directory rules, and on Windows below its folders for applications. */
import { homedir } from 'node:os';
import { type Environment, Platform } from '../platform/index.ts';

export type { Environment };

/** `$XDG_STATE_HOME/kubectl-gc-tree`, by default below `~/.local/state`: the journal and its backups. */
function stateFolder(env: Environment, platform = Platform.current): string {
  return (
    explicit(env['XDG_STATE_HOME'], platform) ??
    (platform.isWindows
      ? windowsFolder(env, 'LOCALAPPDATA', platform, 'state')
      : homely(env, ['.local', 'state'], platform))
  );
}

/** `$XDG_CACHE_HOME/kubectl-gc-tree`, by default below `~/.cache`: content that can be regenerated. */
function cacheFolder(env: Environment, platform = Platform.current): string {
  return (
    explicit(env['XDG_CACHE_HOME'], platform) ??
    (platform.isWindows
      ? windowsFolder(env, 'LOCALAPPDATA', platform, 'cache')
      : homely(env, ['.cache'], platform))
  );
}

/** `$XDG_CONFIG_HOME/kubectl-gc-tree`, by default below `~/.config`: the user's own files. */
function configFolder(env: Environment, platform = Platform.current): string {
  return (
    explicit(env['XDG_CONFIG_HOME'], platform) ??
    // Roaming, so that configuration follows its user between machines.
    (platform.isWindows ? windowsFolder(env, 'APPDATA', platform) : homely(env, ['.config'], platform))
  );
}

const OURS = 'kubectl-gc-tree';

/** Ignores relative paths (XDG Base Directory Specification 0.8). */
function explicit(base: string | undefined, { path }: Platform): string | undefined {
  return base !== undefined && path.isAbsolute(base) ? path.join(base, OURS) : undefined;
}

function homely({ HOME: home }: Environment, below: readonly string[], { path }: Platform): string {
  return path.join(home === undefined || home === '' ? homedir() : home, ...below, OURS);
}

const usual = { LOCALAPPDATA: 'Local', APPDATA: 'Roaming' } as const;

function windowsFolder(
  env: Environment,
  variable: keyof typeof usual,
  { path }: Platform,
  ...below: readonly string[]
): string {
  const base = env[variable];
  const folder =
    base !== undefined && path.isAbsolute(base)
      ? base
      : path.join(env['USERPROFILE'] || homedir(), 'AppData', usual[variable]);
  return path.join(folder, OURS, ...below);
}

/** Returns folders that Windows closes to other users by inherited access lists. */
export function closedFolders(env: Environment): readonly string[] {
  return [env['USERPROFILE'] || homedir(), env['LOCALAPPDATA'] ?? ''].filter(folder => folder !== '');
}

export const userFolders = { config: configFolder, state: stateFolder, cache: cacheFolder };
