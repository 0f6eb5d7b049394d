/** The text of a kuberc as kubectl decodes it: the first document that it understands, field by field. */
import { parseAllDocuments } from 'yaml';
import { list, record, text } from '../../model/json.ts';
import { plainText } from '../auth/plain-text.ts';
import { yaml11 } from './kubeconfig.ts';

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

export interface Found {
  readonly preference: Preference;
  /** What kubectl warns of and passes over, as the beginning of a sentence; `''` for nothing. */
  readonly passedOver: string;
}

/** What a value has to be: text, a list, or an object with these fields and perhaps others. Null fits everywhere. */
type Shape = 'text' | readonly [Shape] | { readonly [field: string]: Shape };

const option: Shape = { name: 'text', default: 'text' };

function shape(defaults: string, options: string, policy: Record<string, Shape>): Shape {
  return {
    kind: 'text',
    apiVersion: 'text',
    [defaults]: [{ command: 'text', [options]: [option] }],
    aliases: [
      { name: 'text', command: 'text', prependArgs: ['text'], appendArgs: ['text'], [options]: [option] },
    ],
    ...policy,
  };
}

// Only v1beta1 knows the policy; in v1alpha1 kubectl passes over it.
const shapes: ReadonlyMap<string, Shape> = new Map([
  [
    'kubectl.config.k8s.io/v1beta1',
    shape('defaults', 'options', {
      credentialPluginPolicy: 'text',
      credentialPluginAllowlist: [{ name: 'text', command: 'text' }],
    }),
  ],
  ['kubectl.config.k8s.io/v1alpha1', shape('overrides', 'flags', {})],
]);

/**
 * The first document of a known version that decodes (kubectl `decodePreference`, v0.36), fields of other names and
 * fields given twice passed over; undefined for an empty file. Throws an error that says why there is none.
 */
export function readPreference(source: string): Found | undefined {
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

function decode(source: string): Found {
  const [document] = parseAllDocuments(source, { ...yaml11, uniqueKeys: true });
  const twice = document?.errors.find(({ code }) => code === 'DUPLICATE_KEY');
  const broken = document?.errors.find(({ code }) => code !== 'DUPLICATE_KEY');
  if (document === undefined || broken !== undefined)
    throw new Error(`it is not valid YAML (${broken?.code ?? 'empty'})`);
  const root = record(document.toJS());
  const version = text(root['apiVersion']);
  const known = text(root['kind']) === 'Preference' ? shapes.get(version) : undefined;
  if (known === undefined)
    throw new Error('it holds no Preference of kubectl.config.k8s.io/v1beta1 or v1alpha1');
  const unknown: string[] = [];
  check(root, known, { at: '', unknown });
  const passedOver =
    unknown.length > 0
      ? `${plainText(unknown.join(', '))} is no field of ${version}`
      : twice === undefined
        ? ''
        : 'a field is there twice, of which the first is not read';
  return { preference: preferenceOf(root, version), passedOver };
}

function check(
  value: unknown,
  wanted: Shape,
  place: { readonly at: string; readonly unknown: string[] },
): void {
  const { at, unknown } = place;
  if (value === null || value === undefined) return;
  const isList = Array.isArray(value);
  const kind = typeof value === 'object' ? (isList ? 'list' : 'object') : typeof value;
  const expected = typeof wanted === 'string' ? 'string' : wanted instanceof Array ? 'list' : 'object';
  if (kind !== expected) throw new Error(`its ${at} is a ${kind} where a ${expected} has to be`);
  if (typeof wanted === 'string') return;
  if (wanted instanceof Array) {
    for (const each of list(value)) check(each, wanted[0], place);
    return;
  }
  for (const [name, each] of Object.entries(record(value))) {
    const inside = Object.hasOwn(wanted, name) ? wanted[name] : undefined;
    const where = at === '' ? name : `${at}.${name}`;
    if (inside === undefined) unknown.push(where);
    else check(each, inside, { at: where, unknown });
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
