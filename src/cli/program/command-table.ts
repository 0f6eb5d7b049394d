/** Every command: its words, its flags, and the shared flags that it takes. Adding a flag is one entry. */
import { Option } from 'commander';
import { serverReleases } from '../../model/index.ts';
import type { CommandName } from '../runtime/command.ts';
import { dryRunModes, failLevels, treeAdditions, treeBases } from '../runtime/flags.ts';
import { flag, listFlag, switchedOn } from './option.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export interface CommandDefinition {
  /** Words behind the name; `[flags]` is added. */
  readonly usage: string;
  readonly about: string;
  /** Its arguments, as commander takes them; none if left out. */
  readonly words?: string;
  readonly flags?: readonly Option[];
  /** Names of the shared flags that it takes. */
  readonly shared: readonly string[];
  /** Names of shared flags that it refuses itself, with a better message. */
  readonly refuses?: readonly string[];
  /** Adds a note to the names of its formats. */
  readonly formatNote?: (formats: string) => string;
  /** Two command lines without `kubectl gc-tree`. */
  readonly examples: readonly [string, string];
}

const objects = ['namespace', 'all-namespaces', 'selector', 'field-selector', 'all'];
const missing = ['ignore-not-found', 'fail-on-empty'];
const sources = ['filename', 'kustomize', 'closed-world', 'strict', 'demo', 'replay', 'at', 'server-version'];
const look = ['output', 'color', 'ascii'];
const cluster = ['kubeconfig', 'context', 'request-timeout', 'verbosity'];
const threshold = 'terminated-pod-gc-threshold';
const reading = [...objects, ...sources, ...look, ...cluster];
const acting = ['demo', 'server-version', ...look, 'read-only', 'catalogue', ...cluster];
const refusedByActions = ['watch', 'filename', 'kustomize', 'closed-world', 'strict', 'replay', 'at', 'all'];

const recursive = flag('-R, --recursive', 'with -f: folders in a folder, too');
const contexts = listFlag('--contexts <patterns>', "each of these contexts, such as 'prod-*,staging'");
const cascade = flag('--cascade <policy>', 'background, foreground or orphan');
const gracePeriod = flag('--grace-period <seconds>', 'grace period of pods');
const force = flag('--force', 'delete pods without a grace period');
const remedy = flag('--remedy <id>', 'its id or number, or safe for the only safe one');

/** Flags of `kubectl drain`, with the same meanings. */
const drainFlags = [
  flag('--ignore-daemonsets', "leave DaemonSets' pods"),
  flag('--delete-emptydir-data', 'evict pods with an emptyDir'),
  flag('--disable-eviction', 'delete pods instead'),
  flag('--pod-selector <labels>', 'only these pods'),
  flag('--timeout <duration>', 'when kubectl gives up'),
].map(each => each.hideHelp());

/** Flags of `helm uninstall`, with the same meanings. */
const helmFlags = [
  flag('--no-hooks', 'run no hooks'),
  flag('--keep-history', 'keep the history of the release'),
].map(each => each.hideHelp());

const following = [
  flag('-y, --yes', "don't ask"),
  flag('--dry-run <mode>', 'none (default), client or server').choices(dryRunModes).default('none'),
  flag('--timeout <duration>', 'how long to follow; see docs/actions.md'),
  switchedOn('--wait', "--wait=false: don't follow the outcome"),
  flag('--backup-secret-data', 'keep the data of Secrets in the backup, for undo'),
];

const types = [
  listFlag('--include-types <types>', 'only these types: deploy,rs,po'),
  listFlag('--exclude-types <types>', 'none of these types'),
];

export const commandTable: Readonly<Record<CommandName, CommandDefinition>> = {
  tree: {
    usage: '[TARGET...]',
    about: 'Print ownership trees: owners upwards, dependents downwards.',
    words: '[target...]',
    flags: [
      flag('--flat', 'with -o json or yaml: nodes and edges in place of trees'),
      flag('--depth <levels>', 'levels of dependents to show; all by default'),
      ...types,
      flag('--by <basis>', 'group by owner (default) or manager, such as Helm')
        .choices(treeBases)
        .default('owner'),
      flag('--with <what>', 'users: also show what uses each object').choices(treeAdditions),
    ],
    shared: [
      ...reading,
      ...missing,
      'watch',
      'sort-by',
      'no-headers',
      'show-labels',
      'label-columns',
      'catalogue',
    ],
    examples: ['tree sts/web -n shop', 'tree -A -o dot | dot -Tsvg'],
  },
  why: {
    usage: 'TARGET...',
    about: 'Explain why an object still exists or will be deleted, and what to do.',
    words: '[target...]',
    flags: [
      flag('--probe', 'dry-run the next step, and show what refuses it'),
      listFlag('--audit-log <path>', 'audit log to read, or - (repeatable)'),
    ],
    shared: [...reading, ...missing, 'catalogue', threshold],
    refuses: ['watch'],
    examples: ['why sts/web -n shop', 'why cm/gone -n shop --audit-log audit.log'],
  },
  check: {
    usage: '[TARGET...]',
    about: 'Print every finding; exit with 1 if one is at or above --fail-on.',
    words: '[target...]',
    flags: [
      flag('--fail-on <severity>', 'error, warning (default), info or never')
        .choices(failLevels)
        .default('warning'),
      listFlag('--codes <codes>', 'only findings with these codes (repeatable)'),
      listFlag('--exclude-codes <codes>', 'no findings with these codes (repeatable)'),
      ...types,
      flag('--baseline <file>', 'leave out the known findings in this file'),
      contexts,
      switchedOn('--by-cause', '--by-cause=false: findings one by one, in reports too'),
      flag('--no-effects', 'leave the effects of remedies out of documents'),
    ],
    shared: [
      ...reading,
      ...missing,
      'fail-on-incomplete',
      'watch',
      'sort-by',
      'no-headers',
      'catalogue',
      threshold,
    ],
    examples: ['check -A --fail-on=error', 'check -f manifests/ --closed-world -o junit'],
  },
  plan: {
    usage:
      '[delete TARGET... | unblock TARGET... --remedy ID |\n' +
      '         taint node/NAME... out-of-service | drain NODE... |\n' +
      '         uninstall helm/RELEASE | restart]',
    about: 'Forecast an action or, without one, what happens if no user acts.',
    words: '[action] [target...]',
    flags: [
      cascade,
      gracePeriod,
      flag('--force', 'delete pods at once; drain: as in kubectl drain'),
      remedy,
      recursive,
      ...drainFlags,
      ...helmFlags,
      flag('--tree', 'print the tree, with what happens to each object'),
      flag('--steps', 'print the order of events'),
      new Option('--fail-on <conditions>', 'exit with 1 if stuck, recreated, count>N or others').argParser(
        (value, before: string | undefined) => (before === undefined ? value : `${before},${value}`),
      ),
    ],
    shared: [...reading, ...missing, 'catalogue', threshold],
    refuses: ['watch'],
    examples: [
      'plan delete sts/web --cascade=orphan',
      'plan drain node-3 --ignore-daemonsets --fail-on=stuck,refused',
    ],
  },
  podgc: {
    usage: '[TARGET...]',
    about: 'Show which pods PodGC deletes, by which rule and when.',
    words: '[target...]',
    flags: [contexts],
    shared: [...reading, 'watch', 'no-headers', threshold],
    refuses: ['sort-by'],
    examples: ['podgc', 'podgc node/worker-7 --watch'],
  },
  activity: {
    usage: '[TARGET...]',
    about: 'Show what is being deleted and, with -w, what happens next and why.',
    words: '[target...]',
    flags: [
      listFlag('--what <kinds>', 'only these kinds, such as Collected,Orphaned'),
      flag('--from <url>', 'history of a serve'),
      flag('--since <duration>', 'with --from: only this long, or since a time').hideHelp(),
    ],
    shared: ['namespace', 'all-namespaces', ...sources, 'watch', 'no-headers', ...look, ...cluster],
    formatNote: formats => `${formats}; json is one document on each line`,
    examples: ['activity -w -A', 'activity deploy/api -w -o json'],
  },
  wait: {
    usage: 'TARGET...|-f MANIFESTS --for=delete',
    about: 'Wait until objects are deleted, and explain why they are not.',
    words: '[target...]',
    flags: [
      flag('--for <condition>', 'what to wait for: delete'),
      flag('--timeout <duration>', 'how long (default: 30s; 0: look once)'),
      recursive,
    ],
    shared: [
      ...objects,
      'filename',
      'kustomize',
      'fail-on-empty',
      'demo',
      'server-version',
      ...look,
      'catalogue',
      threshold,
      ...cluster,
    ],
    refuses: ['replay'],
    examples: ['wait ns/preview-123 --for=delete --timeout=5m', 'wait -f teardown/ --for=delete -o junit'],
  },
  delete: {
    usage: 'TARGET...|-f MANIFESTS',
    about: 'Delete objects, after a forecast of what is deleted with them.',
    words: '[target...]',
    flags: [
      cascade,
      gracePeriod,
      force,
      flag('--now', 'delete pods with a grace period of one second'),
      flag('--allow-stuck', 'with --yes: even if the deletion will get stuck'),
      recursive,
      ...following,
    ],
    shared: [...objects, 'filename', 'kustomize', ...missing, ...acting, threshold],
    refuses: refusedByActions,
    examples: ['delete sts/web --cascade=orphan', 'delete deploy/api --yes --timeout=5m'],
  },
  unblock: {
    usage: 'TARGET... [--remedy ID]',
    about: 'List the remedies for a deletion that is stuck, or apply one.',
    words: '[target...]',
    flags: [remedy, ...following],
    shared: [...objects, ...acting, threshold],
    refuses: refusedByActions,
    examples: ['unblock sts/web', 'unblock sts/web --remedy clear-block/pod/web-2'],
  },
  undo: {
    usage: '[ENTRY]',
    about: "List this tool's actions, or undo one.",
    words: '[entry]',
    flags: following,
    shared: acting,
    refuses: refusedByActions,
    examples: ['undo last', 'undo 20261121T101500Z-4f1a2b --dry-run=client'],
  },
  record: {
    usage: 'FILE',
    about: 'Record what happens to a file until interrupted; see --replay.',
    words: '[file]',
    flags: [
      flag('--for <duration>', 'end after 90s, 10m or 1h30m'),
      flag('--force', 'overwrite the file'),
      flag('--redact-names', 'replace names with pseudonyms, so that the file can be shared'),
    ],
    shared: ['namespace', 'all-namespaces', 'demo', 'ascii', ...cluster],
    refuses: ['filename', 'kustomize', 'replay'],
    examples: ['record -A night.gctree --for 8h', 'why sts/web -n shop --replay night.gctree --at 14:02'],
  },
  serve: {
    usage: '',
    about: 'Serve findings as Prometheus metrics, and documents over HTTP.',
    words: '[target...]',
    flags: [
      flag('--bind-address <ip>', 'default: 127.0.0.1'),
      flag('--port <port>', 'default: 8443; 8080 without TLS'),
      flag('--tls-cert-file <path>', 'serving certificate'),
      // An example shows it.
      flag('--tls-private-key-file <path>', 'its private key').hideHelp(),
      flag('--insecure-http', 'plain HTTP on any address'),
      flag('--history <folder>', 'keep changes there'),
      flag('--history-size <bytes>', 'maximum size (50Mi)').hideHelp(),
      flag('--history-retention <duration>', 'maximum age (7d)').hideHelp(),
      flag('--guard', 'warn in kubectl of what deletions do'),
      flag('--guard-policy <path>', 'with --guard: file of what is refused'),
      flag('--client-ca-file <path>', 'with --guard: CA of API servers that ask'),
      flag('--print-webhook <address>', 'its configuration, for a URL or NAMESPACE/SERVICE'),
      listFlag('--tolerate-blind <kinds>', 'kinds that may stay unseen (repeatable)'),
      flag('--max-namespaces <number>', 'namespaces with own series (100)'),
      flag('--shutdown-delay-duration <duration>', 'time to serve on at the end'),
    ],
    shared: ['demo', 'ascii', 'catalogue', threshold, ...cluster],
    refuses: ['filename', 'kustomize', 'replay'],
    examples: ['serve --demo fleet', 'serve --tls-cert-file tls.crt --tls-private-key-file tls.key'],
  },
  mcp: {
    usage: '',
    about: 'Answer an assistant over the Model Context Protocol, read-only.',
    words: '[target...]',
    flags: [listFlag('--allow-context <name>', 'another context to answer about (repeatable)')],
    shared: ['namespace', ...sources, 'ascii', 'catalogue', threshold, ...cluster],
    examples: ['mcp --context prod --allow-context staging', 'mcp -f dump/'],
  },
  demo: {
    usage: '[SCENARIO]',
    about: 'Open the screen on a built-in scenario; needs no cluster.',
    words: '[scenario]',
    flags: [
      flag('--list', 'print the scenarios'),
      flag('--tour', 'take a guided tour'),
      flag('--step', 'step through it in text'),
      flag('--break <step>', 'with --step: only at an object, a kind or a decision'),
      flag('--collector <version>', 'that of Kubernetes 1.36 (default) or 1.5').choices(
        serverReleases.ofCollector,
      ),
      flag('--compare-collectors', 'print how the scenario ends with each of the two'),
    ],
    shared: [
      'namespace',
      'all-namespaces',
      'selector',
      ...look,
      'screen-reader',
      'read-only',
      'server-version',
      'catalogue',
      threshold,
    ],
    formatNote: formats => `${formats}; with --step text, json or yaml`,
    examples: ['demo --tour', 'demo how-the-collector-works --step --break DeleteBackground'],
  },
  schema: {
    usage: '[KIND]',
    about: 'List the kinds of documents, or print the JSON Schema of one.',
    words: '[kind]',
    shared: ['output'],
    formatNote: formats => `${formats}; json or yaml of one`,
    examples: ['schema', 'schema Plan'],
  },
  completion: {
    usage: shells.join('|'),
    about: 'Print a completion script for a shell; see docs/install.md.',
    words: '[shell]',
    shared: [],
    examples: [
      'completion zsh   # source <(…) in ~/.zshrc, after compinit',
      "completion bash  # source <(…) in ~/.bashrc, after kubectl's",
    ],
  },
  version: {
    usage: '',
    about: "Print the version; with -o json or yaml, the API server's too.",
    flags: [flag('--client', "leave out the API server's version")],
    shared: ['output', ...cluster],
    examples: ['version', 'version --client'],
  },
};
