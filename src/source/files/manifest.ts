/** Recognizes objects and lists in documents, and explains what else they are. */
import {
  isRecord,
  type JsonRecord,
  keptAnnotations,
  list,
  prose,
  record,
  text,
  textEscapes,
} from '../../model/index.ts';

export interface Kinded {
  readonly apiVersion: string;
  readonly kind: string;
}

export interface Manifest extends Kinded {
  readonly json: JsonRecord;
}

export type Content =
  | { readonly is: 'object'; readonly manifest: Manifest }
  /** Elements have their own kind or the list's. */
  | {
      readonly is: 'list';
      readonly of: Kinded | undefined;
      readonly elements: readonly unknown[];
      /** A page of a longer list, an array, or a complete list. */
      readonly extent: 'page' | 'array' | 'all';
    }
  /** `what` completes a sentence: "is a kubeconfig, …". `meant`: an object may have been intended. */
  | { readonly is: 'foreign'; readonly what: string; readonly meant: boolean }
  | { readonly is: 'nothing' };

/** `hasItems`: its elements were handed out already. `of`: default kind for elements. */
export function manifestsIn(value: unknown, hasItems: boolean, of?: Kinded): Content {
  if (value === null || value === undefined) return { is: 'nothing' };
  if (Array.isArray(value)) return { is: 'list', of: undefined, elements: value, extent: 'array' };
  if (!isRecord(value)) return textual(value);
  const apiVersion = text(value['apiVersion']) || (of?.apiVersion ?? '');
  const kind = text(value['kind']) || (of?.kind ?? '');
  if (kind === '' || apiVersion === '') return kindless(value, kind, apiVersion);
  const foreign = foreigner(apiVersion, kind, value);
  if (foreign !== undefined) return { is: 'foreign', what: foreign, meant: foreign !== KUBECONFIG };
  const { items } = value;
  // Go writes null for an empty list; a list without its elements looks the same.
  const isList = kind.endsWith('List') && (hasItems || Array.isArray(items) || items === null);
  if (isList) {
    const bare = kind.slice(0, -'List'.length);
    return {
      is: 'list',
      of: bare === '' ? undefined : { apiVersion, kind: bare },
      elements: list(items),
      extent: isPage(record(value['metadata'])) ? 'page' : 'all',
    };
  }
  return { is: 'object', manifest: { apiVersion, kind, json: value } };
}

/** Checks ListMeta (apimachinery pkg/apis/meta/v1/types.go, v0.36). Some tools write `null` as text. */
function isPage({ continue: more, remainingItemCount: remaining }: JsonRecord): boolean {
  return !['', 'null'].includes(text(more)) || (typeof remaining === 'number' && remaining > 0);
}

function textual(value: unknown): Content {
  return typeof value === 'string' && /^NAME(?:SPACE)?\s+[A-Z]/u.test(value)
    ? { is: 'foreign', what: 'is a table for people. Print with -o yaml or -o json', meant: true }
    : { is: 'foreign', what: 'holds no Kubernetes object', meant: false };
}

/** Charts have an apiVersion, and other programs' configuration has a kind. */
function kindless(value: JsonRecord, kind: string, apiVersion: string): Content {
  if (kind === '' && apiVersion === '')
    return {
      is: 'foreign',
      what: 'holds no Kubernetes object: apiVersion and kind are missing',
      meant: false,
    };
  const hasMetadata = value['metadata'] !== undefined;
  const isChart = !hasMetadata && text(value['name']) !== '' && value['version'] !== undefined;
  const what =
    record(value['metadata'])['name'] === undefined && kind === ''
      ? 'holds no Kubernetes object: kind is missing'
      : `holds an object without ${kind === '' ? 'kind' : 'apiVersion'}`;
  return { is: 'foreign', what, meant: kind === '' ? !isChart : hasMetadata };
}

const KUBECONFIG = 'is a kubeconfig. Give it with --kubeconfig';
const TEMPLATE = 'looks like a template. Render it first (helm template, for a chart)';

/** Impossible for all kinds (apimachinery pkg/api/validation/path/name.go, v0.36). */
function isImpossible(name: string): boolean {
  return name === '.' || name === '..' || /[/%]/u.test(name);
}

function foreigner(apiVersion: string, kind: string, value: JsonRecord): string | undefined {
  const { name, namespace } = record(value['metadata']);
  // In YAML, `{{ .Values.name }}` is a mapping.
  if (isRecord(name) || isRecord(namespace)) return TEMPLATE;
  for (const each of [name, namespace])
    if (typeof each === 'string' && isImpossible(each))
      return `holds an object called ${textEscapes.json(each)}, a name that no API server takes`;
  if (
    kind === 'Config' &&
    apiVersion === 'v1' &&
    ('clusters' in value || 'contexts' in value || 'users' in value)
  )
    return KUBECONFIG;
  if (kind === 'Status' && apiVersion === 'v1')
    return `is an error that the API server answered: ${prose(text(value['message'])) || text(value['reason']) || 'no reason given'}`;
  if (apiVersion.startsWith('meta.k8s.io/')) {
    return kind === 'Table'
      ? 'is a table. Print with -o yaml or -o json'
      : "holds metadata alone, which doesn't tell what kind of object it is of";
  }
  return undefined;
}

/** Keeps the parts the graph needs of an object of unknown kind: no data, no managed fields, few annotations. */
export function essence(json: JsonRecord): JsonRecord {
  const { data: _data, stringData: _stringData, binaryData: _binaryData, ...rest } = json;
  const { managedFields: _managed, annotations, ...metadata } = record(json['metadata']);
  const kept = Object.entries(record(annotations)).filter(([key]) => keptAnnotations.has(key));
  return {
    ...rest,
    metadata: { ...metadata, ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }) },
  };
}

/** Depth of a spec, and elements of a list, whose names are kept. */
const DEEPEST = 4;
const MOST_ELEMENTS = 20;
const name = /^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/iu;

/** Keeps the parts of a spec that may name other objects; undefined if there are none. */
export function namesIn(value: unknown, depth = 0): unknown {
  if (typeof value === 'string') return name.test(value) ? value : undefined;
  if (typeof value !== 'object' || value === null || depth > DEEPEST) return undefined;
  if (Array.isArray(value)) {
    const kept = value.slice(0, MOST_ELEMENTS).flatMap(each => namesIn(each, depth + 1) ?? []);
    return kept.length === 0 ? undefined : kept;
  }
  const kept = Object.entries(value).flatMap(([key, each]) => {
    const names = namesIn(each, depth + 1);
    return names === undefined ? [] : [[key, names] as const];
  });
  return kept.length === 0 ? undefined : Object.fromEntries(kept);
}
