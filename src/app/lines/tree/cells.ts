/** Texts of the tree's plain columns. */
import { deletionRequestedAt, finalizersOf } from '../../../graph/deletion.ts';
import type { GraphNode } from '../../../graph/node.ts';
import { controllerOf, type KubeObject, labelValue, podFacts } from '../../../model/object.ts';
import { prose, shownName } from '../../../model/text/shown.ts';
import { formatCount } from '../../../model/text/titles.ts';
import { formatAge, formatDuration, formatTimestamp } from '../../../text/terminal/age.ts';
import type { Style } from '../../../text/terminal/style.ts';
import { type ChosenColumn, type KeyedColumn, keyOf } from '../../settings/columns.ts';

/** Columns with more than one style, drawn separately. */
type Drawn = 'state' | 'managed-by';

export type PlainColumn = Exclude<ChosenColumn['column'], Drawn>;

/** Returns the sanitised text, `''` if there is none. `now`: milliseconds since the epoch. */
export function cellOf(column: PlainColumn, node: GraphNode, now: number): string {
  const { object } = node;
  switch (column) {
    case 'kind':
      return shownName(object?.type.kind ?? node.identity.kind);
    case 'namespace':
      return shownName((object ?? node.identity).namespace);
    case 'api-version':
      return shownName((object?.type ?? node.identity).apiVersion);
    case 'uid':
      return shownName(node.uid);
    case 'dependents':
      return formatCount(node.dependents.size);
    case 'age':
    case 'created':
    case 'deleting':
    case 'node':
    case 'owner':
    case 'owners':
    case 'finalizers':
      // An owner known from references alone has no other values.
      return object === undefined ? '' : ofObject(column, object, now);
    default:
      return object === undefined ? '' : keyedCell(column, object);
  }
}

type OfObject = 'age' | 'created' | 'deleting' | 'node' | 'owner' | 'owners' | 'finalizers';

function ofObject(column: OfObject, object: KubeObject, now: number): string {
  switch (column) {
    case 'age':
      return ageOf(object.creationTimestamp, now);
    case 'created':
      return object.creationTimestamp === 0 ? '' : formatTimestamp(object.creationTimestamp);
    case 'deleting': {
      const since = deletionRequestedAt(object);
      return since === undefined ? '' : formatDuration(Math.max(0, now - since));
    }
    case 'node':
      return shownName(podFacts(object)?.nodeName ?? '');
    case 'owner': {
      const owner = controllerOf(object) ?? object.owners[0];
      return owner === undefined ? '' : `${shownName(owner.kind)} ${shownName(owner.name)}`;
    }
    case 'owners':
      return formatCount(object.owners.length);
    case 'finalizers':
      return finalizersOf(object).map(shownName).join(',');
  }
}

/** Hides annotations of Secrets, in which tools keep copies of the data. */
function keyedCell(column: KeyedColumn, object: KubeObject): string {
  if (column.startsWith('label:')) return shownName(labelValue(object.labels, keyOf(column)) ?? '');
  const { group, kind } = object.type;
  if (group === '' && kind === 'Secret') return '';
  return prose(labelValue(object.annotations, keyOf(column)) ?? '');
}

/** Returns `-` for objects from manifests: `<unknown>` doesn't fit. */
export function ageOf(created: number | undefined, now: number): string {
  const age = formatAge(created, now);
  return age.length < AGE ? age : '-';
}

/** Columns of an age, with the blank behind it. */
export const AGE = 7;

export function styleOf(column: PlainColumn): Style {
  return column.startsWith('label:') || column.startsWith('annotation:') || column === 'finalizers'
    ? 'plain'
    : 'muted';
}
