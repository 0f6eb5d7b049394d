/** The flags that several commands take, in the groups of `help flags`. */
import type { Option } from 'commander';
import {
  colourModes,
  parseServerVersion,
  parseSortKey,
  parseThreshold,
  parseVerbosity,
} from '../runtime/flags.ts';
import { outputFormats, parseOutput } from '../runtime/output-formats.ts';
import { appendFiles, flag, listFlag } from './option.ts';

const scope = [
  flag('-n, --namespace <name>', "namespace; the default is the context's"),
  flag(
    '-A, --all-namespaces',
    'every namespace and all cluster-scoped objects; with -n they are read as well',
  ),
  flag('-l, --selector <labels>', 'only objects with these labels: app=web,tier!=db,env in (a,b)'),
  flag(
    '--field-selector <fields>',
    'only objects with these fields: status.phase!=Running,spec.nodeName=node-1',
  ),
  flag('--all', 'every object of the given types'),
  flag('--ignore-not-found', 'leave out names that are not found'),
  flag('--fail-on-empty', 'exit with 1 if nothing is selected'),
  flag('--fail-on-incomplete', 'exit with 1 if something could not be seen'),
];

const sources = [
  flag(
    '-f, --filename <path>',
    'read manifests, kubectl output or a dump: files, folders or -, as a,b (repeatable)',
  ).argParser(appendFiles),
  flag('-k, --kustomize <folder>', 'read what kubectl kustomize builds from this folder'),
  flag('--closed-world', "with -f: an owner that isn't in the files doesn't exist"),
  flag('--strict', 'with -f: fail if a file in a folder cannot be read'),
  flag('--demo <name>', 'read a built-in scenario'),
  flag('--replay <file>', 'read a recording, as record writes it'),
  flag(
    '--at <time>',
    'with --replay: the moment, such as 2026-11-21T14:02:00Z, 14:02, or -5m from the end; the default is the end',
  ),
  flag(
    '--server-version <version>',
    'with -f, -k or --demo: the version of the server, such as 1.29',
  ).argParser(parseServerVersion),
];

const output = [
  flag(
    '-o, --output <format>',
    'format, listed in the help of a command, custom-columns=NAME:.path or jsonpath={.path}',
  )
    .choices(outputFormats)
    .argParser(parseOutput),
  flag('-w, --watch', 'after the first answer, print changes as they come'),
  flag('--sort-by <key>', 'order of siblings: name, kind, namespace or age').argParser(parseSortKey),
  flag('--no-headers', 'no line of column titles'),
  flag('--show-labels', 'add a column with the labels'),
  listFlag('-L, --label-columns <labels>', 'add columns with these labels: app,tier'),
  flag('--color <when>', 'auto (default), always or never; auto also respects NO_COLOR')
    .choices(colourModes)
    .default('auto'),
  flag('--ascii', 'no characters beyond ASCII'),
  flag('--screen-reader', 'plain text in reading order on the screen'),
  flag('--read-only', 'refuse every change (also GC_TREE_READ_ONLY=1)'),
];

const connection = [
  flag('--kubeconfig <path>', 'kubeconfig file'),
  flag('--context <name>', 'context of the kubeconfig'),
  flag('--cluster <name>', 'cluster of the kubeconfig'),
  flag('--user <name>', 'user of the kubeconfig'),
  flag('-s, --server <url>', 'address of the API server'),
  flag('--token <token>', 'bearer token'),
  flag('--as <user>', 'act as this user'),
  listFlag('--as-group <group>', 'act as this group (repeatable)'),
  flag('--as-uid <uid>', 'act as this uid'),
  listFlag('--as-user-extra <key=value>', 'act with this extra value (repeatable)'),
  flag('--client-certificate <path>', 'certificate to log in with'),
  flag('--client-key <path>', 'private key of that certificate'),
  flag('--certificate-authority <path>', "certificate authority of the server's certificate"),
  flag('--insecure-skip-tls-verify', "don't check the server's certificate"),
  flag('--tls-server-name <name>', "name in the server's certificate"),
  flag('--disable-compression', 'ask for no compressed answers'),
  flag(
    '--request-timeout <duration>',
    'timeout per request, such as 5s (0: none; default 40s, none for lists)',
  ),
  flag('--cache-dir <path>', "folder of kubectl's discovery cache"),
  flag('--kuberc <path>', "kubectl's preferences file, which says what credential plugins may run"),
];

const other = [
  flag(
    '--terminated-pod-gc-threshold <pods>',
    'how many finished pods kube-controller-manager keeps; the default is 12500',
  ).argParser(parseThreshold),
  listFlag(
    '--catalogue <path>',
    'your own finalizers and who removes them (repeatable); see docs/finalizers.md',
  ),
  flag('-v, --verbosity <level>', 'more detail; 6 adds requests and stack traces')
    .argParser(parseVerbosity)
    .default(0),
  flag('--v <level>', 'as kubectl has it').argParser(parseVerbosity).hideHelp(),
];

export const sharedFlags: readonly (readonly [heading: string, flags: readonly Option[]])[] = [
  ['What to show:', scope],
  ['Where objects come from, in place of a cluster:', sources],
  ['Output:', output],
  ['Connection, as in kubectl:', connection],
  ['Other:', other],
];
