/** The command that applies a remedy, as it is told to people: in one place, for all. */
import { kubectlType, namespaceFlag, shellWord } from '../forecast/requests.ts';
import type { Identity } from '../graph/node.ts';
import type { TypeCatalog } from '../model/type-catalog.ts';

/** `kubectl gc-tree unblock statefulset/web -n shop --remedy clear-block/pod/web-2`; not sanitised. */
export function remedyCommand(catalog: TypeCatalog, object: Identity, id: string): string {
  const type = catalog.resolveKind(object.apiVersion, object.kind);
  const word = type === undefined ? object.kind.toLowerCase() : kubectlType(catalog, type);
  const target = shellWord(`${word}/${object.name}`);
  return `kubectl gc-tree unblock ${target}${namespaceFlag(object.namespace)} --remedy ${shellWord(id)}`;
}
