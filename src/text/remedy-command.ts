/** The commands of this tool on one object, as they are told to people: in one place, for all. */
import { kubectlType, namespaceFlag, shellWord } from '../forecast/requests.ts';
import type { Identity } from '../graph/node.ts';
import type { TypeCatalog } from '../model/type-catalog.ts';

/** `kubectl gc-tree unblock statefulset/web -n shop --remedy clear-block/pod/web-2`; not sanitised. */
export function remedyCommand(catalog: TypeCatalog, object: Identity, id: string): string {
  return `${commandOn(catalog, object, 'unblock')} --remedy ${shellWord(id)}`;
}

/** `kubectl gc-tree why statefulset/web -n shop`; not sanitised. */
export function commandOn(catalog: TypeCatalog, object: Identity, command: string): string {
  const type = catalog.resolveKind(object.apiVersion, object.kind);
  const word = type === undefined ? object.kind.toLowerCase() : kubectlType(catalog, type);
  const target = shellWord(`${word}/${object.name}`);
  return `kubectl gc-tree ${command} ${target}${namespaceFlag(object.namespace)}`;
}
