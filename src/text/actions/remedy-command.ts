import { kubectlType, namespaceFlag, targetWord } from '../../forecast/requests.ts';
import type { Identity } from '../../graph/node.ts';
import type { ShellCommand } from '../../model/text/shell-line.ts';
import type { TypeCatalog } from '../../model/types/type-catalog.ts';

/** Returns `kubectl gc-tree unblock statefulset/web -n shop --remedy clear-block/pod/web-2`. */
export function remedyCommand(
  catalog: TypeCatalog,
  object: Identity,
  id: string,
  source: readonly string[] = [],
): ShellCommand {
  return commandOn(catalog, object, ['unblock'], ['--remedy', id, ...source]);
}

/** Returns `kubectl gc-tree why statefulset/web -n shop`, followed by `more`. */
export function commandOn(
  catalog: TypeCatalog,
  object: Identity,
  command: readonly string[],
  more: readonly string[] = [],
): ShellCommand {
  const { apiVersion, kind, namespace, name } = object;
  const type = catalog.resolveKind(apiVersion, kind);
  const word = type === undefined ? kind.toLowerCase() : kubectlType(catalog, type);
  return {
    words: ['kubectl', 'gc-tree', ...command, targetWord(word, name), ...namespaceFlag(namespace), ...more],
  };
}
