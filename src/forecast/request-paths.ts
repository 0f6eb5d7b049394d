/** API paths of requests, and the equivalent kubectl commands. */
import type { Identity } from '../graph/index.ts';
import {
  ActRequest,
  FOREGROUND_FINALIZER,
  type KubeObject,
  ORPHAN_FINALIZER,
  type ResourceType,
  type ShellCommands,
  type TypeCatalog,
  textEscapes,
  typeNames,
} from '../model/index.ts';
import type { LoggedRequest } from '../simulation/index.ts';
import type { Cascade, DeleteAction } from './action.ts';

/** `/apis/apps/v1/namespaces/shop/deployments/api`; without a name, the collection's. */
function objectPath({ type, namespace, name }: Pick<KubeObject, 'type' | 'namespace' | 'name'>): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope =
    type.namespaced && namespace !== '' ? `/namespaces/${textEscapes.pathSegment(namespace)}` : '';
  return `${root}${scope}/${type.resource}${name === '' ? '' : `/${textEscapes.pathSegment(name)}`}`;
}

/** Returns the object that a path names; undefined for collections and unserved types. */
function placeAt(
  catalog: TypeCatalog,
  path: string,
): Pick<KubeObject, 'type' | 'namespace' | 'name'> | undefined {
  const { group, resource, namespace, name = '' } = ActRequest.placeOf(path) ?? {};
  if (name === '' || resource === undefined) return undefined;
  const type = catalog.preferredOf({ group: group ?? '', resource });
  return type === undefined ? undefined : { type, namespace: namespace ?? '', name };
}

const methods = {
  get: 'GET',
  list: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
} as const;

/** `DELETE /api/v1/namespaces/shop/pods/web-0?gracePeriodSeconds=0` */
export function requestLine(request: LoggedRequest): string {
  const { verb, options, subresource } = request;
  const name = verb === 'create' ? '' : request.name;
  const path = objectPath({ ...request, name }) + (subresource === undefined ? '' : `/${subresource}`);
  if (subresource === 'eviction') return `POST ${path}`;
  const query = [
    options?.propagationPolicy === undefined ? '' : `propagationPolicy=${options.propagationPolicy}`,
    options?.gracePeriodSeconds === undefined ? '' : `gracePeriodSeconds=${options.gracePeriodSeconds}`,
  ].filter(part => part !== '');
  return `${methods[verb]} ${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** Returns kubectl's word for the type: `deployment`, or the full name if that is ambiguous. */
function kubectlType(catalog: TypeCatalog, type: ResourceType): string {
  const word = typeNames.singular(type);
  const found = catalog.resolveWord(word);
  const [first] = found.known ? found.types : [];
  return first?.resource === type.resource && first.group === type.group ? word : typeNames.full(type);
}

/** `statefulset/web`: one word, which can't be taken for a flag. */
function kubectlTarget(catalog: TypeCatalog, { type, name }: KubeObject): string | undefined {
  return targetWord(kubectlType(catalog, type), name);
}

/** Returns undefined if kubectl would read the word differently; no cluster can have such an object. */
function targetWord(type: string, name: string): string | undefined {
  return name === '' || name.includes('/') || !/^[a-z0-9]/iu.test(type) ? undefined : `${type}/${name}`;
}

/** `-n shop`, or nothing if cluster-scoped. */
function namespaceFlag(namespace: string): readonly string[] {
  return namespace === '' ? [] : ['-n', namespace];
}

/** `statefulset/web -n shop` */
function onObject(catalog: TypeCatalog, object: KubeObject): readonly (string | undefined)[] {
  return [kubectlTarget(catalog, object), ...namespaceFlag(object.namespace)];
}

export function kubectlDelete(catalog: TypeCatalog, action: DeleteAction): ShellCommands {
  // With several targets, kubectl splits the first at commas (cli-runtime 0.36 pkg/resource/builder.go,
  // normalizeMultipleResourcesArgs), so such a name has a command of its own.
  const groups = Map.groupBy(action.targets, ({ namespace, name }) =>
    name.includes(',') ? `${namespace}/${name}` : namespace,
  );
  const { gracePeriodSeconds: seconds } = action;
  const grace =
    seconds === undefined ? [] : [`--grace-period=${seconds}`, ...(seconds === 0 ? ['--force'] : [])];
  return [...groups.values()].map(targets => ({
    words: [
      'kubectl',
      'delete',
      ...targets.map(target => kubectlTarget(catalog, target)),
      ...namespaceFlag(targets[0]?.namespace ?? ''),
      `--cascade=${action.cascade}`,
      ...grace,
    ],
  }));
}

export function requestIdentity(request: LoggedRequest): Identity {
  const { type, namespace, name } = request;
  const uid = request.uid ?? request.before?.uid ?? request.after?.uid ?? ('' as Identity['uid']);
  return { apiVersion: type.apiVersion, kind: type.kind, namespace, name, uid };
}

/**
 * Omits the resourceVersion if a deletion removes the collector's last finalizers: the API server then compares it
 * wrongly and answers 409 (apiserver pkg/registry/generic/registry/store.go, Delete after errDeleteNow, v0.36).
 */
function preconditionsOf(
  { uid, resourceVersion, finalizers }: KubeObject,
  cascade: Cascade,
): Partial<Pick<KubeObject, 'resourceVersion'>> & Pick<KubeObject, 'uid'> {
  const isLast =
    cascade === 'background' &&
    finalizers.length > 0 &&
    finalizers.every(each => each === ORPHAN_FINALIZER || each === FOREGROUND_FINALIZER);
  return isLast ? { uid } : { uid, resourceVersion };
}

export const requestWords = {
  objectPath,
  placeAt,
  namespaceFlag,
  target: targetWord,
  onObject,
  kubectlType,
  preconditions: preconditionsOf,
};
