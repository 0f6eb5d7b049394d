/** Parses TARGET arguments like kubectl, without a cluster, and finds their objects. */

import { existsSync } from 'node:fs';
import { type ClusterView, compareNodes, type GraphNode, type Identity } from '../../graph/index.ts';
import {
  enumerated,
  getOrInsert,
  type KubeObject,
  prose,
  ResourceType,
  SimilarWord,
  shownName,
  type TypeCatalog,
  typeNames,
} from '../../model/index.ts';
import { commandNames } from '../runtime/command.ts';
import { UsageError } from '../runtime/errors.ts';
import { type ManifestTarget, seekManifest } from './manifests.ts';
import { type FieldSelector, parseFieldSelector, parseSelector } from './selectors.ts';
import { unseen } from './unseen.ts';

/** A type with a name, or alone for all its objects in scope. */
export interface TargetWord {
  readonly type: string;
  readonly name: string | undefined;
  readonly manifest?: ManifestTarget;
}

export interface TargetQuery {
  /** Empty for every object in scope. */
  readonly words: readonly TargetWord[];
  readonly matches: ((object: KubeObject) => boolean) | undefined;
  readonly fields: FieldSelector | undefined;
  readonly readsEverything: boolean;
  /** Ignores missing names; unseen ones still fail. */
  readonly ignoresMissing: boolean;
  /** True if a namespaced object's bare name isn't enough. */
  readonly needsNamespace?: boolean;
}

interface TargetFlags {
  readonly selector?: string;
  readonly fieldSelector?: string;
  readonly all?: boolean;
  readonly allNamespaces?: boolean;
  readonly namespace?: string | undefined;
  readonly ignoreNotFound?: boolean;
}

function slashed(argument: string): TargetWord {
  const [type = '', name = '', ...more] = argument.split('/');
  if (type === '' || name === '' || more.length > 0)
    throw new UsageError(
      `cannot read the target ${JSON.stringify(argument)}. Write TYPE/NAME, such as sts/web.`,
    );
  if (type.includes(','))
    throw new UsageError(
      `the target ${JSON.stringify(argument)} has several types. Write one before each slash.`,
    );
  return { type, name };
}

/** Throws a `UsageError` for an empty type. */
function splitTypes(lists: readonly string[]): readonly string[] {
  return lists.flatMap(list => {
    const types = list.split(',');
    if (types.includes(''))
      throw new UsageError(`${JSON.stringify(list)} has an empty type. Write one on each side of a comma.`);
    return types;
  });
}

/** Types to show, and types to leave out, as given; undefined for none. */
export interface TypeLimits {
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
}

/** Returns undefined if every type is shown. Throws a `UsageError` for an unknown type. */
export function hidesTypes(
  view: ClusterView,
  { include, exclude }: TypeLimits,
): ((identity: Identity) => boolean) | undefined {
  if (include === undefined && exclude === undefined) return undefined;
  const stored = (words: readonly string[] = []): ReadonlySet<string> =>
    new Set(splitTypes(words).flatMap(word => typesOf(view, word).map(ResourceType.stored)));
  const [shown, hidden] = [include && stored(include), stored(exclude)];
  return ({ uid, apiVersion, kind }) => {
    const type = view.graph.get(uid)?.object?.type ?? view.catalog.resolveKind(apiVersion, kind);
    const word = type && ResourceType.stored(type);
    return word === undefined ? shown !== undefined : hidden.has(word) || shown?.has(word) === false;
  };
}

function spaced(list: string, names: readonly string[]): TargetWord[] {
  return splitTypes([list]).flatMap((type): TargetWord[] =>
    names.length === 0 ? [{ type, name: undefined }] : names.map(name => ({ type, name })),
  );
}

const kubectlVerbs: ReadonlySet<string> = new Set([
  'get',
  'describe',
  'list',
  'ls',
  'show',
  'explain',
  'logs',
]);

/** Returns undefined unless the word looks like a command. */
function commandHint(word: string, rest: readonly string[]): string | undefined {
  const unknown = `there is no command ${JSON.stringify(word)}.`;
  if (kubectlVerbs.has(word)) {
    const targets = rest.map(each => shownName(each)).join(' ');
    return `${unknown} Write kubectl gc-tree tree ${targets} for what it owns, or why ${targets} for its state.`;
  }
  const [near] = SimilarWord.closest(word, commandNames, 1);
  return near === undefined ? undefined : `${unknown} Did you mean ${near}?`;
}

/** Throws a `UsageError` for a file that is named like a target. */
function refuseFiles(targets: readonly string[]): void {
  const file = targets.find(each => /\.(?:ya?ml|json)$/iu.test(each) && existsSync(each));
  if (file === undefined) return;
  const [type = '', name, ...more] = file.split('/');
  const isTarget = type !== '' && name !== undefined && more.length === 0;
  const object = isTarget ? ` For an object of this name, write ${type} ${name}.` : '';
  throw new UsageError(`${JSON.stringify(file)} is a file. Read it with -f.${object}`);
}

/** Throws a `UsageError` for what kubectl refuses too. */
export function parseTargets(targets: readonly string[], flags: TargetFlags): TargetQuery {
  if (targets.includes(''))
    throw new UsageError('a target is empty. Leave it out for everything in scope, or write TYPE/NAME.');
  const [first, ...names] = targets;
  const slashes = targets.filter(target => target.includes('/'));
  refuseFiles(first === undefined ? [] : [first, ...slashes]);
  if (slashes.length > 0 && slashes.length < targets.length)
    throw new UsageError(
      commandHint(first ?? '', names) ??
        'write either TYPE/NAME for every target or one TYPE and then names, not both.',
    );
  const words = slashes.length > 0 ? slashes.map(slashed) : first === undefined ? [] : spaced(first, names);
  if (words.some(word => word.name !== undefined)) {
    if (flags.selector !== undefined)
      throw new UsageError('a name and a selector exclude each other. Leave one of them out.');
    if (flags.fieldSelector !== undefined)
      throw new UsageError('a name and --field-selector exclude each other. Leave one of them out.');
    if (flags.all === true)
      throw new UsageError('a name and --all exclude each other. Leave one of them out.');
  }
  if (flags.all === true && (flags.selector !== undefined || flags.fieldSelector !== undefined))
    throw new UsageError('--all and a selector exclude each other. Leave one of them out.');
  const labels = flags.selector === undefined ? undefined : parseSelector(flags.selector);
  const fields = flags.fieldSelector === undefined ? undefined : parseFieldSelector(flags.fieldSelector);
  if (words.length === 0) fields?.requireFields(undefined);
  const isSelected = (object: KubeObject): boolean =>
    (labels?.(object.labels) ?? true) && (fields?.matches(object) ?? true);
  return {
    words,
    matches: labels === undefined && fields === undefined ? undefined : isSelected,
    fields,
    ignoresMissing: flags.ignoreNotFound === true,
    readsEverything: flags.allNamespaces === true,
  };
}

/** Requires a name, a selector, or all of a type, like kubectl. `command` may be one of `plan`'s. */
export function parseChangeable(
  command: string,
  targets: readonly string[],
  flags: TargetFlags,
): TargetQuery {
  const query = parseTargets(targets, flags);
  if (query.words.length === 0)
    throw new UsageError(
      `name what to ${command.replace('plan ', '')}: ${command} TYPE/NAME, TYPE -l LABELS or TYPE --all.`,
    );
  const unnamed = query.words.find(({ name }) => name === undefined);
  if (unnamed !== undefined && flags.all !== true && query.matches === undefined)
    throw new UsageError(`write ${unnamed.type}/NAME, or select with -l or --all.`);
  // A name in any namespace may be looked at, but not changed.
  return { ...query, needsNamespace: flags.allNamespaces === true && flags.namespace === undefined };
}

export function knownTypes(catalog: TypeCatalog, word: string): readonly ResourceType[] | undefined {
  const resolution = catalog.resolveWord(word);
  return resolution.known ? resolution.types : undefined;
}

/** Throws a `UsageError` with suggestions. */
function typesOf(view: ClusterView, word: string): readonly ResourceType[] {
  const known = knownTypes(view.catalog, word);
  if (known !== undefined) return known;
  const resolution = view.catalog.resolveWord(word);
  const suggestions = resolution.known ? [] : resolution.suggestions;
  const { standsStill } = view.settings;
  const listsTypes =
    standsStill === true
      ? ' A custom resource is known by its definition, or by an object of it.'
      : ' `kubectl api-resources` lists the types there are.';
  // A mistyped command looks like a type.
  const [command] = SimilarWord.closest(word, commandNames, 1);
  const hint =
    suggestions.length > 0
      ? ` Did you mean ${suggestions.join(', ')}?`
      : command === undefined
        ? listsTypes
        : ` Did you mean the command ${command}?`;
  const bearers = ofName(view, word);
  if (bearers.length > 0)
    throw new UsageError(
      `${JSON.stringify(word)} is a name. Write its type too: ${asTargets(view, bearers)}.`,
    );
  const failed =
    view.failedGroups.length === 0 ? '' : ` Some groups could not be read: ${failedGroups(view)}.`;
  const where = standsStill === true ? "the files don't" : "the server doesn't";
  throw new UsageError(`${where} have a resource type ${JSON.stringify(word)}.${hint}${failed}`);
}

function ofName({ graph }: ClusterView, name: string, namespace?: string): readonly GraphNode[] {
  return [...graph.nodes()].filter(
    ({ identity, object }) =>
      object !== undefined &&
      identity.name === name &&
      (namespace === undefined || identity.namespace === namespace),
  );
}

/** Returns the first few distinct targets: `statefulset/web, service/web`. */
function asTargets(view: ClusterView, nodes: readonly GraphNode[]): string {
  const words = nodes.toSorted(compareNodes).flatMap(({ object }) => {
    if (object === undefined) return [];
    const type = view.catalog.preferredOf(object.type) ?? object.type;
    return [`${typeNames.singular(type)}/${shownName(object.name)}`];
  });
  return enumerated([...new Set(words)], 3);
}

function failedGroups(view: ClusterView): string {
  return view.failedGroups
    .map(({ resource, reason }) => `${shownName(resource)} (${prose(reason)})`)
    .join(', ');
}

function notFound(
  view: ClusterView,
  type: ResourceType,
  name: string,
  namespace: string | undefined,
): string {
  const blind = unseen(view, type);
  if (blind !== undefined) return blind;
  const what = `${typeNames.singular(type)} ${JSON.stringify(name)} not found`;
  const where = type.namespaced && namespace !== undefined ? ` in namespace ${shownName(namespace)}` : '';
  view.wants.note({ type, namespace: undefined, name });
  const here: string[] = [];
  const elsewhere: string[] = [];
  for (const { identity } of view.graph.ofType(type)) {
    if (!type.namespaced || identity.namespace === namespace) here.push(identity.name);
    else if (identity.name === name) elsewhere.push(identity.namespace);
  }
  if (elsewhere.length > 0)
    return `${what}${where}. There is one in ${elsewhere.slice(0, 3).sort().map(shownName).join(', ')}.`;
  const near = SimilarWord.closest(name, here);
  if (near.length > 0) return `${what}${where}. Did you mean ${near.map(shownName).join(', ')}?`;
  const others = ofName(view, name, namespace);
  return others.length > 0 ? `${what}${where}. There is ${asTargets(view, others)}.` : `${what}${where}.`;
}

/** Throws a `UsageError` if `namespace` is undefined and the name is ambiguous. */
function named(
  view: ClusterView,
  type: ResourceType,
  name: string,
  namespace: string | undefined,
): GraphNode | undefined {
  if (!type.namespaced || namespace !== undefined)
    return view.graph.find(type, type.namespaced ? (namespace ?? '') : '', name);
  const found = [...view.graph.ofType(type)].filter(({ identity }) => identity.name === name);
  if (found.length > 1) {
    const where = found.map(({ identity }) => identity.namespace).sort();
    throw new UsageError(
      `there are ${found.length} ${ResourceType.groupResource(type)} called ${JSON.stringify(name)}, in ${where.slice(0, 3).map(shownName).join(', ')}${where.length > 3 ? ' and more' : ''}. Choose one with -n.`,
    );
  }
  return found[0];
}

/** Includes cluster-scoped objects in every scope. */
function* ofType(view: ClusterView, type: ResourceType, namespace: string | undefined): Generator<GraphNode> {
  for (const node of view.graph.ofType(type))
    if (namespace === undefined || !type.namespaced || node.identity.namespace === namespace) yield node;
}

/** A namespace excludes cluster-scoped objects, as in `kubectl get all`. */
function* inScope(view: ClusterView, namespace: string | undefined): Generator<GraphNode> {
  for (const node of view.graph.nodes())
    if (namespace === undefined || node.identity.namespace === namespace) yield node;
}

/** Throws a `UsageError` for an unknown type, and for missing names unless `missing` is `skip`. */
export function findTargets(
  view: ClusterView,
  query: TargetQuery,
  namespace: string | undefined,
  missing: 'fail' | 'skip' = 'fail',
): Set<GraphNode> {
  const found = new Set<GraphNode>();
  const failures: string[] = [];
  const add = (node: GraphNode): void => {
    if (query.matches === undefined || (node.object !== undefined && query.matches(node.object)))
      found.add(node);
  };
  if (query.words.length === 0) for (const node of inScope(view, namespace)) add(node);
  for (const { type: word, name, manifest } of query.words) {
    if (manifest !== undefined) {
      const sought = seekManifest(view, manifest, namespace);
      if (sought.is === 'there') add(sought.node);
      // `absentManifests` reports missing objects without stopping: kubectl deletes the others.
      else if (sought.is === 'untold') failures.push(sought.why);
      continue;
    }
    const types = typesOf(view, word);
    for (const type of types) {
      query.fields?.requireFields(type);
      if (name === undefined) {
        const blind = types.length === 1 ? unseen(view, type) : undefined;
        if (blind !== undefined) failures.push(blind);
        for (const node of [...ofType(view, type, namespace)].sort(compareNodes)) add(node);
        continue;
      }
      if (query.needsNamespace === true && type.namespaced)
        throw new UsageError(
          `${typeNames.singular(type)} ${JSON.stringify(name)} is in a namespace: say with -n in which. -A reads the others all the same.`,
        );
      const node = named(view, type, name, namespace);
      if (node !== undefined) add(node);
      else if (types.length === 1 && !(query.ignoresMissing && unseen(view, type) === undefined))
        failures.push(notFound(view, type, name, namespace));
    }
    if (name !== undefined && types.length > 1)
      throw new UsageError(`${JSON.stringify(word)} stands for several types: give a name to one of them.`);
  }
  if (failures.length > 0 && missing === 'fail') throw notFoundError(failures);
  return found;
}

export function findObjects(...asked: Parameters<typeof findTargets>): KubeObject[] {
  return [...findTargets(...asked)].flatMap(({ object }) => object ?? []);
}

export interface ToUnblock {
  readonly target: KubeObject;
  /** Chosen objects including the target, which limit a remedy for many. */
  readonly among: readonly KubeObject[] | undefined;
}

/** Throws a `UsageError` if there is none. */
export function toUnblock(query: TargetQuery, found: readonly KubeObject[]): ToUnblock {
  const [target] = found;
  if (target === undefined) throw new UsageError('no object is selected, so there is nothing to unblock.');
  return { target, among: namesOneObject(query) ? undefined : found };
}

export function notFoundError([first = '', second = '', ...others]: readonly string[]): UsageError {
  const more = others.length > 0 ? `${others.length + 1} more were not found either.` : second;
  return new UsageError(more === '' ? first : `${first}\n${more}`);
}

export function selectsAll({ words, matches }: TargetQuery): boolean {
  return words.length === 0 && matches === undefined;
}

/** Returns true for a single named object, as opposed to a class of objects. */
export function namesOneObject({ words }: TargetQuery): boolean {
  return words.length === 1 && words[0]?.name !== undefined;
}

/** Like `findTargets`, node by node, for the types known now. Throws a `UsageError` for an unknown type. */
export function targetMatcher(
  view: ClusterView,
  query: TargetQuery,
  namespace: string | undefined,
): (node: GraphNode) => boolean {
  const names = new Map<string, Set<string | undefined>>();
  for (const { type: word, name } of query.words) {
    for (const type of typesOf(view, word))
      getOrInsert(names, ResourceType.groupResource(type), () => new Set()).add(name);
  }
  return ({ object }) => {
    if (object === undefined) return false;
    if (namespace !== undefined && object.type.namespaced && object.namespace !== namespace) return false;
    if (query.matches !== undefined && !query.matches(object)) return false;
    if (query.words.length === 0) return true;
    const wanted = names.get(ResourceType.groupResource(object.type));
    return wanted !== undefined && (wanted.has(undefined) || wanted.has(object.name));
  };
}
