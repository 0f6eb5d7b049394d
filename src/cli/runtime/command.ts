/** The input of commands and the services that they need from the entry point. */

import type { ClusterView, GraphNode } from '../../graph/index.ts';
import type { FinalizerCatalogue, ResourceType } from '../../model/index.ts';
import type { KubectlAccess, NameSource, Opened, Source, SourceInfo } from '../../source/index.ts';
import type { GoneTraces } from '../../text/index.ts';
import type { Flags, SourceFlags } from './flags.ts';
import type { Io } from './io.ts';
import type { Output } from './output.ts';

export interface CommandContext {
  readonly flags: Flags;
  readonly io: Io;
  readonly services: Services;
  readonly output: Output;
  /** A second output with its own format: programs get the document and the text for people. */
  readonly beside?: Pick<CommandContext, 'flags' | 'io' | 'output'>;
}

export function printsOf<C extends CommandContext>(command: C): readonly C[] {
  return command.beside === undefined ? [command] : [command, { ...command, ...command.beside }];
}

export interface TargetCommand extends CommandContext {
  /** Arguments after the command's name. */
  readonly targets: readonly string[];
  /** Runs another command line in a substitute for the process; resolves with its exit code. */
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
  /** Start objects, as on the command line; empty for the whole scope. */
  readonly targets: readonly string[];
  readonly flags: Flags;
  /**
   * Finds the targets' nodes in a complete graph; without `namespace`, in all. Throws an `Error` for the user if a type
   * is unknown or an object is missing.
   */
  findTargets(view: ClusterView, namespace: string | undefined): ReadonlySet<GraphNode>;
  /** Matches nodes by the types in the view and throws like `findTargets`; undefined for a single start object. */
  readonly matcher:
    | ((view: ClusterView, namespace: string | undefined) => (node: GraphNode) => boolean)
    | undefined;
  /** Opens the source for the screen, whose first frame needn't wait. `context` overrides the flags. */
  openSource(context?: string): Promise<Source>;
  contexts(): Promise<readonly string[]>;
  /** Rejects with a `SourceError` if kubectl can't be had. */
  kubectl(opened: Opened): Promise<KubectlAccess>;
  readonly colour: boolean;
  readonly ascii: boolean;
  readonly readOnly: boolean;
  readonly screenReader: boolean;
  /** True during the guided tour. */
  readonly tour: boolean;
  readonly terminatedPodGcThreshold: number | undefined;
  readonly catalogue: FinalizerCatalogue | undefined;
}

export interface Services {
  readonly version: string;
  /** Rejects with a `SourceError` (wrong context, no such scenario); connections fail later, at the start. */
  openSource(flags: SourceFlags, io: Io): Promise<Source>;
  /** Replaces `openSource` with one source for several questions; rejects like it. */
  readonly shared?: () => Promise<Source>;
  openNames?(flags: SourceFlags, io: Io): Promise<NameSource>;
  /** Returns fields under kubectl's names. Rejects with a `SourceError`. */
  serverVersion(flags: SourceFlags, io: Io): Promise<Readonly<Record<string, string>>>;
  /** Runs the screen until the user leaves it; resolves with the exit code. */
  openScreen(request: ScreenRequest, io: Io): Promise<number>;
  /** Rejects with a `SourceError` if kubectl can't be had. */
  kubectl?(flags: SourceFlags, io: Io, opened: Opened): Promise<KubectlAccess>;
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
