import { Command, Option } from 'commander';
import { collectorReleases } from '../../model/server/server-behaviour.ts';
import { connectionTexts } from '../../source/connection-flags.ts';
import type { CommandName } from './command.ts';
import { UsageError } from './errors.ts';
import {
  colourModes,
  dryRunModes,
  type Flags,
  failLevels,
  flagOf,
  outputFormats,
  parseServerVersion,
  parseSortKey,
  parseThreshold,
  parseVerbosity,
  treeBases,
} from './flags.ts';

import { connectionNote, helpOf, ignoredFlag } from './help.ts';
import {
  actionNotes,
  activityExamples,
  checkExamples,
  completionExamples,
  deleteExamples,
  demoExamples,
  examples,
  mcpExamples,
  planExamples,
  podGcExamples,
  recordExamples,
  serveExamples,
  targetHelp,
  treeExamples,
  unblockExamples,
  undoExamples,
  waitExamples,
  whyExamples,
} from './help-texts.ts';

export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export function appendValue(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

function addFlags(program: Command): void {
  addScopeFlags(program);
  addOutputFlags(program);
  addConnectionFlags(program);
  addOtherFlags(program);
}

function addScopeFlags(program: Command): void {
  program
    .optionsGroup('What to show:')
    .option('-n, --namespace <name>', 'namespace; the default is that of the context')
    .option(
      '-A, --all-namespaces',
      'every namespace and everything outside of them, read as well for an object named with -n',
    )
    .option('-l, --selector <labels>', 'only objects with these labels: app=web,tier!=db,env in (a,b)')
    .option(
      '--field-selector <fields>',
      'only objects with these fields, such as status.phase!=Running,spec.nodeName=node-1',
    )
    .option('--all', 'every object of the given types')
    .option('--ignore-not-found', 'leave out names that are not there')
    .option('--fail-on-empty', 'exit with 1 where nothing is selected')
    .option('--fail-on-incomplete', 'exit with 1 where something could not be seen')
    .option(
      '-f, --filename <path>',
      'read manifests, kubectl output or a dump in place of a cluster: a file, a folder, or - (repeatable)',
      appendValue,
    )
    .option(
      '-k, --kustomize <folder>',
      'what kubectl kustomize builds from this folder, in place of a cluster',
    )
    .option('-R, --recursive', 'with -f: read folders with what lies below them, as is always done')
    .option('--closed-world', "with -f: an owner that isn't in the files doesn't exist")
    .option('--strict', 'with -f: what cannot be read in a folder is an error')
    .option('--demo <name>', 'a built-in scenario in place of a cluster')
    .option('--replay <file>', 'a recording in place of a cluster, as record writes it')
    .option(
      '--at <time>',
      "with --replay: the moment, as 2026-11-21T14:02:00Z, 14:02 on this machine's clock, or -5m from the end; left out, the end",
    )
    .option(
      '--server-version <version>',
      'with -f, -k or --demo: what a server of this version would do, such as 1.29; it counts before one in the files',
      parseServerVersion,
    )
    .addOption(
      new Option(
        '--collector <version>',
        "with --demo: the garbage collector of Kubernetes 1.36, today's, or of 1.5, the first, with the deletions of its time; see docs/vintage.md",
      ).choices(collectorReleases),
    );
}

function addOutputFlags(program: Command): void {
  program
    .optionsGroup('Output:')
    .addOption(new Option('-o, --output <format>', 'format').choices(outputFormats))
    .option('-w, --watch', 'after the first answer, print changes as they come')
    .option('--sort-by <key>', 'order of siblings: name, kind, namespace or age', parseSortKey)
    .option('--no-headers', 'no line of column titles')
    .option('--show-labels', 'a column with the labels')
    .addOption(
      new Option('--color <when>', 'colour; auto also respects NO_COLOR')
        .choices(colourModes)
        .default('auto'),
    )
    .option('--ascii', 'no characters beyond ASCII')
    .option('--screen-reader', 'plain text in reading order on the screen')
    .option('--read-only', 'refuse every change (also GC_TREE_READ_ONLY=1)');
}

function addConnectionFlags(program: Command): void {
  program
    .optionsGroup('Connection, as in kubectl:')
    .option('--kubeconfig <path>', 'kubeconfig file')
    .option('--context <name>', 'context of the kubeconfig')
    .option('--cluster <name>', 'cluster of the kubeconfig')
    .option('--user <name>', 'user of the kubeconfig')
    .option('-s, --server <url>', 'address of the API server')
    .option('--token <token>', 'bearer token')
    .option('--as <user>', 'act as this user')
    .option('--as-group <group>', 'act as this group (repeatable)', appendValue)
    .option('--as-uid <uid>', 'act as this uid')
    .option('--as-user-extra <key=value>', 'act with this extra value (repeatable)', appendValue)
    .option('--client-certificate <path>', 'certificate to log in with')
    .option('--client-key <path>', 'private key of that certificate')
    .option('--certificate-authority <path>', "certificate authority of the server's certificate")
    .option('--insecure-skip-tls-verify', "don't check the server's certificate")
    .option('--tls-server-name <name>', "name in the server's certificate")
    .option('--disable-compression', 'ask for no compressed answers')
    .option(
      '--request-timeout <duration>',
      'timeout per request, such as 5s (0: none; default 40s, none for lists)',
    )
    .option('--cache-dir <path>', "folder of kubectl's discovery cache")
    .option('--kuberc <path>', "kubectl's preferences file, which says what credential plugins may run");
}

function addOtherFlags(program: Command): void {
  program
    .optionsGroup('Other:')
    .option(
      '--terminated-pod-gc-threshold <pods>',
      'how many finished pods kube-controller-manager keeps, which the API does not show; 12500 is assumed',
      parseThreshold,
    )
    .option(
      '--catalogue <path>',
      'finalizers of your own and who removes them, counted before those that are built in (repeatable); see docs/finalizers.md',
      appendValue,
    )
    .option('-v, --verbosity <level>', 'more detail; 6 adds requests and stack traces', parseVerbosity, 0)
    .addOption(new Option('--v <level>').argParser(parseVerbosity).hideHelp())
    .helpOption('-h, --help', 'this help');
}

function addActionFlags(command: Command): Command {
  return command
    .option('-y, --yes', "don't ask")
    .addOption(
      new Option(
        '--dry-run <mode>',
        'change nothing: client shows the forecast, server asks the API server too',
      )
        .choices(dryRunModes)
        .default('none'),
    )
    .option('--timeout <duration>', "how long to follow; the default is 1m and the forecast's own time")
    .option('--no-wait', "don't follow what becomes of it (also --wait=false)")
    .option('--backup-secret-data', 'keep the data of Secrets in the backup, so that undo can bring it back');
}

/** Flags that ignore an empty value, as in kubectl: an unset `-n "$NAMESPACE"` never means an empty name. */
const emptyIsNone: ReadonlySet<string> = new Set(connectionTexts);

/** Flags that also ignore a blank value. */
const blankIsNone: ReadonlySet<string> = new Set(['selector', 'fieldSelector']);

function isNone(name: string, value: unknown): boolean {
  if (typeof value !== 'string') return false;
  return blankIsNone.has(name) ? value.trim() === '' : value === '' && emptyIsNone.has(name);
}

function flagsOf(command: Command): Flags {
  const { v, ...given } = command.optsWithGlobals<Flags & { v?: number }>();
  const entries = Object.entries(given).filter(([name, value]) => !isNone(name, value));
  const flags = Object.fromEntries(entries) as unknown as Flags;
  for (const [name, value] of entries) {
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    if (values.includes(''))
      throw new UsageError(`${flagOf(name)} is empty. Leave it out, or give it a value.`);
  }
  return v === undefined ? flags : { ...flags, verbosity: v };
}

function addAnswers(program: Command): void {
  program
    .command('tree')
    .usage('[TARGET...] [flags]')
    .description('print ownership trees: owners upwards, dependents downwards')
    .argument('[target...]')
    .option('--flat', 'with -o json or yaml: a list of nodes and a list of edges in place of trees')
    .addOption(
      new Option('--by <basis>', 'below what objects stand: their owners, or the tools that manage them')
        .choices(treeBases)
        .default('owner'),
    )
    .addHelpText('after', targetHelp + treeExamples);
  program
    .command('why')
    .usage('TARGET... [flags]')
    .description('why an object still exists, survived, or will be deleted; and what can be done')
    .argument('[target...]')
    .option('--probe', 'ask the API server by dry runs what admission makes of the next step; see below')
    .option(
      '--audit-log <path>',
      'who deleted it and what followed, from an audit log, also one of gzip or zstd; - is standard input (repeatable)',
      appendValue,
    )
    .addHelpText('after', targetHelp + whyExamples);
  program
    .command('check')
    .usage('[TARGET...] [flags]')
    .description('print every finding in scope; the exit code is for CI')
    .argument('[target...]')
    .addOption(
      new Option('--fail-on <severity>', 'exit with 1 where a finding is at least this severe')
        .choices(failLevels)
        .default('warning'),
    )
    .option(
      '--codes <codes>',
      'only findings with these codes, separated by commas (repeatable)',
      appendValue,
    )
    .option('--exclude-codes <codes>', 'no findings with these codes (repeatable)', appendValue)
    .option(
      '--baseline <file>',
      'leave out the known findings that this file lists, each until it expires; see docs/pipelines.md',
    )
    .option(
      '--contexts <patterns>',
      "each of these contexts of the kubeconfig, separated by commas, with * for any part of a name: 'prod-*' (repeatable)",
      appendValue,
    )
    .option('--no-effects', 'with -o json or yaml: leave out what remedies would do, which is faster')
    .addHelpText('after', targetHelp + checkExamples);
}

function addForecasts(program: Command): void {
  program
    .command('plan')
    .usage(
      '[flags]\n' +
        '       kubectl gc-tree plan delete TARGET...|-f MANIFESTS [flags]\n' +
        '       kubectl gc-tree plan unblock TARGET... [--remedy ID] [flags]\n' +
        '       kubectl gc-tree plan taint node/NAME... out-of-service [flags]\n' +
        '       kubectl gc-tree plan restart [flags]',
    )
    .description('forecast what an action will do; without one, what happens if nobody acts')
    .argument('[action]')
    .argument('[target...]')
    .option('--cascade <policy>', 'delete: background (default), foreground or orphan')
    .option('--grace-period <seconds>', 'delete: grace period of pods')
    .option('--force', 'delete: pods without a grace period')
    .option(
      '--remedy <id>',
      'unblock: the remedy to forecast: its id, its number in the list, or safe for the only safe one; left out, they are listed',
    )
    .option('--restart', 'as if kube-controller-manager were restarted right after the action')
    .option('--tree', 'the tree, with what becomes of each object')
    .option('--steps', 'narrate the order of events')
    .option(
      '--fail-on <conditions>',
      "exit with 1 where something is stuck, depends on handlers, is recreated, cascades by a tool or is refused, or more objects are deleted than 'count>N', or that cannot be ruled out; several separated by commas (repeatable)",
      (value: string, before: string | undefined) => (before === undefined ? value : `${before},${value}`),
    )
    .addHelpText('after', targetHelp + planExamples);
  program
    .command('podgc')
    .usage('[TARGET...] [flags]')
    .description('which pods PodGC will take, by which rule and when, and why not others')
    .argument('[target...]')
    .option(
      '--contexts <patterns>',
      "each of these contexts of the kubeconfig, separated by commas, with * for any part of a name: 'prod-*' (repeatable)",
      appendValue,
    )
    .addHelpText('after', podGcExamples);
  program
    .command('activity')
    .usage('[TARGET...] [flags]')
    .description(
      'what changes ownership and deletion, and why: what is being deleted now and, with -w, all that comes',
    )
    .argument('[target...]')
    .option('--what <kinds>', 'only entries of these kinds, separated by commas (repeatable)', appendValue)
    .addHelpText('after', activityExamples);
  program
    .command('wait')
    .usage('TARGET...|-f MANIFESTS --for=delete [--timeout=DURATION] [flags]')
    .description('wait until objects are deleted, and say why they are not')
    .argument('[target...]')
    .option('--for <condition>', 'what to wait for: delete')
    .option(
      '--timeout <duration>',
      'how long; the default is 30s, 0 looks once, and a negative one is a week',
    )
    .addHelpText('after', targetHelp + waitExamples);
}

function addActions(program: Command): void {
  addActionFlags(
    program
      .command('delete')
      .usage('TARGET...|-f MANIFESTS [flags]')
      .description('delete objects, after a forecast of what is deleted with them')
      .argument('[target...]')
      .option('--cascade <policy>', 'background, foreground or orphan; left out, they are compared')
      .option('--grace-period <seconds>', 'grace period of pods')
      .option('--force', 'pods without a grace period')
      .option('--now', 'pods with a grace period of one second')
      .option('--allow-stuck', 'with --yes: delete what is forecast to get stuck, too'),
  ).addHelpText('after', targetHelp + deleteExamples + actionNotes);
  addActionFlags(
    program
      .command('unblock')
      .usage('TARGET... [--remedy ID] [flags]')
      .description('list what can be done about a deletion that hangs, or do it')
      .argument('[target...]')
      .option(
        '--remedy <id>',
        'the remedy to apply: its id, its number in the list, or safe for the only safe one; left out, they are listed',
      ),
  ).addHelpText('after', targetHelp + unblockExamples + actionNotes);
  addActionFlags(
    program
      .command('undo')
      .usage('[ENTRY] [flags]')
      .description('list what was done with this tool, or take one entry of it back')
      .argument('[entry]'),
  ).addHelpText('after', undoExamples + actionNotes);
}

function addServers(program: Command): void {
  program
    .command('record')
    .usage('FILE [flags]')
    .description('write what happens to a file, until it is interrupted; --replay reads it')
    .argument('[file]')
    .option('--for <duration>', 'end by itself after 90s, 10m or 1h30m')
    .option('--force', 'overwrite the file where there is one')
    .option('--redact-names', 'replace names by pseudonyms, so that the file can be shared')
    .addHelpText('after', recordExamples);
  program
    .command('serve')
    .usage('[flags]')
    .description('a small server: findings as Prometheus metrics, and documents over HTTP')
    .argument('[target...]')
    .option('--bind-address <ip>', 'address to listen on; the default is 127.0.0.1, 0.0.0.0 is every one')
    .option('--port <port>', 'port to listen on; the default is 8443, and 8080 without TLS')
    .option('--tls-cert-file <path>', 'serving certificate, with its chain; read again when it changes')
    .option('--tls-private-key-file <path>', 'its private key')
    .option('--insecure-http', 'plain HTTP on any address, behind a proxy that has TLS')
    .option(
      '--tolerate-blind <kinds>',
      'kinds that are meant to be unseen, such as secrets: ready all the same, and told as such (repeatable)',
      appendValue,
    )
    .option(
      '--max-namespaces <number>',
      'maximum number of namespaces with their own series; the default is 100',
    )
    .option(
      '--shutdown-delay-duration <duration>',
      'goes on so long after it was asked to end, and says that it is not ready',
    )
    .addHelpText('after', serveExamples);
  program
    .command('mcp')
    .usage('[flags]')
    .description('a server for assistants: why and plan by the Model Context Protocol, over stdio, read-only')
    .argument('[target...]')
    .option(
      '--allow-context <name>',
      'a context of the kubeconfig that an assistant may ask about as well (repeatable)',
      appendValue,
    )
    .addHelpText('after', mcpExamples);
}

function addOthers(program: Command): void {
  program
    .command('demo')
    .usage('[SCENARIO] [flags]')
    .description('the screen on a built-in scenario; needs no cluster')
    .argument('[scenario]')
    .option('--list', 'print the scenarios')
    .option('--tour', 'be shown around on the screen: find what hangs, see why, free it, take that back')
    .option(
      '--compare-collectors',
      'print how the scenario ends with the collector of Kubernetes 1.5 and with that of 1.36, what differs, and why',
    )
    .option('--step', 'step through it in text, and see what the garbage collector decides')
    .option('--break <step>', 'with --step: only at an object, a kind or a decision')
    .addHelpText('after', demoExamples);
  program
    .command('schema')
    .usage('[KIND] [flags]')
    .description('list the kinds of documents that -o json prints, or print the JSON Schema of one')
    .argument('[kind]');
  program
    .command('completion')
    .usage(shells.join('|'))
    .description('print a completion script for a shell')
    .argument('[shell]')
    .addHelpText('after', completionExamples);
  program
    .command('version')
    .usage('[flags]')
    .description("print the version; with -o json or yaml the API server's too")
    .option('--client', "leave out the API server's version, and don't ask it");
}

/** Runs a command with the arguments behind its name; `screen` is the program without a command. */
export type RunCommand = (
  name: CommandName | 'screen',
  words: readonly string[],
  flags: Flags,
) => Promise<void>;

export function buildProgram(run: RunCommand): Command {
  const program = new Command('kubectl gc-tree');
  program
    .description(
      'Who owns what in a Kubernetes cluster, live: the ownership graph of the garbage collector.\n' +
        'Without a command it opens the screen, or prints the tree where output is no terminal.',
    )
    .usage('[TARGET...] [flags]\n       kubectl gc-tree COMMAND [flags]')
    .argument('[target...]')
    .configureHelp({ showGlobalOptions: true, visibleArguments: () => [] })
    .exitOverride()
    .helpCommand('help [command]', 'print the help of a command')
    .allowExcessArguments(false)
    .showSuggestionAfterError(true)
    .addHelpText('after', targetHelp + examples);
  addFlags(program);
  addAnswers(program);
  addForecasts(program);
  addActions(program);
  addServers(program);
  addOthers(program);
  program.hook('preAction', (_, command) => {
    const ignored = ignoredFlag(command);
    if (ignored !== undefined)
      throw new UsageError(
        `unknown flag for ${command.name()}: ${ignored}. See kubectl gc-tree ${command.name()} --help.`,
      );
  });
  program.action(() => run('screen', program.args, flagsOf(program)));
  for (const command of program.commands)
    command
      .action(() => run(command.name() as CommandName, command.args, flagsOf(command)))
      .copyInheritedSettings(program)
      .configureHelp(helpOf(command))
      .addHelpText('after', connectionNote(command.name()));
  return program;
}
