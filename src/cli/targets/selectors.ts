/**
 * kubectl's `--selector` and `--field-selector`, parsed like k8s.io/apimachinery (pkg/labels, pkg/fields, v0.36) but
 * evaluated here, for files too. Unknown fields are refused.
 */
import { type KubeObject, Labels, ownEntry, type ResourceType } from '../../model/index.ts';
import { UsageError } from '../runtime/errors.ts';

export interface FieldSelector {
  matches(object: KubeObject): boolean;
  /** Throws a `UsageError` if the type lacks a field, like the API server. */
  requireFields(type: ResourceType | undefined): void;
}

interface Field {
  /** Core kinds that the field can select; undefined for all. */
  readonly kinds?: readonly string[];
  value(object: KubeObject): string | undefined;
}

// Part of the fields in k8s.io/kubernetes pkg/apis/core/v1/conversion.go (v1.36).
const fields: Readonly<Record<string, Field>> = {
  'metadata.name': { value: ({ name }) => name },
  'metadata.namespace': { value: ({ namespace }) => namespace },
  'spec.nodeName': {
    kinds: ['Pod'],
    value: ({ facts }) => (facts?.kind === 'Pod' ? facts.nodeName : undefined),
  },
  'status.phase': {
    kinds: ['Pod', 'Namespace'],
    value: ({ facts }) => (facts?.kind === 'Pod' || facts?.kind === 'Namespace' ? facts.phase : undefined),
  },
  'spec.unschedulable': {
    kinds: ['Node'],
    value: ({ facts }) => (facts?.kind === 'Node' ? String(facts.unschedulable) : undefined),
  },
};

interface Term {
  readonly key: string;
  readonly field: Field;
  readonly equal: boolean;
  readonly wanted: string;
}

/** Throws a `UsageError` with the malformed part or the unknown field. */
export function parseFieldSelector(text: string): FieldSelector {
  // A backslash escapes a comma.
  const terms = (text.match(/(?:\\.|[^,])+/gsu) ?? []).map(termOf);
  if (terms.length === 0)
    throw new UsageError(
      `the field selector ${JSON.stringify(text)} names no field. Write metadata.name=web or status.phase!=Running.`,
    );
  return {
    matches: object =>
      terms.every(({ field, equal, wanted }) => {
        const value = field.value(object);
        return value !== undefined && (value === wanted) === equal;
      }),
    requireFields(type) {
      for (const { key, field } of terms) {
        if (field.kinds === undefined) continue;
        if (type !== undefined && type.group === '' && field.kinds.includes(type.kind)) continue;
        const kinds = field.kinds.map(kind => `${kind.toLowerCase()}s`).join(' and ');
        throw new UsageError(`--field-selector: only ${kinds} have ${key}. Name that type alone.`);
      }
    },
  };
}

function termOf(part: string): Term {
  const [, key = '', operator = '', value = ''] = /^([^=!]+)(!=|==|=)(.*)$/su.exec(part) ?? [];
  if (
    operator === '' ||
    /(?<!\\)(?:\\\\)*=/u.test(value) ||
    /\\(?![\\,=])/u.test(value.replaceAll('\\\\', ''))
  )
    throw new UsageError(
      `cannot read the field selector ${JSON.stringify(part)}. Write metadata.name=web or status.phase!=Running.`,
    );
  const field = ownEntry(fields, key.trim());
  if (field === undefined)
    throw new UsageError(
      `--field-selector: ${JSON.stringify(key.trim())} isn't known here. Use ${Object.keys(fields).join(', ')}.`,
    );
  return { key: key.trim(), field, equal: operator !== '!=', wanted: value.replace(/\\([\\,=])/gu, '$1') };
}

type Requirement = (labels: Labels) => boolean;

const key = String.raw`(?:[A-Za-z0-9][A-Za-z0-9.-]*/)?[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?`;
const value = String.raw`[A-Za-z0-9._-]*`;
const exists = new RegExp(`^(!?)\\s*(${key})$`, 'u');
const equals = new RegExp(`^(${key})\\s*(=|==|!=)\\s*(${value})$`, 'u');
const among = new RegExp(`^(${key})\\s+(in|notin)\\s*\\(([^()]*)\\)$`, 'u');

/** Splits at commas outside brackets. Keeps empty parts, so that they are refused instead of matching everything. */
function requirements(text: string): string[] {
  return text.split(/,(?![^(]*\))/u).map(part => part.trim());
}

function requirement(text: string): Requirement | undefined {
  const existence = exists.exec(text);
  if (existence !== null) {
    const [, not, name = ''] = existence;
    return labels => (Labels.value(labels, name) !== undefined) === (not === '');
  }
  const equality = equals.exec(text);
  if (equality !== null) {
    const [, name = '', operator, wanted = ''] = equality;
    return labels => (Labels.value(labels, name) === wanted) === (operator !== '!=');
  }
  const set = among.exec(text);
  if (set === null) return undefined;
  const [, name = '', operator, list = ''] = set;
  const wanted = list.split(',').map(each => each.trim());
  return labels => wanted.includes(Labels.value(labels, name) ?? '\n') === (operator === 'in');
}

/** Throws a `UsageError` that names the malformed part. */
export function parseSelector(text: string): Requirement {
  if (text.trim() === '') return () => true;
  const parsed = requirements(text).map(part => {
    const found = requirement(part);
    if (part === '')
      throw new UsageError(`the selector ${JSON.stringify(text)} has an empty part. Leave the comma out.`);
    if (found === undefined)
      throw new UsageError(
        `cannot read the selector ${JSON.stringify(part)}. Write app=web, app!=web, app, !app, app in (a,b) or app notin (a,b).`,
      );
    return found;
  });
  return labels => parsed.every(matches => matches(labels));
}
