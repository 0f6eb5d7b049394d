/** Reads which credential plugins the user's kuberc allows; its defaults and aliases are only validated. */
import path from 'node:path';
import { list, record, text } from '../../model/index.ts';
import { SourceError } from '../../source/index.ts';
import { readConfigFile, readConfigYaml } from './config-file.ts';
import { fileReason } from './credential-file.ts';
import { plainText } from './known-credentials.ts';
import { homeFolder, type KubeconfigEnvironment } from './load-kubeconfig.ts';
import { misfit, type Shape } from './shape.ts';

/** `credentialPluginPolicy` and `credentialPluginAllowlist`; `''` is AllowAll. */
export interface PluginPolicy {
  readonly policy: '' | 'AllowAll' | 'DenyAll' | 'Allowlist';
  /** Names or paths of programs; empty unless the policy is Allowlist. */
  readonly allowlist: readonly string[];
  readonly file: string;
}

export interface Kuberc {
  readonly pluginPolicy: PluginPolicy | undefined;
  /** A sentence about ignored parts; `''` for none. */
  readonly warning: string;
}

const none: Kuberc = { pluginPolicy: undefined, warning: '' };

/**
 * Reads like kubectl (`kuberc.LoadKuberc`, `DefaultGetPreferences` and `Preferences.validate`, v0.36): `explicit`, else
 * `KUBERC`, else `~/.kube/kuberc`. Throws a `SourceError` for refused settings or an unreadable named file; an
 * unreadable default one gives a warning.
 */
export function loadKuberc(explicit: string | undefined, env: KubeconfigEnvironment): Kuberc {
  // kubectl's feature gate, which disables the flag as well.
  if (env['KUBECTL_KUBERC']?.toLowerCase() === 'false') return none;
  const { KUBERC: named } = env;
  if (named === 'off') {
    if (explicit) throw new SourceError('--kuberc and KUBERC=off exclude each other; leave one of them out.');
    return none;
  }
  const usual = path.join(homeFolder(env), '.kube', 'kuberc');
  const chosen = explicit || usual;
  // kubectl treats the default path in the flag like no flag.
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

/** Follows client-go's `validateAllowlist` (v0.36). */
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

/** Follows Go's `filepath.Clean`, for a path that isn't empty. */
function cleanPath(given: string): string {
  const clean = path.normalize(given);
  return clean.length > 1 && clean.endsWith(path.sep) && path.parse(clean).root !== clean
    ? clean.slice(0, -1)
    : clean;
}

/** Applies the checks that kubectl makes before it runs a command (`Preferences.validate`). */
function checkCommands({ aliases, options }: Preference, refuse: (why: string) => never): void {
  const seen = new Set<string>();
  for (const name of aliases) {
    if (!/^[a-zA-Z]+$/.test(name))
      refuse(`the alias "${plainText(name, 60)}" has more in its name than letters`);
    if (seen.has(name)) refuse(`the alias "${name}" appears twice`);
    seen.add(name);
  }
  const dashed = options.find(name => name.startsWith('-'));
  if (dashed !== undefined) refuse(`the option "${plainText(dashed, 60)}" has to be written without dashes`);
}

export interface Preference {
  readonly policy: string;
  readonly allowlist: readonly string[] | undefined;
  readonly aliases: readonly string[];
  readonly options: readonly string[];
}

export interface KubercEntry {
  readonly preference: Preference;
  /** The start of a warning that kubectl gives about ignored parts; `''` for none. */
  readonly passedOver: string;
}

const option: Shape = { fields: { name: 'text', default: 'text' } };

function shape(defaults: string, options: string, policy: Readonly<Record<string, Shape>>): Shape {
  const set: Shape = { list: option };
  const args: Shape = { list: 'text' };
  return {
    fields: {
      kind: 'text',
      apiVersion: 'text',
      [defaults]: { list: { fields: { command: 'text', [options]: set } } },
      aliases: {
        list: {
          fields: { name: 'text', command: 'text', prependArgs: args, appendArgs: args, [options]: set },
        },
      },
      ...policy,
    },
  };
}

// Only v1beta1 has the policy; kubectl ignores it in v1alpha1.
const shapes: ReadonlyMap<string, Shape> = new Map([
  [
    'kubectl.config.k8s.io/v1beta1',
    shape('defaults', 'options', {
      credentialPluginPolicy: 'text',
      credentialPluginAllowlist: { list: { fields: { name: 'text', command: 'text' } } },
    }),
  ],
  ['kubectl.config.k8s.io/v1alpha1', shape('overrides', 'flags', {})],
]);

/** Returns the first decodable document (kubectl `decodePreference`, v0.36), undefined for an empty file, or throws. */
function readPreference(source: string): KubercEntry | undefined {
  let failure: Error | undefined;
  for (const document of documents(source)) {
    try {
      return decode(document);
    } catch (error) {
      failure ??= error as Error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

/** Follows apimachinery's `YAMLReader`, which cuts at lines before parsing; skips empty documents. */
function* documents(source: string): Generator<string> {
  let lines: string[] = [];
  for (const line of [...source.split('\n'), '---']) {
    if (!line.startsWith('---')) {
      lines.push(line);
      continue;
    }
    const rest = line.slice(3).trim();
    if (rest !== '' && !rest.startsWith('#')) throw new Error('a line "---" has more on it than a comment');
    const document = lines.join('\n');
    if (document.trim() !== '') yield document;
    lines = [];
  }
}

function decode(source: string): KubercEntry {
  const root = record(parsed(source));
  const version = text(root['apiVersion']);
  const known = text(root['kind']) === 'Preference' ? shapes.get(version) : undefined;
  if (known === undefined)
    throw new Error('it holds no Preference of kubectl.config.k8s.io/v1beta1 or v1alpha1');
  const foreign: string[] = [];
  const wrong = misfit(root, known, place => foreign.push(place));
  if (wrong !== undefined) throw new Error(plainText(wrong));
  const passedOver =
    foreign.length > 0
      ? `${plainText(foreign.join(', '))} is no field of ${version}`
      : holdsTwice(source)
        ? 'a field appears twice, of which the first is not read'
        : '';
  return { preference: preferenceOf(root, version), passedOver };
}

function parsed(source: string): unknown {
  try {
    return readConfigYaml(source);
  } catch (error) {
    throw new Error(`it is ${(error as Error).message}`);
  }
}

function holdsTwice(source: string): boolean {
  try {
    readConfigYaml(source, { refusesTwice: true });
    return false;
  } catch {
    return true;
  }
}

function preferenceOf(root: Readonly<Record<string, unknown>>, version: string): Preference {
  const hasPolicy = version.endsWith('/v1beta1');
  const [defaults, options] = hasPolicy ? ['defaults', 'options'] : ['overrides', 'flags'];
  const entries = [...list(root[defaults ?? '']), ...list(root['aliases'])].map(record);
  const allowlist = root['credentialPluginAllowlist'];
  return {
    policy: hasPolicy ? text(root['credentialPluginPolicy']) : '',
    allowlist: hasPolicy && Array.isArray(allowlist) ? allowlist.map(commandOf) : undefined,
    aliases: list(root['aliases']).map(alias => text(record(alias)['name'])),
    options: entries.flatMap(entry => list(entry[options ?? '']).map(each => text(record(each)['name']))),
  };
}

// `name` is the field's earlier name in v1beta1.
function commandOf(entry: unknown): string {
  const name = text(record(entry)['name']);
  const command = text(record(entry)['command']);
  if (name !== '' && command !== '' && name !== command)
    throw new Error('an entry of its credentialPluginAllowlist has a name and another command');
  return command || name;
}
