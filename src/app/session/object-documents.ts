/** Fetches the live object as YAML without Secrets' data, its field managers or its uses. Loaded on first use. */

import { finalizerSetBy, type Provenance, referenceSetBy, Users } from '../../diagnosis/index.ts';
import type { ClusterView, GraphNode } from '../../graph/index.ts';
import {
  counted,
  type KubeObject,
  list,
  prose,
  record,
  secretValues,
  showHidden,
  shownName,
  text,
  time,
} from '../../model/index.ts';
import { type JsonObject, type Source, wholeReads } from '../../source/index.ts';
import { documentText, type Line, type Style, timeText, useWords } from '../../text/index.ts';

/** Rejects with the source's `SourceError`. */
export async function yamlOf(source: Source, { object }: GraphNode): Promise<readonly Line[]> {
  if (object === undefined) return [];
  return liveObjectLines(await source.get(object.type, object.namespace, object.name));
}

/** Reads field managers. Rejects with the source's `SourceError`. */
export async function managersOf(
  source: Source,
  { object }: GraphNode,
  now: number,
): Promise<readonly Line[]> {
  if (object === undefined) return [];
  const { type, namespace, name } = object;
  const live = await (source.getMetadata?.(type, namespace, name) ?? source.get(type, namespace, name));
  return managedFieldLines(live, object, now);
}

/** Reads the object and all kinds that may use it, as `why` does, if these are at most `most` objects. Rejects if a read rejects. */
export async function usesOf(
  source: Source,
  view: ClusterView,
  { object }: GraphNode,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly Line[]> {
  if (object === undefined) return [];
  const reads = wholeReads(source);
  const users = new Users(view, reads);
  const size = users.sizeOf([object]);
  if (size > most)
    return [
      line('Used by', 'title'),
      line(`  W reads it, with ${counted(size, 'object', 'objects')}`, 'muted'),
    ];
  const [whole, usedBy] = await Promise.all([
    Users.canUse(object) ? reads.read(object) : undefined,
    users.of([object]),
  ]);
  if (whole?.state === 'absent') return liveObjectLines(undefined);
  if (whole?.state === 'read' && isReplaced(whole.json, object)) return [replaced];
  const used =
    whole?.state === 'unread'
      ? [`what it uses cannot be read (${prose(whole.reason)})`]
      : whole && useWords.used(users.usedIn(object, whole.json), object.namespace);
  return [
    ...sentenceLines('Used by', useWords.users(usedBy, object.namespace)),
    ...(used ? [[], ...sentenceLines('Uses', used)] : []),
  ];
}

/** Says of an empty list what it doesn't show. */
function sentenceLines(title: string, sentences: readonly string[]): readonly Line[] {
  const shown = sentences.length > 0 ? sentences : ['nothing that is known and can be seen'];
  return [line(title, 'title'), ...shown.map(each => line(`  ${each}`))];
}

const replaced = line('The object was deleted, and another one has its name now.', 'warning');

function isReplaced(live: JsonObject, known: KubeObject): boolean {
  const uid = text(record(live['metadata'])['uid']);
  return uid !== '' && uid !== known.uid;
}

/** Copies the object without Secrets' data: type first, managed fields last in the metadata. */
export function redacted(object: JsonObject): JsonObject {
  const { apiVersion, kind, metadata, ...rest } = secretValues.hiddenBelow(object, 'hidden');
  const { managedFields, ...first } = record(metadata);
  const shown = managedFields === undefined ? first : { ...first, managedFields };
  return {
    ...(apiVersion === undefined ? {} : { apiVersion }),
    ...(kind === undefined ? {} : { kind }),
    ...(metadata === undefined ? {} : { metadata: shown }),
    ...rest,
  };
}

/** Colours YAML by key and value; undefined stands for a deleted object. */
export function liveObjectLines(object: JsonObject | undefined): readonly Line[] {
  if (object === undefined) return [line('The object no longer exists.', 'warning')];
  return documentText.yaml(redacted(object), '').trimStart().split('\n').map(yamlLine);
}

function yamlLine(yaml: string): Line {
  const clean = showHidden(yaml);
  const key = /^(\s*(?:- )*)([^\s:#"'][^:]*:)(?= |$)/u.exec(clean);
  if (key === null) return line(clean);
  const [whole, indent = '', name = ''] = key;
  return [
    { text: indent, style: 'plain' },
    { text: name, style: 'info' },
    { text: clean.slice(whole.length), style: 'plain' },
  ];
}

function line(content: string, style: Style = 'plain'): Line {
  return [{ text: content, style }];
}

/** Lists field managers; `live`: the object as just fetched, undefined if deleted; `known`: as watched. */
export function managedFieldLines(
  live: JsonObject | undefined,
  known: KubeObject,
  now: number,
): readonly Line[] {
  if (live === undefined) return [line('The object no longer exists.', 'warning')];
  if (isReplaced(live, known)) return [replaced];
  const metadata = record(live['metadata']);
  const entries = list(metadata['managedFields']).map(record);
  if (entries.length === 0) return [line('It has no managed fields, so who set what is unknown.', 'warning')];
  const finalizers = list(metadata['finalizers']).map(text);
  const owners = list(metadata['ownerReferences']).map(record);
  const setters = finalizers.map((name): Setters => [name, finalizerSetBy(live, name)]);
  const ownerSetters = owners.map(
    ({ kind, name, uid }): Setters => [`${text(kind)} ${text(name)}`, referenceSetBy(live, text(uid))],
  );
  const note =
    'The time is that of the last change to any field of this writer, so a field may be older. Writers choose their own names.';
  return [
    ...section('Finalizers', setters, now),
    ...section('Owner references', ownerSetters, now),
    line('All writers', 'title'),
    ...entries.flatMap(entry => writerLines(entry, now)),
    [],
    line(note, 'muted'),
  ];
}

type Setters = readonly [name: string, setBy: readonly Provenance[]];

function section(title: string, content: readonly Setters[], now: number): readonly Line[] {
  if (content.length === 0) return [];
  const lines = content.flatMap(([name, setBy]) => [
    line(`  ${shownName(name)}`, 'info'),
    ...(setBy.length === 0 ? [line('    no writer claims it', 'muted')] : []),
    ...setBy.map(({ manager, operation, at }) =>
      line(`    set by ${writerName(manager, operation)}${timeWords(at, now)}`),
    ),
  ]);
  return [line(title, 'title'), ...lines, []];
}

function writerLines(entry: JsonObject, now: number): readonly Line[] {
  const subresource = text(entry['subresource']);
  const where = subresource === '' ? '' : ` to ${shownName(subresource)}`;
  const who = writerName(text(entry['manager']), text(entry['operation']));
  const fields = fieldNames(record(entry['fieldsV1']));
  return [
    [
      { text: `  ${who}${where}`, style: 'info' },
      { text: timeWords(time(entry['time']), now), style: 'plain' },
    ],
    ...(fields === '' ? [] : [line(`    ${fields}`, 'muted')]),
  ];
}

function writerName(manager: string, operation: string): string {
  const name = manager === '' ? 'an unnamed writer' : shownName(manager);
  return operation === 'Apply' ? `${name} (server-side apply)` : name;
}

function timeWords(at: number | undefined, now: number): string {
  if (at === undefined) return '';
  return `, ${timeText.duration(Math.max(0, now - at))} ago or before (${timeText.timestamp(at)})`;
}

const NAMED = 8;

/** Returns `metadata: finalizers, labels; spec`, from the keys of fieldsV1. */
function fieldNames(fields: JsonObject): string {
  return Object.keys(fields)
    .map(key => {
      const below = Object.keys(record(fields[key])).filter(name => name.startsWith('f:'));
      const shown = below.slice(0, NAMED).map(plainName);
      const more = below.length > NAMED ? ` and ${below.length - NAMED} more` : '';
      return shown.length === 0 ? plainName(key) : `${plainName(key)}: ${shown.join(', ')}${more}`;
    })
    .join('; ');
}

function plainName(key: string): string {
  return shownName(key.replace(/^f:/u, ''));
}
