import { InvalidArgumentError } from 'commander';
import { type CollectorRelease, ownEntry } from '../../model/index.ts';
import { ConnectionFlags } from '../../source/index.ts';
import type { OutputFormat, PickedFields } from './output-formats.ts';

export interface SourceFlags extends ConnectionFlags {
  readonly demo?: string;
  /** Files, folders and `-` for standard input. */
  readonly filename?: readonly string[];
  /** A kustomization folder, which counts as files. */
  readonly kustomize?: string;
  readonly replay?: string;
  /** With a recording: the moment, as given. */
  readonly at?: string;
  /** With files: an owner that they lack doesn't exist. */
  readonly closedWorld?: boolean;
  readonly strict?: boolean;
  /** `-v`: the source reports progress from 2, and each request from 6. */
  readonly verbosity?: number;
}

export const dryRunModes = ['none', 'client', 'server'] as const;
export type DryRunMode = (typeof dryRunModes)[number];

export const failLevels = ['error', 'warning', 'info', 'never'] as const;
export type FailLevel = (typeof failLevels)[number];

export const failConditions = ['stuck', 'depends', 'recreated', 'cascades', 'breaks', 'refused'] as const;
export type FailCondition = (typeof failConditions)[number];

export const colourModes = ['auto', 'always', 'never'] as const;
export type ColourMode = (typeof colourModes)[number];

export const sortKeys = ['name', 'kind', 'namespace', 'age'] as const;
export type SortKey = (typeof sortKeys)[number];

export const treeAdditions = ['users'] as const;

export const treeBases = ['owner', 'manager'] as const;
export type TreeBasis = (typeof treeBases)[number];

/** All flags; each command reads its own. */
export interface Flags extends SourceFlags {
  readonly allNamespaces?: boolean;
  /** `check`, `podgc`: names and patterns of contexts to ask, as given. */
  readonly contexts?: readonly string[];
  readonly selector?: string;
  /** Files of finalizers and controllers, in addition to the built-in catalogue. */
  readonly catalogue?: readonly string[];
  readonly fieldSelector?: string;
  /** `delete`, `wait`, `plan delete`: with files that name the targets. */
  readonly recursive?: boolean;
  readonly all?: boolean;
  readonly ignoreNotFound?: boolean;
  readonly failOnEmpty?: boolean;
  readonly failOnIncomplete?: boolean;
  readonly output?: OutputFormat;
  /** With `output` json: the fields to print of the document. */
  readonly picked?: PickedFields;
  readonly watch?: boolean;
  readonly sortBy?: SortKey;
  /** `plan`: the propagation policy, as given. */
  readonly cascade?: string;
  /** Seconds, as given. */
  readonly gracePeriod?: string;
  readonly force?: boolean;
  readonly remedy?: string;
  readonly steps?: boolean;
  /** `plan`: draws the forecast on the tree. */
  readonly tree?: boolean;
  /** Limit for a failure, as given: a minimum severity for `check`, conditions for `plan`. */
  readonly failOn?: string;
  /** `tree`: documents list nodes and edges instead of trees. */
  readonly flat?: boolean;
  /** `tree`: levels of dependents, as given. */
  readonly depth?: string;
  /** `tree`: relations to show in addition to ownership. */
  readonly with?: (typeof treeAdditions)[number];
  /** `tree` and `check`: the types to show and to leave out, as given. */
  readonly includeTypes?: readonly string[];
  readonly excludeTypes?: readonly string[];
  /** `tree`: the relation that nests objects. */
  readonly by?: TreeBasis;
  /** `check`: false to list findings with a common cause one by one. */
  readonly byCause?: boolean;
  /** `check`: false with `--no-effects`, which omits what remedies would do. */
  readonly effects?: boolean;
  /** `check`: the codes to report and those to omit, as given. */
  readonly codes?: readonly string[];
  readonly excludeCodes?: readonly string[];
  /** `check`: a file of known findings. */
  readonly baseline?: string;
  /** `activity`: the entries to print, as given. */
  readonly what?: readonly string[];
  readonly auditLog?: readonly string[];
  /** `why`: tests admission of the next steps by dry runs. */
  readonly probe?: boolean;
  readonly now?: boolean;
  /** `delete`, `unblock`, `undo`: skips the question. */
  readonly yes?: boolean;
  /** `delete`: with `yes`, also confirms a deletion that is forecast to get stuck. */
  readonly allowStuck?: boolean;
  readonly dryRun?: DryRunMode;
  /** `plan uninstall`: as in helm uninstall; `hooks` is false with `--no-hooks`. */
  readonly hooks?: boolean;
  readonly keepHistory?: boolean;
  /** `plan drain`: as in kubectl drain. */
  readonly ignoreDaemonsets?: boolean;
  readonly deleteEmptydirData?: boolean;
  readonly disableEviction?: boolean;
  readonly podSelector?: string;
  /** Time to follow, as given; `plan drain`: when kubectl gives up. */
  readonly timeout?: string;
  readonly wait?: boolean;
  readonly backupSecretData?: boolean;
  readonly headers: boolean;
  readonly showLabels?: boolean;
  /** `tree`: keys of labels, as given. */
  readonly labelColumns?: readonly string[];
  readonly ascii?: boolean;
  readonly color: ColourMode;
  readonly screenReader?: boolean;
  readonly readOnly?: boolean;
  /** The flag of kube-controller-manager, if not the default. */
  readonly terminatedPodGcThreshold?: number;
  /** Files and scenarios: the server version to assume, `v1.29`. */
  readonly serverVersion?: string;
  /** Simulated clusters: the garbage collector's release. */
  readonly collector?: CollectorRelease;
  /** `-v`; 6 and more adds stack traces. */
  readonly verbosity: number;
  /** `version`: omits the API server's. */
  readonly client?: boolean;
  readonly for?: string;
  readonly redactNames?: boolean;
  /** `serve`: the address to listen on, as given. */
  readonly bindAddress?: string;
  readonly port?: string;
  /** `serve`: allows plain HTTP beyond this machine. */
  readonly insecureHttp?: boolean;
  readonly tlsCertFile?: string;
  readonly tlsPrivateKeyFile?: string;
  /** `activity`: the address of a `serve`, and the first moment or a duration, as given. */
  readonly from?: string;
  readonly since?: string;
  /** `serve`: the folder of its history; size and retention as given. */
  readonly history?: string;
  readonly historySize?: string;
  readonly historyRetention?: string;
  /** `serve`: answers AdmissionReviews too. */
  readonly guard?: boolean;
  readonly guardPolicy?: string;
  readonly clientCaFile?: string;
  /** `serve`: where API servers find the guard. */
  readonly printWebhook?: string;
  /** `serve`: maximum number of namespaces with their own series, as given. */
  readonly maxNamespaces?: string;
  /** `serve`: kinds that may stay unseen, as given. */
  readonly tolerateBlind?: readonly string[];
  /** `serve`: time to go on after a request to end, as given. */
  readonly shutdownDelayDuration?: string;
  /** `mcp`: further contexts that clients may ask about. */
  readonly allowContext?: readonly string[];
  readonly list?: boolean;
  readonly tour?: boolean;
  readonly step?: boolean;
  /** `demo --step`: the breakpoint, as given. */
  readonly break?: string;
  /** `demo`: compares the outcome with the first collector and today's. */
  readonly compareCollectors?: boolean;
}

// Paths that `kubectl get --sort-by` accepts.
const sortPaths: Readonly<Record<string, SortKey>> = {
  'metadata.name': 'name',
  'metadata.namespace': 'namespace',
  'metadata.creationTimestamp': 'age',
  creationTimestamp: 'age',
};

/** Parses a key or kubectl's JSONPath for it: `age`, `.metadata.creationTimestamp`. */
export function parseSortKey(value: string): SortKey {
  const path = value.replace(/^\{?\.?|\}$/gu, '');
  const known = sortKeys.find(key => key === path) ?? ownEntry(sortPaths, path);
  if (known === undefined)
    throw new InvalidArgumentError(`Sort by ${sortKeys.join(', ')}, or by .metadata.creationTimestamp.`);
  return known;
}

/** Parses a threshold like kube-controller-manager: zero or less disables the limit. */
export function parseThreshold(value: string): number {
  if (!/^-?\d{1,9}$/u.test(value))
    throw new InvalidArgumentError(
      'A threshold is a whole number of pods, as kube-controller-manager takes it.',
    );
  return Number(value);
}

/** Parses `1.29`, `v1.29.4` or a distribution's `v1.29.4+k3s1`; returns the API server's form. */
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

/** Splits `a.yaml,b.yaml` as kubectl does: a name in double quotes may contain commas. */
export function splitFiles(value: string): readonly string[] {
  const names: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^,]*))(?:,|$)/uy;
  do {
    const [, quoted, plain = ''] = field.exec(value) ?? [];
    const name = quoted?.replaceAll('""', '"') ?? plain;
    if (name === '' || field.lastIndex === 0)
      throw new InvalidArgumentError('Write a file on each side of a comma.');
    names.push(name);
  } while (field.lastIndex < value.length || value.endsWith(','));
  return names;
}

/** Writes a file's name so that `splitFiles` reads it. */
export function quoteFile(name: string): string {
  return /^"|,/u.test(name) ? `"${name.replaceAll('"', '""')}"` : name;
}

export function filesFlag({ filename, kustomize }: SourceFlags): '-f' | '-k' | undefined {
  if (kustomize !== undefined) return '-k';
  return filename === undefined ? undefined : '-f';
}

/** Returns the flag whose objects can't be changed, as they are from files or the past. */
export function standingFlag(flags: SourceFlags): '-f' | '-k' | '--replay' | undefined {
  return filesFlag(flags) ?? (flags.replay === undefined ? undefined : '--replay');
}

export function flagOf(name: string): string {
  return `--${name.replace(/[A-Z]/gu, letter => `-${letter.toLowerCase()}`)}`;
}

const sourceFlagNames = [
  ...ConnectionFlags.all,
  ...(['demo', 'filename', 'kustomize', 'closedWorld', 'strict', 'replay', 'at', 'verbosity'] as const),
] satisfies (keyof SourceFlags)[];

export function sourceFlags(flags: Flags): SourceFlags {
  return Object.fromEntries(
    sourceFlagNames.flatMap(name => (flags[name] === undefined ? [] : [[name, flags[name]]])),
  ) as SourceFlags;
}
