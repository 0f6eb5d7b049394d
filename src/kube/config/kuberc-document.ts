/** The text of a kuberc as kubectl decodes it: the first document that it understands, field by field. */
import { list, record, text } from '../../model/json/json.ts';
import { plainText } from '../auth/known-credentials.ts';
import { readConfigYaml } from './config-file.ts';
import { misfit, type Shape } from './shape.ts';

/** What is of use here, whichever version it was written in. */
export interface Preference {
  /** As written. */
  readonly policy: string;
  /** The commands as written; undefined where there is no list. */
  readonly allowlist: readonly string[] | undefined;
  readonly aliases: readonly string[];
  /** Names of the options that aliases and defaults set. */
  readonly options: readonly string[];
}

export interface KubercEntry {
  readonly preference: Preference;
  /** What kubectl warns of and passes over, as the beginning of a sentence; `''` for nothing. */
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

// Only v1beta1 knows the policy; in v1alpha1 kubectl passes over it.
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

/**
 * The first document of a known version that decodes (kubectl `decodePreference`, v0.36), fields of other names and
 * fields given twice passed over; undefined for an empty file. Throws an error that says why there is none.
 */
export function readPreference(source: string): KubercEntry | undefined {
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

/** As apimachinery's `YAMLReader`, which cuts at lines before anything is parsed; without empty ones. */
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
        ? 'a field is there twice, of which the first is not read'
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

/** Of what can be read. */
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

// `name` is what v1beta1 called it first.
function commandOf(entry: unknown): string {
  const name = text(record(entry)['name']);
  const command = text(record(entry)['command']);
  if (name !== '' && command !== '' && name !== command)
    throw new Error('an entry of its credentialPluginAllowlist has a name and another command');
  return command || name;
}
