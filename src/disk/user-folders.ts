/** Where the product keeps what is its user's alone, as the XDG base directory rules say. */
import { homedir } from 'node:os';
import path from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

/** `$XDG_STATE_HOME/kubectl-gc-tree`, by default below `~/.local/state`: the journal and its backups. */
export function stateFolder(env: Environment): string {
  return userFolder(env, env['XDG_STATE_HOME'], ['.local', 'state']);
}

/** `$XDG_CACHE_HOME/kubectl-gc-tree`, by default below `~/.cache`: what can be made again. */
export function cacheFolder(env: Environment): string {
  return userFolder(env, env['XDG_CACHE_HOME'], ['.cache']);
}

/** `$XDG_CONFIG_HOME/kubectl-gc-tree`, by default below `~/.config`: what the user wrote. */
export function configFolder(env: Environment): string {
  return userFolder(env, env['XDG_CONFIG_HOME'], ['.config']);
}

/** Relative paths don't count (XDG Base Directory Specification 0.8). */
function userFolder({ HOME: home }: Environment, base: string | undefined, below: readonly string[]): string {
  if (base !== undefined && path.isAbsolute(base)) return path.join(base, 'kubectl-gc-tree');
  return path.join(home === undefined || home === '' ? homedir() : home, ...below, 'kubectl-gc-tree');
}
