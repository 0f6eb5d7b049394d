/** Requests as the API server takes them and as kubectl makes them: paths, and commands to paste. */
import type { Identity } from '../graph/node.ts';
import type { KubeObject } from '../model/object.ts';
import type { ResourceType } from '../model/resource-type.ts';
import { fullResourceName, type TypeCatalog } from '../model/type-catalog.ts';
import type { LoggedRequest } from '../simulation/api-types.ts';
import type { DeleteAction } from './action.ts';

interface Place {
  readonly type: ResourceType;
  readonly namespace: string;
  readonly name: string;
}

/** `/apis/apps/v1/namespaces/shop/deployments/api`; without a name that of the collection. */
export function objectPath({ type, namespace, name }: Place): string {
  const root = type.group === '' ? `/api/${type.version}` : `/apis/${type.group}/${type.version}`;
  const scope = type.namespaced && namespace !== '' ? `/namespaces/${encodeURIComponent(namespace)}` : '';
  return `${root}${scope}/${type.resource}${name === '' ? '' : `/${encodeURIComponent(name)}`}`;
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
  const query = [
    options?.propagationPolicy === undefined ? '' : `propagationPolicy=${options.propagationPolicy}`,
    options?.gracePeriodSeconds === undefined ? '' : `gracePeriodSeconds=${options.gracePeriodSeconds}`,
  ].filter(part => part !== '');
  return `${methods[verb]} ${path}${query.length === 0 ? '' : `?${query.join('&')}`}`;
}

/** A word that a shell leaves as it is. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_./:=,@%+-]+$/u.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** What kubectl calls the type: `deployment`, or in full where that would be another one. */
export function kubectlType(catalog: TypeCatalog, type: ResourceType): string {
  const word = type.singular === '' ? type.kind.toLowerCase() : type.singular;
  const found = catalog.resolveWord(word);
  const [first] = found.known ? found.types : [];
  return first?.resource === type.resource && first.group === type.group ? word : fullResourceName(type);
}

/** ` -n shop`, or nothing for what has no namespace. */
export function namespaceFlag(namespace: string): string {
  return namespace === '' ? '' : ` -n ${shellWord(namespace)}`;
}

/** The commands that send the same requests, one for each namespace. */
export function kubectlDelete(catalog: TypeCatalog, action: DeleteAction): string {
  const byNamespace = new Map<string, KubeObject[]>();
  for (const target of action.targets) {
    const group = byNamespace.get(target.namespace);
    if (group === undefined) byNamespace.set(target.namespace, [target]);
    else group.push(target);
  }
  const { gracePeriodSeconds } = action;
  const grace =
    gracePeriodSeconds === undefined
      ? ''
      : ` --grace-period=${gracePeriodSeconds}${gracePeriodSeconds === 0 ? ' --force' : ''}`;
  return [...byNamespace]
    .map(([namespace, targets]) => {
      const flags = `${namespaceFlag(namespace)} --cascade=${action.cascade}${grace}`;
      return `kubectl delete ${targetWords(catalog, targets)}${flags}`;
    })
    .join(' && ');
}

function targetWords(catalog: TypeCatalog, targets: readonly KubeObject[]): string {
  const [first] = targets;
  const types = new Set(targets.map(({ type }) => type));
  if (first !== undefined && types.size === 1) {
    const names = targets.map(({ name }) => shellWord(name));
    return [kubectlType(catalog, first.type), ...names].join(' ');
  }
  return targets.map(({ type, name }) => shellWord(`${kubectlType(catalog, type)}/${name}`)).join(' ');
}

/** A request's object as it is named in steps. */
export function requestIdentity(request: LoggedRequest): Identity {
  const { type, namespace, name } = request;
  const uid = request.uid ?? request.before?.uid ?? request.after?.uid ?? ('' as Identity['uid']);
  return { apiVersion: type.apiVersion, kind: type.kind, namespace, name, uid };
}
