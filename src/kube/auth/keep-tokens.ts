/**
 * Writes renewed OpenID Connect tokens back into the kubeconfig, as kubectl does: a provider that rotates
 * refresh tokens accepts the old one no more, so keeping them to ourselves would lock the user's kubectl out.
 */
import {
  closeSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { isMap, isSeq, parseDocument } from 'yaml';

export interface RenewedTokens {
  /** The kubeconfig file that defines the user. */
  readonly file: string;
  readonly user: string;
  /** Keys of `auth-provider.config` and their new values. */
  readonly config: Readonly<Record<string, string>>;
}

/**
 * Changes those values and nothing else, comments included, under the lock file that clientcmd uses
 * (`ModifyConfig`, v0.36). Returns whether it was written: a locked or read-only file is left alone.
 */
export function keepTokens({ file, user, config }: RenewedTokens): boolean {
  let lock: string | undefined;
  try {
    const target = realpathSync(file);
    closeSync(openSync(`${target}.lock`, 'wx'));
    lock = `${target}.lock`;
    const text = withTokens(readFileSync(target, 'utf8'), user, config);
    if (text === undefined) return false;
    const next = `${target}.gc-tree-${process.pid}`;
    try {
      writeFileSync(next, text, { mode: statSync(target).mode & 0o777, flag: 'wx' });
      renameSync(next, target);
    } catch (error) {
      rmSync(next, { force: true });
      throw error;
    }
    return true;
  } catch {
    return false;
  } finally {
    if (lock !== undefined) rmSync(lock, { force: true });
  }
}

function withTokens(text: string, user: string, config: RenewedTokens['config']): string | undefined {
  const document = parseDocument(text, { uniqueKeys: false });
  const users = document.get('users');
  if (document.errors.length > 0 || !isSeq(users)) return undefined;
  const entry = users.items.find(item => isMap(item) && item.get('name') === user);
  const provider = isMap(entry) ? entry.getIn(['user', 'auth-provider', 'config']) : undefined;
  if (!isMap(provider)) return undefined;
  for (const [key, value] of Object.entries(config)) provider.set(key, value);
  return document.toString({ lineWidth: 0 });
}
