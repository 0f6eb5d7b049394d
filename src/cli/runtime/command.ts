/** What every command is given, which there are, and what the entry point hands to them: they know no clusters or screens. */
import type { ClusterView } from '../../graph/cluster-view.ts';
import type { GraphNode } from '../../graph/node.ts';
import type { ResourceType } from '../../model/types/resource-type.ts';
import type { KubectlAccess, Opened } from '../../source/kubectl-access.ts';
import type { NameSource, Source, SourceInfo } from '../../source/source.ts';
import type { GoneTraces } from '../../text/diagnosis/gone.ts';
import type { Flags, SourceFlags } from './flags.ts';
import type { Io } from './io.ts';
import type { Output } from './output.ts';

export interface CommandContext {
  readonly flags: Flags;
  readonly io: Io;
  readonly services: Services;
  /** Standard output. */
  readonly output: Output;
  /** Where the same answer goes once more, in its own format: a program gets the document and what people read. */
  readonly beside?: Pick<CommandContext, 'flags' | 'io' | 'output'>;
}

/** The command for each place that its answer goes to. */
export function printsOf<C extends CommandContext>(command: C): readonly C[] {
  return command.beside === undefined ? [command] : [command, { ...command, ...command.beside }];
}

export interface TargetCommand extends CommandContext {
  /** The arguments behind the command's name. */
  readonly targets: readonly string[];
  /** Runs another command line, with what it is to touch in place of the process: resolves with its exit code. */
  readonly runLine: (argv: readonly string[], io: Io, services: Services) => Promise<number>;
}

export const commandNames = [
  'tree',
  'why',
  'check',
  'plan',
  'podgc',
  'activity',
  'wait',
  'delete',
  'unblock',
  'undo',
  'record',
  'serve',
  'mcp',
  'demo',
  'schema',
  'completion',
  'version',
] as const;
export type CommandName = (typeof commandNames)[number];

export interface ScreenRequest {
  /** Objects to start at, as on the command line; empty for the whole scope. */
  readonly targets: readonly string[];
  readonly flags: Flags;
  /**
   * The nodes that the targets name in a view whose graph is complete; `namespace` undefined is all of them.
   * Throws an `Error` whose message is for the user: unknown type, no such object.
   */
  findTargets(view: ClusterView, namespace: string | undefined): ReadonlySet<GraphNode>;
  /**
   * Undefined where one object is named, to start at. Else what belongs to the targets, of the types that are known
   * in the view; throws as `findTargets` does.
   */
  readonly matcher:
    | ((view: ClusterView, namespace: string | undefined) => (node: GraphNode) => boolean)
    | undefined;
  /**
   * Opened by the screen, so that its first frame needn't wait for the cluster. With a context it is that of
   * the kubeconfig, else what the flags name.
   */
  openSource(context?: string): Promise<Source>;
  contexts(): Promise<readonly string[]>;
  /** kubectl on the cluster that was opened; rejects with a `SourceError` where it cannot be had. */
  kubectl(opened: Opened): Promise<KubectlAccess>;
  readonly colour: boolean;
  readonly ascii: boolean;
  readonly readOnly: boolean;
  readonly screenReader: boolean;
  /** Somebody is shown around. */
  readonly tour: boolean;
  /** See `ClusterSettings`. */
  readonly terminatedPodGcThreshold: number | undefined;
}

export interface Services {
  /** As in package.json. */
  readonly version: string;
  /**
   * The source that the flags name. Rejects with a `SourceError` (wrong context, no such scenario); whether
   * it can be reached shows at its start.
   */
  openSource(flags: SourceFlags, io: Io): Promise<Source>;
  /** In place of the source that the flags name: one that several questions share. Rejects as `openSource` does. */
  readonly shared?: () => Promise<Source>;
  /** The names of a live cluster's types and objects, for completion; where it is missing, `openSource` serves. */
  openNames?(flags: SourceFlags, io: Io): Promise<NameSource>;
  /** What the cluster that the flags name says of its version, by kubectl's names. Rejects with a `SourceError`. */
  serverVersion(flags: SourceFlags, io: Io): Promise<Readonly<Record<string, string>>>;
  /** Runs the screen until it is left; resolves with the exit code. */
  openScreen(request: ScreenRequest, io: Io): Promise<number>;
  /** kubectl on the cluster that these flags have opened. Rejects with a `SourceError` where it cannot be had. */
  kubectl?(flags: SourceFlags, io: Io, opened: Opened): Promise<KubectlAccess>;
  /** What the journal says of an object that isn't there; empty where that is nothing. */
  tracesOfGone?(
    io: Io,
    here: { readonly view: ClusterView; readonly info: SourceInfo },
    place: { readonly type: ResourceType; readonly namespace: string; readonly name: string },
  ): Promise<Omit<GoneTraces, 'events'>>;
  /** Names of the contexts, clusters and users in the kubeconfig, for completion. */
  kubeconfigNames?(flags: SourceFlags, io: Io): Promise<KubeconfigNames>;
}

export interface KubeconfigNames {
  readonly contexts: readonly string[];
  readonly clusters: readonly string[];
  readonly users: readonly string[];
}
