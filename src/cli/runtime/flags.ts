/** The flags of the command line, in the types that commands read. */

import { InvalidArgumentError } from 'commander';
import { ownEntry } from '../../model/maps.ts';
import type { CollectorRelease } from '../../model/server/server-behaviour.ts';
import { type ConnectionFlags, connectionFlags } from '../../source/connection-flags.ts';

/** Where objects come from. */
export interface SourceFlags extends ConnectionFlags {
  /** Name of a built-in scenario to use in place of a cluster. */
  readonly demo?: string;
  /** Files, folders and `-` to read in place of a cluster. */
  readonly filename?: readonly string[];
  /** A folder with a kustomization to build in place of a cluster; counts as files. */
  readonly kustomize?: string;
  /** A recording to read in place of a cluster. */
  readonly replay?: string;
  /** With a recording: the moment of it, as given. */
  readonly at?: string;
  /** With files: an owner that isn't in them doesn't exist. */
  readonly closedWorld?: boolean;
  readonly strict?: boolean;
  /** `-v`: from 2 on the source says how far it is, from 6 on each request. */
  readonly verbosity?: number;
}

export const outputFormats = [
  'text',
  'wide',
  'json',
  'yaml',
  'name',
  'dot',
  'mermaid',
  'svg',
  'html',
  'junit',
  'sarif',
  'github',
  'markdown',
  'baseline',
] as const;
export type OutputFormat = (typeof outputFormats)[number];

export const dryRunModes = ['none', 'client', 'server'] as const;
export type DryRunMode = (typeof dryRunModes)[number];

export const failLevels = ['error', 'warning', 'info', 'never'] as const;
export type FailLevel = (typeof failLevels)[number];

export const failConditions = ['stuck', 'depends', 'recreated', 'cascades', 'refused'] as const;
export type FailCondition = (typeof failConditions)[number];

export const colourModes = ['auto', 'always', 'never'] as const;
export type ColourMode = (typeof colourModes)[number];

export const sortKeys = ['name', 'kind', 'namespace', 'age'] as const;
export type SortKey = (typeof sortKeys)[number];

export const treeBases = ['owner', 'manager'] as const;
export type TreeBasis = (typeof treeBases)[number];

/** Every flag there is; commands read those that concern them. */
export interface Flags extends SourceFlags {
  readonly allNamespaces?: boolean;
  /** Of `check` and `podgc`, as given: names and patterns of contexts, each of which is asked. */
  readonly contexts?: readonly string[];
  readonly selector?: string;
  /** Files with finalizers and their controllers, beside those that are built in. */
  readonly catalogue?: readonly string[];
  readonly fieldSelector?: string;
  /** Accepted for kubectl's sake: folders are read recursively anyway. */
  readonly recursive?: boolean;
  readonly all?: boolean;
  /** Names that aren't there are left out. */
  readonly ignoreNotFound?: boolean;
  /** A selection that matches nothing is a failure. */
  readonly failOnEmpty?: boolean;
  /** What could not be seen is a failure. */
  readonly failOnIncomplete?: boolean;
  readonly output?: OutputFormat;
  readonly watch?: boolean;
  readonly sortBy?: SortKey;
  /** Of `plan`: the propagation policy, as given. */
  readonly cascade?: string;
  /** Seconds, as given. */
  readonly gracePeriod?: string;
  readonly force?: boolean;
  readonly remedy?: string;
  /** Narrates the order of events. */
  readonly steps?: boolean;
  /** Of `plan`: the forecast painted on the tree. */
  readonly tree?: boolean;
  /** The controller manager starts anew right after the action. */
  readonly restart?: boolean;
  /** What makes the command fail, as given: of `check` the least severity, of `plan` conditions. */
  readonly failOn?: string;
  /** Of `tree`, in documents: nodes and edges in place of trees. */
  readonly flat?: boolean;
  /** Of `tree`: below what objects stand. */
  readonly by?: TreeBasis;
  /** False with `--no-effects`: of `check`, leave out what remedies would do. */
  readonly effects?: boolean;
  /** Of `check`, as given: the only codes to report, and those to leave out. */
  readonly codes?: readonly string[];
  readonly excludeCodes?: readonly string[];
  /** Of `check`: a file of known findings. */
  readonly baseline?: string;
  /** Of `activity`, as given: the only entries to print. */
  readonly what?: readonly string[];
  /** Of `why`: audit logs of an API server. */
  readonly auditLog?: readonly string[];
  /** Of `why`: ask the API server by dry runs what admission makes of the next steps. */
  readonly probe?: boolean;
  /** Of `delete`: pods with a grace period of one second. */
  readonly now?: boolean;
  /** Of `delete`, `unblock` and `undo`: don't ask. */
  readonly yes?: boolean;
  /** Of `delete`: with `yes`, delete what is forecast to get stuck, too. */
  readonly allowStuck?: boolean;
  readonly dryRun?: DryRunMode;
  /** How long to follow, as given. */
  readonly timeout?: string;
  /** False with `--wait=false`. */
  readonly wait?: boolean;
  /** Keep the data of Secrets in the backup. */
  readonly backupSecretData?: boolean;
  /** False with `--no-headers`. */
  readonly headers: boolean;
  readonly showLabels?: boolean;
  readonly ascii?: boolean;
  readonly color: ColourMode;
  readonly screenReader?: boolean;
  readonly readOnly?: boolean;
  /** What kube-controller-manager was started with, where it isn't the default. */
  readonly terminatedPodGcThreshold?: number;
  /** Of files and scenarios: the version of the server that they are to be judged as, `v1.29`. */
  readonly serverVersion?: string;
  /** Of a simulated cluster: its garbage collector. */
  readonly collector?: CollectorRelease;
  /** `-v`; 6 and more adds stack traces. */
  readonly verbosity: number;
  /** Of `version`: without that of the API server. */
  readonly client?: boolean;
  /** Of `record`: for how long, as given. */
  readonly for?: string;
  /** Of `record`: names are replaced. */
  readonly redactNames?: boolean;
  /** Of `serve`, as given: where it listens. */
  readonly bindAddress?: string;
  readonly port?: string;
  /** Of `serve`: plain HTTP beyond this machine, too. */
  readonly insecureHttp?: boolean;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  /** Of `serve`, as given: how many namespaces have series of their own. */
  readonly maxNamespaces?: string;
  /** Of `serve`, as given: kinds that are meant to be unseen. */
  readonly tolerateBlind?: readonly string[];
  /** Of `serve`, as given: how long it goes on after it was asked to end. */
  readonly shutdownDelayDuration?: string;
  /** Of `mcp`: contexts of the kubeconfig that may be asked about as well. */
  readonly allowContext?: readonly string[];
  /** Of `demo`: print the scenarios. */
  readonly list?: boolean;
  /** Of `demo`: a guided tour. */
  readonly tour?: boolean;
  /** Of `demo`: step through the scenario. */
  readonly step?: boolean;
  /** Of `demo --step`: where to stop, or what to print, as given. */
  readonly break?: string;
  /** Of `demo`: print how the scenario ends with the first collector and with today's. */
  readonly compareCollectors?: boolean;
}

// What `kubectl get --sort-by` takes for the same things.
const sortPaths: Readonly<Record<string, SortKey>> = {
  'metadata.name': 'name',
  'metadata.namespace': 'namespace',
  'metadata.creationTimestamp': 'age',
  creationTimestamp: 'age',
};

/** A key by its name or as the JSONPath that kubectl takes: `age`, `.metadata.creationTimestamp`. */
export function parseSortKey(value: string): SortKey {
  const path = value.replace(/^\{?\.?|\}$/gu, '');
  const known = sortKeys.find(key => key === path) ?? ownEntry(sortPaths, path);
  if (known === undefined)
    throw new InvalidArgumentError(`Sort by ${sortKeys.join(', ')}, or by .metadata.creationTimestamp.`);
  return known;
}

/** As kube-controller-manager takes it: zero or less turns the limit off. */
export function parseThreshold(value: string): number {
  if (!/^-?\d{1,9}$/u.test(value))
    throw new InvalidArgumentError(
      'A threshold is a whole number of pods, as kube-controller-manager takes it.',
    );
  return Number(value);
}

/** `1.29`, `v1.29.4` or as a distribution has it, `v1.29.4+k3s1`; as the API server says it. */
export function parseServerVersion(value: string): string {
  const version = /^v?(1\.\d{1,3}(?:\.\d{1,3})?(?:[-+][\w.+-]{0,40})?)$/u.exec(value)?.[1];
  if (version === undefined)
    throw new InvalidArgumentError('A version is one of Kubernetes: 1.29 or v1.29.4.');
  return `v${version}`;
}

export function parseVerbosity(value: string): number {
  if (!/^\d{1,2}$/u.test(value)) throw new InvalidArgumentError('A level is a number from 0 to 10.');
  return Number(value);
}

/** The flag by which objects come from files, `-f` or `-k`; undefined where they come from elsewhere. */
export function filesFlag({ filename, kustomize }: SourceFlags): '-f' | '-k' | undefined {
  if (kustomize !== undefined) return '-k';
  return filename === undefined ? undefined : '-f';
}

/** The flag by which objects are of the past or of somebody's files, and so cannot be changed; undefined of all others. */
export function standingFlag(flags: SourceFlags): '-f' | '-k' | '--replay' | undefined {
  return filesFlag(flags) ?? (flags.replay === undefined ? undefined : '--replay');
}

/** `--as-user-extra` of `asUserExtra`. */
export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/gu, letter => `-${letter.toLowerCase()}`)}`;
}

const sourceFlagNames = [
  ...connectionFlags,
  ...(['demo', 'filename', 'kustomize', 'closedWorld', 'strict', 'replay', 'at', 'verbosity'] as const),
] satisfies (keyof SourceFlags)[];

/** The flags that say where objects come from, without those of the command itself. */
export function sourceFlags(flags: Flags): SourceFlags {
  return Object.fromEntries(
    sourceFlagNames.flatMap(name => (flags[name] === undefined ? [] : [[name, flags[name]]])),
  ) as SourceFlags;
}
