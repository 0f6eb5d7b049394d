/**
 * Who put a finalizer or an owner reference on an object, as its managed fields tell. Pure: the object's whole JSON
 * comes in, since managed fields are fetched only when somebody asks.
 */
import { type JsonRecord, list, record, text, time } from '../../model/json/json.ts';

export interface Provenance {
  /** The field manager: `drain-operator`, `kubectl-edit`. Anybody may call themselves anything. */
  readonly manager: string;
  /** `Apply` or `Update`. */
  readonly operation: string;
  /** `''` for the object itself, else such as `status`. */
  readonly subresource: string;
  /**
   * Milliseconds since the epoch: when this manager last changed any of its fields of the object, so that it set
   * this one then or earlier. Undefined where it isn't told.
   */
  readonly at: number | undefined;
}

/** Who holds this finalizer of the object, the earliest first. Empty where the managed fields don't tell. */
export function finalizerSetBy(object: JsonRecord, finalizer: string): readonly Provenance[] {
  // Elements of a set are keyed by their value as JSON (structured-merge-diff, fieldpath serialisation).
  return managersOf(object, 'f:finalizers', key => key.startsWith('v:') && parse(key.slice(2)) === finalizer);
}

/** Who holds the reference to this owner, the earliest first. Empty where the managed fields don't tell. */
export function referenceSetBy(object: JsonRecord, owner: string): readonly Provenance[] {
  return managersOf(
    object,
    'f:ownerReferences',
    key => key.startsWith('k:') && record(parse(key.slice(2)))['uid'] === owner,
  );
}

/** Labels that somebody set on what a controller had made. */
export interface LabelChange extends Provenance {
  /** Their keys, sorted. */
  readonly labels: readonly string[];
}

/** Who makes what workloads consist of. */
const MAKER = 'kube-controller-manager';

/**
 * Who but kube-controller-manager holds labels of the object, the earliest first; undefined where its managed fields tell
 * of no labels at all. Who removed a label leaves no trace there.
 */
export function labelsSetByOthers(object: JsonRecord): readonly LabelChange[] | undefined {
  const entries = list(record(object['metadata'])['managedFields']).map(record);
  const told = entries.flatMap(entry => {
    const held = record(record(record(entry['fieldsV1'])['f:metadata'])['f:labels']);
    const labels = Object.keys(held).flatMap(key => (key.startsWith('f:') ? [key.slice(2)] : []));
    return labels.length === 0 ? [] : [{ ...provenanceOf(entry), labels: labels.sort() }];
  });
  if (told.length === 0) return undefined;
  // The scheduler gives a pod the labels of its node's topology with the binding.
  return told
    .filter(({ manager, subresource }) => manager !== MAKER && subresource === '')
    .sort(earliestFirst);
}

function managersOf(
  object: JsonRecord,
  field: string,
  isElement: (key: string) => boolean,
): readonly Provenance[] {
  const found: Provenance[] = [];
  for (const each of list(record(object['metadata'])['managedFields'])) {
    const entry = record(each);
    const elements = record(record(record(entry['fieldsV1'])['f:metadata'])[field]);
    if (!Object.keys(elements).some(isElement)) continue;
    found.push(provenanceOf(entry));
  }
  return found.sort(earliestFirst);
}

function provenanceOf(entry: JsonRecord): Provenance {
  return {
    manager: text(entry['manager']),
    operation: text(entry['operation']),
    subresource: text(entry['subresource']),
    at: time(entry['time']),
  };
}

function earliestFirst(a: Provenance, b: Provenance): number {
  return (a.at ?? Number.POSITIVE_INFINITY) - (b.at ?? Number.POSITIVE_INFINITY);
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
