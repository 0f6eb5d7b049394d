/** The columns of objects except name and state, for `tree` and for the screen. */
import type { ManagedBy } from '../../diagnosis/index.ts';
import { type GraphNode, objectDeletion } from '../../graph/index.ts';
import {
  controllerOf,
  formatCount,
  type KubeObject,
  objectIds,
  podFacts,
  showHidden,
  shownName,
} from '../../model/index.ts';
import { timeText } from '../terminal/age.ts';
import type { Column } from '../terminal/table.ts';
import { managerCell } from './manager-words.ts';
import { stateWords } from './state.ts';

export interface NodeLook {
  readonly now: number;
  managers(node: GraphNode): readonly ManagedBy[];
}

export interface NodeColumn extends Omit<Column<GraphNode, NodeLook>, 'wide'> {
  /** Its name in `:columns` and in settings. */
  readonly name: string;
  /** Terminal columns on the screen, with a blank: a number, or a share of the list between two numbers. */
  readonly width: number | { readonly least: number; readonly most: number; readonly share: number };
  readonly align?: 'right';
  /** Its place among the columns that `tree -o wide` adds. */
  readonly wide?: number;
  /** The screen's text for an empty cell; `tree` has `<none>` in each. */
  readonly empty?: string;
}

/** An empty value is `''`. */
const nodeColumns = [
  {
    name: 'age',
    title: 'AGE',
    width: 7,
    align: 'right',
    value: ofObject((object, { now }) => timeText.age(object.creationTimestamp, now)),
    style: muted,
  },
  {
    name: 'kind',
    title: 'KIND',
    width: { least: 12, most: 26, share: 0.15 },
    value: ({ object, identity }) => shownName(object?.type.kind ?? identity.kind),
    style: muted,
  },
  {
    name: 'namespace',
    title: 'NAMESPACE',
    width: { least: 11, most: 24, share: 0.15 },
    value: ({ object, identity }) => shownName((object ?? identity).namespace),
    style: muted,
  },
  {
    name: 'api-version',
    title: 'API VERSION',
    width: { least: 12, most: 30, share: 0.15 },
    value: ({ object, identity }) => shownName((object?.type ?? identity).apiVersion),
    style: muted,
  },
  {
    name: 'ready',
    title: 'READY',
    width: 8,
    wide: 1,
    value: ofObject(object => showHidden(stateWords.ready(object)?.status ?? '')),
  },
  {
    name: 'reason',
    title: 'REASON',
    width: { least: 12, most: 30, share: 0.15 },
    wide: 2,
    value: ofObject(object => showHidden(stateWords.ready(object)?.reason ?? '')),
    style: muted,
  },
  {
    name: 'node',
    title: 'NODE',
    width: { least: 16, most: 16, share: 1 },
    wide: 3,
    value: ofObject(object => shownName(podFacts(object)?.nodeName ?? '')),
    style: muted,
  },
  {
    name: 'managed-by',
    title: 'MANAGED BY',
    width: { least: 14, most: 40, share: 0.25 },
    wide: 6,
    empty: '<none>',
    // Such as `ArgoCD/shop,(Helm/api)`: the object is managed by the second one with its controller.
    value: (node, look) => look.managers(node).map(managerCell).join(','),
    style: (node, look) =>
      look.managers(node).some(({ through }) => through === undefined) ? 'plain' : 'muted',
  },
  {
    name: 'owner',
    title: 'OWNER',
    width: { least: 14, most: 40, share: 0.2 },
    value: ofObject(object => {
      const owner = controllerOf(object) ?? object.owners[0];
      return owner === undefined ? '' : `${shownName(owner.kind)} ${shownName(owner.name)}`;
    }),
    style: muted,
  },
  {
    name: 'owners',
    title: 'OWNERS',
    width: { least: 11, most: 30, share: 0.15 },
    wide: 4,
    value: ownerFlags,
    style: muted,
  },
  {
    name: 'dependents',
    title: 'DEPENDENTS',
    width: 12,
    align: 'right',
    value: ({ dependents }) => formatCount(dependents.size),
    style: muted,
  },
  {
    name: 'finalizers',
    title: 'FINALIZERS',
    width: { least: 14, most: 40, share: 0.2 },
    wide: 5,
    value: ofObject(object => objectDeletion.finalizers(object).map(shownName).join(',')),
  },
  {
    name: 'created',
    title: 'CREATED',
    width: 21,
    value: ofObject(({ creationTimestamp: at }) => (at === 0 ? '' : timeText.timestamp(at))),
    style: muted,
  },
  {
    name: 'deleting',
    title: 'DELETING',
    width: 10,
    align: 'right',
    value: ofObject((object, { now }) => {
      const since = objectDeletion.requestedAt(object);
      return since === undefined ? '' : timeText.duration(Math.max(0, now - since));
    }),
    style: muted,
  },
  {
    name: 'uid',
    title: 'UID',
    width: 37,
    wide: 7,
    value: ({ uid }) => shownName(objectIds.shown(uid)),
    style: muted,
  },
] as const satisfies readonly NodeColumn[];

export type NodeColumnName = (typeof nodeColumns)[number]['name'];

/** Requires the name of a column. */
function nodeColumn(name: NodeColumnName): NodeColumn {
  return nodeColumns.find(each => each.name === name) as NodeColumn;
}

/** Makes a value that is empty for an owner known from references alone. */
function ofObject(value: (object: KubeObject, look: NodeLook) => string): NodeColumn['value'] {
  return ({ object }, look) => (object === undefined ? '' : value(object, look));
}

function muted(): 'muted' {
  return 'muted';
}

/** Returns the flags of each owner reference: `controller+blocks,plain`. */
function ownerFlags({ owners }: GraphNode): string {
  return owners
    .map(
      ({ controller, blockOwnerDeletion }) =>
        [controller === true ? 'controller' : '', blockOwnerDeletion === true ? 'blocks' : '']
          .filter(Boolean)
          .join('+') || 'plain',
    )
    .join(',');
}

export const NodeColumn = { all: nodeColumns, of: nodeColumn };
