/**
 * The user's kuberc, as far as it concerns a plugin of kubectl: which credential plugins may run. Its defaults and
 * aliases are for kubectl's own commands; they are read as far as kubectl reads them before it runs anything.
 */
import path from 'node:path';
import { SourceError } from '../../source/source.ts';
import { fileReason } from '../auth/credential-file.ts';
import { plainText } from '../auth/known-credentials.ts';
import { readConfigFile } from './config-file.ts';
import { type Preference, readPreference } from './kuberc-document.ts';
import { homeFolders, type KubeconfigEnvironment } from './load-kubeconfig.ts';

/** `credentialPluginPolicy` and `credentialPluginAllowlist`; `''` is AllowAll. */
export interface PluginPolicy {
  readonly policy: '' | 'AllowAll' | 'DenyAll' | 'Allowlist';
  /** Names or paths of programs; empty unless the policy is Allowlist. */
  readonly allowlist: readonly string[];
  /** The kuberc that says so, for messages. */
  readonly file: string;
}

export interface Kuberc {
  readonly pluginPolicy: PluginPolicy | undefined;
  /** What was passed over in reading it, a sentence; `''` for nothing. */
  readonly warning: string;
}

const none: Kuberc = { pluginPolicy: undefined, warning: '' };

/**
 * Reads it as kubectl does (`kuberc.LoadKuberc`, `DefaultGetPreferences` and `Preferences.validate`, v0.36): `explicit`,
 * else `KUBERC`, else `~/.kube/kuberc`. One that was named has to be there and to be readable; of the usual one kubectl
 * only says that it cannot be read, and goes on without. Throws a `SourceError` for that and for settings that kubectl
 * refuses.
 */
export function loadKuberc(explicit: string | undefined, env: KubeconfigEnvironment): Kuberc {
  // kubectl's feature gate: what is off has no flag either.
  if (env['KUBECTL_KUBERC']?.toLowerCase() === 'false') return none;
  const { KUBERC: named } = env;
  if (named === 'off') {
    if (explicit) throw new SourceError('--kuberc and KUBERC=off exclude each other; leave one of them out.');
    return none;
  }
  const usual = path.join(homeFolders(env)[0] ?? '', '.kube', 'kuberc');
  const chosen = explicit || usual;
  // kubectl cannot tell the usual one in the flag from no flag.
  const file = chosen === usual && named ? named : chosen;
  const isNamed = Boolean(explicit || named);
  try {
    const found = readPreference(readConfigFile(file));
    if (found === undefined) return none;
    const { preference, passedOver } = found;
    return {
      pluginPolicy: policyOf(preference, file),
      warning: passedOver === '' ? '' : `kuberc ${file}: ${passedOver}, and is ignored.`,
    };
  } catch (error) {
    if (error instanceof Refused) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' && !isNamed) return none;
    const reason = fileReason(error) ?? (error as Error).message;
    if (isNamed) throw new SourceError(`cannot read kuberc ${file}: ${reason}.`);
    return {
      ...none,
      warning: `kuberc ${file} is ignored, with what it says of credential plugins: ${reason}.`,
    };
  }
}

/** What kubectl refuses wherever the file is. */
class Refused extends SourceError {}

function policyOf(preference: Preference, file: string): PluginPolicy {
  const refuse = (why: string): never => {
    throw new Refused(`kuberc ${file}: ${why}.`);
  };
  checkCommands(preference, refuse);
  const { policy, allowlist } = preference;
  switch (policy) {
    case '':
    case 'AllowAll':
    case 'DenyAll':
      if (allowlist !== undefined)
        refuse(
          `credentialPluginAllowlist is for credentialPluginPolicy Allowlist alone, which is "${policy}"`,
        );
      return { policy, allowlist: [], file };
    case 'Allowlist':
      return { policy, allowlist: checkedAllowlist(allowlist, refuse), file };
    default:
      return refuse(
        `credentialPluginPolicy "${plainText(policy, 60)}" is unknown; use AllowAll, DenyAll or Allowlist`,
      );
  }
}

/** As client-go's `validateAllowlist` (v0.36). */
function checkedAllowlist(
  allowlist: readonly string[] | undefined,
  refuse: (why: string) => never,
): readonly string[] {
  if (allowlist === undefined || allowlist.length === 0)
    return refuse(
      'credentialPluginPolicy is Allowlist, and credentialPluginAllowlist names no command; use DenyAll to allow none',
    );
  for (const [index, command] of allowlist.entries()) {
    if (command === '') refuse(`entry ${index + 1} of credentialPluginAllowlist is empty`);
    const clean = cleanPath(command);
    if (clean !== command)
      refuse(
        `credentialPluginAllowlist has "${plainText(command)}", which would never match; write "${plainText(clean)}"`,
      );
  }
  return allowlist;
}

/** As Go's `filepath.Clean`, for a path that isn't empty. */
function cleanPath(given: string): string {
  const clean = path.normalize(given);
  return clean.length > 1 && clean.endsWith(path.sep) && path.parse(clean).root !== clean
    ? clean.slice(0, -1)
    : clean;
}

/** What kubectl refuses before it looks at its commands (`Preferences.validate`). */
function checkCommands({ aliases, options }: Preference, refuse: (why: string) => never): void {
  const seen = new Set<string>();
  for (const name of aliases) {
    if (!/^[a-zA-Z]+$/.test(name))
      refuse(`the alias "${plainText(name, 60)}" has more in its name than letters`);
    if (seen.has(name)) refuse(`the alias "${name}" is there twice`);
    seen.add(name);
  }
  const dashed = options.find(name => name.startsWith('-'));
  if (dashed !== undefined) refuse(`the option "${plainText(dashed, 60)}" has to be written without dashes`);
}
