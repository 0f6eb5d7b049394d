/**
 * Finds an object's managers, such as a Helm release or an Argo CD Application, by the marks in the catalogue. The
 * garbage collector ignores these marks.
 */

import type { ClusterView, GraphNode, Identity } from '../../graph/index.ts';
import {
  controllerOf,
  FinalizerEntry,
  type KubeObject,
  Labels,
  type ManagingMarks,
  Mark,
  type ResourceType,
  type Uid,
} from '../../model/index.ts';
import { catalogueOf } from '../finalizers/catalogue.ts';

export interface ManagedBy {
  readonly tool: string;
  /** Kind of the manager: `Application`, `release`. */
  readonly called: string;
  readonly name: string;
  /** Undefined if the marks omit it. */
  readonly namespace: string | undefined;
  readonly object: Identity | undefined;
  /** `annotation meta.helm.sh/release-name: api` */
  readonly evidence: string;
  /** The object's topmost controller, if the tool manages that: controllers copy its marks to their objects. */
  readonly through: Identity | undefined;
}

const MOST_OWNERS = 20;

/** Lists managers by the object's own marks, then by its controllers', as for a pod of a Deployment. */
export function managedBy(view: ClusterView, node: GraphNode): readonly ManagedBy[] {
  const { object } = node;
  if (object === undefined) return [];
  const own = ownManagers(view, object);
  const found = new Map(own.map(each => [keyOfManager(each), each]));
  const seen = new Set([node.uid]);
  let at = controllerIn(view, object);
  while (at !== undefined && !seen.has(at.uid) && seen.size < MOST_OWNERS) {
    seen.add(at.uid);
    const controller: GraphNode = at;
    if (controller.object === undefined) break;
    for (const each of ownManagers(view, controller.object))
      if (each.object?.uid !== node.uid)
        found.set(keyOfManager(each), { ...each, through: controller.identity });
    at = controllerIn(view, controller.object);
  }
  const service = seen.size === 1 ? copiedFrom(view, object) : undefined;
  for (const each of service?.object === undefined ? [] : ownManagers(view, service.object)) {
    const key = keyOfManager(each);
    if (service !== undefined && found.has(key)) found.set(key, { ...each, through: service.identity });
  }
  return found.size === 0 ? none : [...found.values()];
}

const none: readonly ManagedBy[] = [];

function controllerIn(view: ClusterView, object: KubeObject): GraphNode | undefined {
  const controller = controllerOf(object);
  return controller && view.graph.get(controller.uid);
}

/** Returns the Service whose labels the endpoints controller copied to ownerless Endpoints. */
function copiedFrom(view: ClusterView, { type, namespace, name }: KubeObject): GraphNode | undefined {
  if (type.group !== '' || type.kind !== 'Endpoints') return undefined;
  const services = view.catalog.preferredOf({ group: '', resource: 'services' });
  return services && view.graph.find(services, namespace, name);
}

/** Returns a key that identifies the manager across objects. */
export function keyOfManager({ tool, called, namespace = '', name }: ManagedBy): string {
  return `${tool} ${called} ${namespace}/${name}`;
}

function ownManagers(view: ClusterView, object: KubeObject): readonly ManagedBy[] {
  const fitting = catalogueOf(view).marksAt(keysOf(object));
  if (fitting.length === 0) return none;
  const found: ManagedBy[] = [];
  // Marks that other tools set too count only if no other mark does.
  const ordered = [...fitting].sort((a, b) => Number(a.otherwise === true) - Number(b.otherwise === true));
  for (const marks of ordered) {
    if (marks.otherwise === true && found.length > 0) break;
    if (found.some(({ tool, called }) => tool === marks.tool && called === marks.called)) continue;
    const manager = managerBy(view, object, marks);
    // A tool's mark on its own managing object says nothing.
    if (manager !== undefined && manager.object?.uid !== object.uid) found.push(manager);
  }
  return found;
}

function managerBy(view: ClusterView, object: KubeObject, marks: ManagingMarks): ManagedBy | undefined {
  if (!concerns(marks, object)) return undefined;
  const type = typeOf(view, marks.resource);
  if (marks.onlyWhereSeen === true && type === undefined) return undefined;
  const value = valueAt(object, marks.name);
  const told = value === undefined ? undefined : parsed(value, marks.name.written, object);
  if (value === undefined || told?.name === undefined) return undefined;
  const { name } = told;
  const called = told.called ?? calledBy(marks, object) ?? marks.called;
  if (marks.notItself === true && name === object.name && controllerOf(object) === undefined)
    return undefined;
  const namespace = told.namespace ?? namespaceBy(object, marks.namespace);
  const seen = type && seenAs(view, type, name, namespace);
  if (marks.onlyWhereSeen === true && seen === undefined) return undefined;
  return {
    tool: marks.tool,
    called,
    name,
    namespace: namespace ?? seen?.namespace,
    object: seen,
    evidence: `${marks.name.label === undefined ? 'annotation' : 'label'} ${Mark.key(marks.name)}: ${value}`,
    through: undefined,
  };
}

function concerns({ on, labelled = {}, matching = [] }: ManagingMarks, object: KubeObject): boolean {
  const { resource, group } = object.type;
  if (on !== undefined && !on.includes(group === '' ? resource : `${resource}.${group}`)) return false;
  if (Object.entries(labelled).some(([key, value]) => Labels.value(object.labels, key) !== value))
    return false;
  return matching.every(mark => {
    const value = valueAt(object, mark);
    return value !== undefined && parsed(value, mark.written, object) !== undefined;
  });
}

function calledBy({ matching = [] }: ManagingMarks, object: KubeObject): string | undefined {
  for (const mark of matching) {
    const value = valueAt(object, mark);
    const called = value === undefined ? undefined : parsed(value, mark.written, object)?.called;
    if (called !== undefined) return called;
  }
  return undefined;
}

function* keysOf({ labels, annotations }: KubeObject): Generator<string> {
  for (const pairs of [labels, annotations])
    for (let at = 0; at < pairs.length; at += 2) yield pairs[at] ?? '';
}

function valueAt(object: KubeObject, mark: Mark): string | undefined {
  const value = Labels.value(mark.label === undefined ? object.annotations : object.labels, Mark.key(mark));
  return value === '' ? undefined : value;
}

function namespaceBy(object: KubeObject, mark: ManagingMarks['namespace']): string | undefined {
  if (mark === undefined) return undefined;
  return mark === 'own' ? object.namespace : valueAt(object, mark);
}

interface Told {
  readonly name?: string;
  readonly namespace?: string;
  readonly called?: string;
}

/** Parses a value by the first form that fits; undefined if it is about another object. */
function parsed(value: string, written: readonly string[] | undefined, object: KubeObject): Told | undefined {
  if (written === undefined) return { name: value };
  for (const form of written) {
    const fit = formPattern(form, object).exec(value);
    if (fit !== null) return { ...givenIn(form), ...fit.groups };
  }
  return undefined;
}

/** Returns what a form states itself: `{name=root-sync}`. */
function givenIn(form: string): Told {
  return Object.fromEntries(
    [...form.matchAll(/\{(\w+)=(.*?)\}/gu)].map(([, what = '', is = '']) => [what, is]),
  );
}

/** Accepts any namespace for a cluster-scoped object. */
function formPattern(form: string, { type, namespace, name }: KubeObject): RegExp {
  const parts: Readonly<Record<string, string>> = {
    name: '(?<name>[^_:/]+)',
    namespace: '(?<namespace>[^_:/]+)',
    called: '(?<called>\\w+)',
    any: '.*',
    'own group': FinalizerEntry.literally(type.group),
    'own kind': FinalizerEntry.literally(type.kind),
    'own kind in lower case': FinalizerEntry.literally(type.kind.toLowerCase()),
    'own namespace': namespace === '' ? '[^:/]*' : FinalizerEntry.literally(namespace),
    'own name': FinalizerEntry.literally(name),
  };
  const pieces = form.split(/\{(.*?)\}/u);
  return new RegExp(
    `^${pieces.map((piece, index) => (index % 2 === 0 ? FinalizerEntry.literally(piece) : (parts[piece] ?? ''))).join('')}$`,
    'u',
  );
}

/** Finds the manager or, without a namespace, the only one of its name; requests unread ones. */
function seenAs(
  view: ClusterView,
  type: ResourceType,
  name: string,
  namespace: string | undefined,
): Identity | undefined {
  if (!type.namespaced || namespace !== undefined) {
    const around = type.namespaced ? (namespace ?? '') : '';
    const known = view.graph.find(type, around, name)?.identity;
    if (known === undefined) view.wants.note({ type, namespace: around, name });
    return known;
  }
  view.wants.note({ type, namespace: undefined, name });
  const same = [...view.graph.ofType(type)].filter(node => !node.virtual && node.identity.name === name);
  return same.length === 1 ? same[0]?.identity : undefined;
}

export function mayManage(view: ClusterView, { object }: GraphNode): boolean {
  const type = object?.type;
  return type !== undefined && catalogueOf(view).managingResources.has(`${type.resource}.${type.group}`);
}

export function* managingObjects(view: ClusterView): Generator<Uid> {
  for (const resource of catalogueOf(view).managingResources) {
    const type = typeOf(view, resource);
    for (const { uid } of type === undefined ? [] : view.graph.ofType(type)) yield uid;
  }
}

function typeOf(view: ClusterView, resource: string | undefined): ResourceType | undefined {
  if (resource === undefined) return undefined;
  const dot = resource.indexOf('.');
  return view.catalog.preferredOf({ resource: resource.slice(0, dot), group: resource.slice(dot + 1) });
}
