/**
 * Who manages an object beside its owners: a Helm release, an Application of Argo CD, a Kustomization of Flux. These tools
 * mark what is theirs with labels and annotations, which the garbage collector doesn't look at; the catalogue says how.
 */
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { GraphNode, Identity } from '../../graph/node.ts';
import { controllerOf, type KubeObject, labelValue, type Uid } from '../../model/object.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import { keyOf, type ManagingMarks, type Mark, managingResources, marksAt } from '../finalizers/catalogue.ts';
import { literally } from '../finalizers/domain.ts';

/** By what a tool manages an object. */
export interface ManagedBy {
  /** `Argo CD` */
  readonly tool: string;
  /** `Application`, `release` */
  readonly called: string;
  readonly name: string;
  /** Undefined where the marks don't tell it. */
  readonly namespace: string | undefined;
  /** The managing object, where there is a kind of it and it is seen. */
  readonly object: Identity | undefined;
  /** `annotation meta.helm.sh/release-name: api` */
  readonly evidence: string;
  /**
   * The topmost controller of the object that the tool manages: the object is managed with that one, though it may carry
   * the same marks, which controllers copy to what they create. Undefined where its marks are its own.
   */
  readonly through: Identity | undefined;
}

/** Chains of controllers are short; a cycle of them ends here. */
const MOST_OWNERS = 20;

/**
 * By what the object is managed: its own marks first, then what its controllers are managed by, as a pod is managed with
 * its Deployment. Only what is in the view is looked at.
 */
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

/** The Service whose labels the endpoints controller has copied to Endpoints that have no owner reference to it. */
function copiedFrom(view: ClusterView, { type, namespace, name }: KubeObject): GraphNode | undefined {
  if (type.group !== '' || type.kind !== 'Endpoints') return undefined;
  const services = view.catalog.preferredOf({ group: '', resource: 'services' });
  return services && view.graph.find(services, namespace, name);
}

/** The same for the same manager, whichever object is asked about. */
export function keyOfManager({ tool, called, namespace = '', name }: ManagedBy): string {
  return `${tool} ${called} ${namespace}/${name}`;
}

/** By what its own marks say that the object is managed; each tool and kind once. */
function ownManagers(view: ClusterView, object: KubeObject): readonly ManagedBy[] {
  const fitting = marksAt(keysOf(object));
  if (fitting.length === 0) return none;
  const found: ManagedBy[] = [];
  // What others set as well counts once it is known that nothing else does.
  const ordered = [...fitting].sort((a, b) => Number(a.otherwise === true) - Number(b.otherwise === true));
  for (const marks of ordered) {
    if (marks.otherwise === true && found.length > 0) break;
    if (found.some(({ tool, called }) => tool === marks.tool && called === marks.called)) continue;
    const manager = managerBy(view, object, marks);
    // Whatever a tool manages itself by says nothing.
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
    evidence: `${marks.name.label === undefined ? 'annotation' : 'label'} ${keyOf(marks.name)}: ${value}`,
    through: undefined,
  };
}

/** Whether all else that has to be there beside the name is. */
function concerns({ on, labelled = {}, matching = [] }: ManagingMarks, object: KubeObject): boolean {
  const { resource, group } = object.type;
  if (on !== undefined && !on.includes(group === '' ? resource : `${resource}.${group}`)) return false;
  if (Object.entries(labelled).some(([key, value]) => labelValue(object.labels, key) !== value)) return false;
  return matching.every(mark => {
    const value = valueAt(object, mark);
    return value !== undefined && parsed(value, mark.written, object) !== undefined;
  });
}

/** What a further mark says that it is called. */
function calledBy({ matching = [] }: ManagingMarks, object: KubeObject): string | undefined {
  for (const mark of matching) {
    const value = valueAt(object, mark);
    const called = value === undefined ? undefined : parsed(value, mark.written, object)?.called;
    if (called !== undefined) return called;
  }
  return undefined;
}

/** Of its labels and of the annotations that are kept. */
function* keysOf({ labels, annotations }: KubeObject): Generator<string> {
  for (const pairs of [labels, annotations])
    for (let at = 0; at < pairs.length; at += 2) yield pairs[at] ?? '';
}

function valueAt(object: KubeObject, mark: Mark): string | undefined {
  const value = labelValue(mark.label === undefined ? object.annotations : object.labels, keyOf(mark));
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

/** What a value says, in the first form that it fits; undefined where it isn't about this object. */
function parsed(value: string, written: readonly string[] | undefined, object: KubeObject): Told | undefined {
  if (written === undefined) return { name: value };
  for (const form of written) {
    const fit = formPattern(form, object).exec(value);
    if (fit !== null) return { ...givenIn(form), ...fit.groups };
  }
  return undefined;
}

/** `{name=root-sync}`: what a form says though the value doesn't. */
function givenIn(form: string): Told {
  return Object.fromEntries(
    [...form.matchAll(/\{(\w+)=(.*?)\}/gu)].map(([, what = '', is = '']) => [what, is]),
  );
}

/** A tool gives what has no namespace whatever namespace it likes. */
function formPattern(form: string, { type, namespace, name }: KubeObject): RegExp {
  const parts: Readonly<Record<string, string>> = {
    name: '(?<name>[^_:/]+)',
    namespace: '(?<namespace>[^_:/]+)',
    called: '(?<called>\\w+)',
    any: '.*',
    'own group': literally(type.group),
    'own kind': literally(type.kind),
    'own kind in lower case': literally(type.kind.toLowerCase()),
    'own namespace': namespace === '' ? '[^:/]*' : literally(namespace),
    'own name': literally(name),
  };
  const pieces = form.split(/\{(.*?)\}/u);
  return new RegExp(
    `^${pieces.map((piece, index) => (index % 2 === 0 ? literally(piece) : (parts[piece] ?? ''))).join('')}$`,
    'u',
  );
}

/** Of that name, in that namespace or, where it isn't known, in the only one that has it; wanted where it wasn't read. */
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

/** Whether an object is of a kind that tools manage others by. */
export function mayManage({ object }: GraphNode): boolean {
  const type = object?.type;
  return type !== undefined && managingResources().has(`${type.resource}.${type.group}`);
}

/** The objects of such kinds that are seen. */
export function* managingObjects(view: ClusterView): Generator<Uid> {
  for (const resource of managingResources()) {
    const type = typeOf(view, resource);
    for (const { uid } of type === undefined ? [] : view.graph.ofType(type)) yield uid;
  }
}

function typeOf(view: ClusterView, resource: string | undefined): ResourceType | undefined {
  if (resource === undefined) return undefined;
  const dot = resource.indexOf('.');
  return view.catalog.preferredOf({ resource: resource.slice(0, dot), group: resource.slice(dot + 1) });
}
