import { requestWords } from '../../forecast/index.ts';
import type { Identity } from '../../graph/index.ts';
import type { ShellCommand, TypeCatalog } from '../../model/index.ts';

/** Returns `kubectl gc-tree unblock statefulset/web -n shop --remedy clear-block/pod/web-2`. */
function remedyCommand(
  catalog: TypeCatalog,
  object: Identity,
  id: string,
  source: readonly string[] = [],
): ShellCommand {
  return commandOn(catalog, object, ['unblock'], ['--remedy', id, ...source]);
}

/** Returns `kubectl gc-tree why statefulset/web -n shop`, followed by `more`. */
function commandOn(
  catalog: TypeCatalog,
  object: Identity,
  command: readonly string[],
  more: readonly string[] = [],
): ShellCommand {
  const { apiVersion, kind, namespace, name } = object;
  const type = catalog.resolveKind(apiVersion, kind);
  const word = type === undefined ? kind.toLowerCase() : requestWords.kubectlType(catalog, type);
  return {
    words: [
      'kubectl',
      'gc-tree',
      ...command,
      requestWords.target(word, name),
      ...requestWords.namespaceFlag(namespace),
      ...more,
    ],
  };
}

/** Commands that do what the screen or a page offers. */
export const actionCommands = { ofRemedy: remedyCommand, on: commandOn };
