/** Handles `-f` and `-k` of `delete` and `wait`, whose files name targets as in kubectl. */
import type { NamedManifest } from '../../source/index.ts';
import type { CommandContext, TargetCommand } from '../runtime/command.ts';
import { UsageError } from '../runtime/errors.ts';
import { type Flags, filesFlag } from '../runtime/flags.ts';
import { kustomizationOf } from '../runtime/io.ts';
import { warn } from '../runtime/say.ts';
import { type AbsentManifest, absentLines } from './manifests.ts';
import { parseSelector } from './selectors.ts';
import type { TargetQuery } from './targets.ts';

interface ManifestCommand {
  /** Without file flags, so that the command reads a cluster. */
  readonly command: TargetCommand;
  readonly query: TargetQuery | undefined;
}

/** The purpose decides on labels: kubectl uses those in the files or, for `wait`, those in the cluster. */
type Purpose = 'delete' | 'wait for';

/** Rejects with a `UsageError` for incompatible flags, and with a `SourceError` for unreadable files. */
export async function targetsFromFiles(
  command: TargetCommand,
  words: readonly string[],
  purpose: Purpose,
): Promise<ManifestCommand> {
  const { flags, io } = command;
  const flag = filesFlag(flags);
  if (flag === undefined || words.length > 0) return { command, query: undefined };
  refuseFlags(`${flag} names what to ${purpose}`, flags);
  const { filename = [], kustomize } = flags;
  if (kustomize !== undefined && filename.length > 0)
    throw new UsageError('only one of -f or -k can be specified.');
  if (kustomize !== undefined && flags.recursive === true)
    throw new UsageError('the -k flag cannot be used with -f or -R.');
  if (filename.includes('-') && io.stdinIsTerminal)
    throw new UsageError('-f - reads standard input, which is the terminal here. Pipe something into it.');
  const { readNamed } = await import('../../source/files/named-manifests.ts');
  const { manifests, warnings } = await readNamed({
    names: filename,
    kustomization: kustomize === undefined ? undefined : kustomizationOf(kustomize, io),
    recursive: flags.recursive === true,
    stdin: () => io.stdin(),
  });
  for (const warning of warnings) warn(io, warning);
  return {
    command: { ...command, flags: clusterFlags(flags) },
    query: queryOf(manifests, flags, purpose),
  };
}

function refuseFlags(what: string, flags: Flags): void {
  if (flags.all === true) throw new UsageError(`${what}, so --all would do nothing. Leave it out.`);
  if (flags.fieldSelector !== undefined)
    throw new UsageError(`${what}, and a file doesn't have the fields of --field-selector. Leave it out.`);
  if (flags.closedWorld === true)
    throw new UsageError(
      `--closed-world is about files in place of a cluster, and here ${what}. Leave it out, or name a target.`,
    );
}

function clusterFlags(flags: Flags): Flags {
  const { filename: _files, kustomize: _folder, recursive: _recursive, ...rest } = flags;
  return rest;
}

function queryOf(manifests: readonly NamedManifest[], flags: Flags, purpose: Purpose): TargetQuery {
  const { selector, namespace } = flags;
  const matches = selector === undefined ? undefined : parseSelector(selector);
  const byFiles = purpose === 'delete' ? matches : undefined;
  const byCluster = purpose === 'delete' ? undefined : matches;
  const meant = manifests.filter(({ labels }) => byFiles?.(labels) ?? true);
  if (meant.length === 0)
    throw new UsageError(`none of the objects in the files has the labels ${JSON.stringify(selector)}.`);
  const needsNamespace = flags.allNamespaces === true && namespace === undefined;
  return {
    words: meant.map(manifest => ({
      type: manifest.kind,
      name: manifest.name,
      manifest: { ...manifest, enforced: namespace, needsNamespace },
    })),
    matches: byCluster && (({ labels }) => byCluster(labels)),
    fields: undefined,
    readsEverything: flags.allNamespaces === true,
    ignoresMissing: flags.ignoreNotFound === true,
  };
}

export function tellAbsent({ io }: Pick<CommandContext, 'io'>, absent: readonly AbsentManifest[]): void {
  for (const line of absentLines(absent)) warn(io, line);
}
