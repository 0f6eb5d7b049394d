/** What the columns of the tree say of an object, beside its name, its state and who manages it. */
import { deletionRequestedAt, finalizersOf } from '../../../graph/deletion.ts';
import type { GraphNode } from '../../../graph/node.ts';
import { controllerOf, type KubeObject, labelValue, podFacts } from '../../../model/object.ts';
import { prose, shownName } from '../../../model/text/shown.ts';
import { formatCount } from '../../../model/text/titles.ts';
import { formatAge, formatDuration, formatTimestamp } from '../../../text/terminal/age.ts';
import type { Style } from '../../../text/terminal/style.ts';
import { type ChosenColumn, type KeyedColumn, keyOf } from '../../settings/columns.ts';

/** Drawn by themselves: they have more than one style. */
type Drawn = 'state' | 'managed-by';

export type PlainColumn = Exclude<ChosenColumn['column'], Drawn>;

/** Sanitised; `''` where there is nothing to say. `now` in milliseconds since the epoch. */
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
      // Of an owner that is only heard of, nothing else is known.
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

/** Annotations of Secrets aren't shown: tools keep copies of what is in them there. */
function keyedCell(column: KeyedColumn, object: KubeObject): string {
  if (column.startsWith('label:')) return shownName(labelValue(object.labels, keyOf(column)) ?? '');
  const { group, kind } = object.type;
  if (group === '' && kind === 'Secret') return '';
  return prose(labelValue(object.annotations, keyOf(column)) ?? '');
}

/** Objects from manifests have none, and `<unknown>` doesn't fit. */
export function ageOf(created: number | undefined, now: number): string {
  const age = formatAge(created, now);
  return age.length < AGE ? age : '-';
}

/** Columns of the terminal that an age takes, with the blank behind it. */
export const AGE = 7;

/** What is looked up rather than read stays back a little. */
export function styleOf(column: PlainColumn): Style {
  return column.startsWith('label:') || column.startsWith('annotation:') || column === 'finalizers'
    ? 'plain'
    : 'muted';
}
