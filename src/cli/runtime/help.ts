/** The help of one command: its own flags, the shared ones that concern it, and its formats. */
import { type Command, Help, type HelpConfiguration, type Option } from 'commander';
import { type OutputFormat, outputFormats } from './flags.ts';
import { alternatives, formatsOf } from './format.ts';

const objects = ['namespace', 'all-namespaces', 'selector', 'field-selector', 'all'];
const selecting = ['ignore-not-found', 'fail-on-empty'];
const completeness = 'fail-on-incomplete';
const sources = [
  'filename',
  'kustomize',
  'recursive',
  'closed-world',
  'strict',
  'demo',
  'replay',
  'at',
  'server-version',
];
const looks = ['color', 'ascii'];
const cluster = ['kubeconfig', 'context', 'request-timeout', 'verbosity'];
/** Flags that don't matter without a diagnosis. */
const collector = 'collector';
const assumed = 'terminated-pod-gc-threshold';
const catalogue = 'catalogue';
const reading = [...objects, ...sources, 'output', ...looks, ...cluster];
const acting = ['demo', 'server-version', 'output', ...looks, 'read-only', catalogue, ...cluster];

const flagsOf: Readonly<Record<string, readonly string[]>> = {
  tree: [...reading, collector, ...selecting, 'watch', 'sort-by', 'no-headers', 'show-labels', catalogue],
  why: [...reading, ...selecting, catalogue, assumed],
  check: [...reading, ...selecting, completeness, 'watch', 'sort-by', 'no-headers', catalogue, assumed],
  plan: [...reading, collector, ...selecting, catalogue, assumed],
  podgc: [...reading, 'watch', 'no-headers', assumed],
  activity: [
    'namespace',
    'all-namespaces',
    ...sources,
    'output',
    'watch',
    'no-headers',
    ...looks,
    ...cluster,
  ],
  wait: [
    ...objects,
    'filename',
    'kustomize',
    'recursive',
    'fail-on-empty',
    'demo',
    'server-version',
    'output',
    ...looks,
    catalogue,
    assumed,
    ...cluster,
  ],
  delete: [...objects, 'filename', 'kustomize', 'recursive', ...selecting, ...acting, assumed],
  unblock: [...objects, ...acting, assumed],
  undo: acting,
  record: ['namespace', 'all-namespaces', 'demo', 'ascii', ...cluster],
  serve: ['demo', 'ascii', catalogue, assumed, ...cluster],
  mcp: ['namespace', ...sources, 'ascii', collector, catalogue, assumed, ...cluster],
  demo: [
    'namespace',
    'all-namespaces',
    'selector',
    'output',
    ...looks,
    'screen-reader',
    'read-only',
    'server-version',
    collector,
    catalogue,
    assumed,
  ],
  schema: ['output'],
  completion: [],
  version: ['output', ...cluster],
};

const formatNotes: Readonly<Record<string, (formats: string) => string>> = {
  demo: formats => `with --list or --compare-collectors: ${formats}; with --step text, json or yaml`,
  schema: formats => `${formats}; json or yaml of one`,
  activity: formats => `${formats}; json is one document on each line`,
};

/** Flags that shape an answer, so that ignoring one would mislead. Users keep `-n` in aliases, so it is allowed. */
const shaping: ReadonlySet<string> = new Set([
  'all-namespaces',
  'selector',
  'field-selector',
  'all',
  ...selecting,
  completeness,
  ...sources,
  collector,
  'output',
  'watch',
  'sort-by',
  'no-headers',
  'show-labels',
  catalogue,
  assumed,
]);

const refusedByActions = [
  'watch',
  'filename',
  'kustomize',
  'recursive',
  'closed-world',
  'strict',
  'replay',
  'at',
  'all',
];

/** Flags that a command refuses itself with a better message. */
const refusedByItself: Readonly<Record<string, readonly string[]>> = {
  why: ['watch'],
  plan: ['watch'],
  podgc: ['sort-by'],
  delete: refusedByActions,
  unblock: refusedByActions,
  undo: refusedByActions,
  record: ['filename', 'kustomize', 'replay'],
  serve: ['filename', 'kustomize', 'replay'],
  wait: ['replay'],
};

export function ignoredFlag(command: Command): string | undefined {
  const allowed = flagsOf[command.name()];
  if (allowed === undefined || command.parent === null) return undefined;
  const ignored = command.parent.options.find(option => {
    const name = option.long?.slice(2) ?? '';
    const isRefused = refusedByItself[command.name()]?.includes(name) === true;
    if (!shaping.has(name) || allowed.includes(name) || isRefused) return false;
    return command.getOptionValueSourceWithGlobals(option.attributeName()) === 'cli';
  });
  return ignored?.long ?? undefined;
}

export function formatsFor(command: Command): readonly OutputFormat[] {
  return (
    new Map<string, readonly OutputFormat[]>(Object.entries(formatsOf)).get(command.name()) ?? outputFormats
  );
}

export function helpOf(command: Command): HelpConfiguration {
  const name = command.name();
  const all = new Help();
  all.showGlobalOptions = true;
  const formats = alternatives(formatsFor(command));
  return {
    showGlobalOptions: true,
    visibleArguments: () => [],
    visibleGlobalOptions: asked =>
      all
        .visibleGlobalOptions(asked)
        .filter(({ long }) => flagsOf[name]?.includes(long?.slice(2) ?? '') ?? true),
    optionDescription: (option: Option) =>
      option.long === '--output'
        ? `format: ${formatNotes[name]?.(formats) ?? formats}`
        : (descriptions[name]?.[option.long ?? ''] ?? all.optionDescription(option)),
    styleTitle: title => titles[title] ?? title,
  };
}

const namedByFiles = {
  '--filename': 'in place of TARGET: what these manifests name; a file, a folder, or - (repeatable)',
  '--kustomize': 'in place of TARGET: what kubectl kustomize builds from this folder',
  '--recursive': 'with -f: folders in a folder, too',
};

/** Descriptions of flags that mean something else, or less, for a command. */
const descriptions: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  check: {
    '--sort-by': 'order of findings: name, kind, namespace or age; without it the worst come first',
  },
  plan: {
    '--filename':
      'read manifests, kubectl output or a dump in place of a cluster: a file, a folder, or - (repeatable); with plan delete and no TARGET, what to delete from the cluster, as in kubectl delete -f',
    '--kustomize':
      'what kubectl kustomize builds from this folder, in place of a cluster; with plan delete and no TARGET, what to delete',
    '--recursive': 'with plan delete -f and no TARGET: folders in a folder, too; else they always are',
  },
  delete: namedByFiles,
  wait: namedByFiles,
};

const titles: Readonly<Record<string, string>> = {
  'Options:': 'Flags:',
  'Global Options:': 'Shared flags:',
};

export function connectionNote(name: string): string {
  return flagsOf[name]?.includes('context') === true
    ? "kubectl's other flags for finding a cluster, such as --server, --user, --as\nand --token: kubectl gc-tree --help"
    : '';
}
