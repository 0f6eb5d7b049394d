/**
 * Who set the finalizers and owner references of an object, and who else writes to it, as its managed fields tell.
 * Names alone: of the fields themselves no value is shown.
 */
import { finalizerSetBy, type Provenance, referenceSetBy } from '../../diagnosis/explain/provenance.ts';
import { list, record, text, time } from '../../model/json/json.ts';
import type { KubeObject } from '../../model/object.ts';
import { shownName } from '../../model/text/shown.ts';
import type { JsonObject } from '../../source/source.ts';
import { formatDuration, formatTimestamp } from '../../text/terminal/age.ts';
import type { Span, Style } from '../../text/terminal/style.ts';

type Lines = readonly (readonly Span[])[];

function line(content: string, style: Style = 'plain'): readonly Span[] {
  return [{ text: content, style }];
}

/** `live` is the object as the API server returns it now, undefined where it is gone; `known` as it was watched. */
export function managedFieldLines(live: JsonObject | undefined, known: KubeObject, now: number): Lines {
  if (live === undefined) return [line('The object does not exist any more.', 'warning')];
  const metadata = record(live['metadata']);
  if (text(metadata['uid']) !== '' && text(metadata['uid']) !== known.uid)
    return [line('The object was deleted, and another one has its name now.', 'warning')];
  const entries = list(metadata['managedFields']).map(record);
  if (entries.length === 0) return [line('It has no managed fields: nothing tells who set what.', 'warning')];
  const finalizers = list(metadata['finalizers']).map(text);
  const lines: (readonly Span[])[] = [];
  section(
    lines,
    'Finalizers',
    finalizers.map(name => [name, finalizerSetBy(live, name)]),
    now,
  );
  const owners = list(metadata['ownerReferences']).map(record);
  section(
    lines,
    'Owner references',
    owners.map(owner => [
      `${text(owner['kind'])} ${text(owner['name'])}`,
      referenceSetBy(live, text(owner['uid'])),
    ]),
    now,
  );
  lines.push(line('Everybody who writes to it', 'title'));
  for (const entry of entries) lines.push(...writerLines(entry, now));
  lines.push(
    [],
    line(
      'The time is that of the last change to any field of this writer, so a field may be older. Whoever writes chooses the name.',
      'muted',
    ),
  );
  return lines;
}

function section(
  lines: (readonly Span[])[],
  title: string,
  content: readonly (readonly [string, readonly Provenance[]])[],
  now: number,
): void {
  if (content.length === 0) return;
  lines.push(line(title, 'title'));
  for (const [name, setters] of content) {
    lines.push(line(`  ${shownName(name)}`, 'info'));
    if (setters.length === 0) lines.push(line('    nobody claims it', 'muted'));
    for (const { manager, operation, at } of setters)
      lines.push(line(`    set by ${writerName(manager, operation)}${timeWords(at, now)}`));
  }
  lines.push([]);
}

function writerLines(entry: JsonObject, now: number): Lines {
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
  const name = manager === '' ? 'somebody without a name' : shownName(manager);
  return operation === 'Apply' ? `${name} (server-side apply)` : name;
}

function timeWords(at: number | undefined, now: number): string {
  if (at === undefined) return '';
  return `, ${formatDuration(Math.max(0, now - at))} ago or before (${formatTimestamp(at)})`;
}

const NAMED = 8;

/** `metadata: finalizers, labels; spec`, from the keys of fieldsV1. */
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
