/** Finds the manager that set a finalizer or owner reference, by the managed fields fetched on demand. */
import { type JsonRecord, list, record, text, time } from '../../model/index.ts';

export interface Provenance {
  /** Field manager, such as `drain-operator` or `kubectl-edit`; clients choose it freely. */
  readonly manager: string;
  readonly operation: string;
  /** A subresource such as `status`; `''` for the object itself. */
  readonly subresource: string;
  /** Milliseconds since the epoch of this manager's last change to any of its fields, so this one's latest time. */
  readonly at: number | undefined;
}

/** Lists managers of the finalizer, earliest first; empty if managed fields don't show any. */
export function finalizerSetBy(object: JsonRecord, finalizer: string): readonly Provenance[] {
  // Elements of a set are keyed by their value as JSON (structured-merge-diff, fieldpath serialisation).
  return managersOf(object, 'f:finalizers', key => key.startsWith('v:') && parse(key.slice(2)) === finalizer);
}

export function referenceSetBy(object: JsonRecord, owner: string): readonly Provenance[] {
  return managersOf(
    object,
    'f:ownerReferences',
    key => key.startsWith('k:') && record(parse(key.slice(2)))['uid'] === owner,
  );
}

interface LabelChange extends Provenance {
  readonly labels: readonly string[];
}

const MAKER = 'kube-controller-manager';

/** Excludes kube-controller-manager; undefined if no label has a manager. Removed labels leave no trace. */
export function labelsSetByOthers(object: JsonRecord): readonly LabelChange[] | undefined {
  const entries = list(record(object['metadata'])['managedFields']).map(record);
  const told = entries.flatMap(entry => {
    const held = record(record(record(entry['fieldsV1'])['f:metadata'])['f:labels']);
    const labels = Object.keys(held).flatMap(key => (key.startsWith('f:') ? [key.slice(2)] : []));
    return labels.length === 0 ? [] : [{ ...provenanceOf(entry), labels: labels.sort() }];
  });
  if (told.length === 0) return undefined;
  // The scheduler's binding copies topology labels from the node to the pod.
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
