/**
 * Random invocations, made from the definitions of commands and flags themselves: what is added there is tried here
 * without another word. What the definitions don't say (which words make sense as the value of a flag) is a pool of
 * words per flag, and for all others one that fits none of them in particular.
 */
import type { Command, Option } from 'commander';
import fc from 'fast-check';
import { ActivityKind } from '../../../src/activity/activity-entry.ts';
import { planVerbs } from '../../../src/cli/commands/plan/request.ts';
import { shells } from '../../../src/cli/program/command-table.ts';
import { buildProgram } from '../../../src/cli/program/program.ts';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { findingCodes } from '../../../src/diagnosis/engine/codes.ts';
import type { ResourceType } from '../../../src/model/types/resource-type.ts';
import { builtInTypes } from '../../../src/source/built-in-types.ts';
import { readScenarios } from '../../../src/source/demo/scenarios.ts';
import { pathSegments } from '../../shells/names.ts';
import { consoleFor } from '../console.ts';
import { schemas } from '../documents/schema.ts';
import { fixture, oddFiles, partlyReadFolders, refusedFiles } from './odd-files.ts';

export type SignalName = 'SIGINT' | 'SIGTERM' | 'SIGHUP';

export interface Invocation {
  readonly argv: readonly string[];
  /** Where no flag names another source: a cluster that can be read, or none that can be reached. */
  readonly cluster: boolean;
  readonly terminal: boolean;
  readonly columns: number | undefined;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  /** Comes after so many milliseconds, if it is still running then. */
  readonly signal: { readonly name: SignalName; readonly after: number } | undefined;
  /** Nobody reads standard output any more after so many writes. */
  readonly readerLeavesAfter: number | undefined;
}

const scenarios = (await readScenarios()).map(({ name }) => name);

const names =
  'web web-0 web-1 api flags platform release-41 token certificate shop infra default settings'.split(' ');
const types =
  'sts statefulset pods po deploy/api deployments.v1.apps cm secret ns rs jobs cronjob pvc pv node all crd widgets roles clusterrole nosuch v1 Pod Namespace'.split(
    ' ',
  );

/** Every beginning of a type's name, and names with two letters swapped, that name no type themselves. */
export const wrongTypes: ReadonlySet<string> = new Set(
  builtInTypes
    .flatMap(({ resource, singular }) => [resource, singular])
    .flatMap(name => [...name].flatMap((_, at) => [name.slice(0, at), swapped(name, at)]))
    .filter(word => word.length > 2)
    .filter(word => !builtInTypes.some(type => typeWords(type).includes(word))),
);

function swapped(name: string, at: number): string {
  return `${name.slice(0, at)}${name.charAt(at + 1)}${name.charAt(at)}${name.slice(at + 2)}`;
}

function typeWords({ resource, singular, kind, shortNames, categories }: ResourceType): readonly string[] {
  return [resource, singular, kind.toLowerCase(), ...shortNames, ...categories];
}

const wrongType = fc.constantFrom(...wrongTypes);

const junk = [
  '',
  ' ',
  '-',
  '--',
  '/',
  '//',
  'a/b/c',
  '.',
  '..',
  'x'.repeat(300),
  '\ud800',
  '😀',
  'nul\u0000l',
];
const numbers = ['0', '1', '-1', '3', '12500', '1e9', '99999999999999999999', 'NaN', '1.5'];
const durations = ['0', '1s', '90s', '5m', '1h30m', 'soon', '-5s', '1', '10ms'];

const anything = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...names, ...types) },
  { weight: 2, arbitrary: fc.constantFrom(...junk) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(...numbers, ...durations, 'true', 'false', 'a=b', 'x,y', '/dev/null'),
  },
  { weight: 2, arbitrary: pathSegments },
);

const selectors = [
  'app=web',
  'app',
  '!app',
  'app in (web,api)',
  'app notin (web)',
  'a=',
  '=',
  'app=web,tier!=db',
  '(',
  ',',
  ' ',
  'app,',
  ',app',
];

/** What makes sense, by the option's name in the program; for all others there is `anything`. */
const pools: Readonly<Record<string, readonly string[]>> = {
  namespace: ['shop', 'infra', 'default', 'nosuch', ''],
  selector: selectors,
  contexts: ['prod-*', 'prod-eu,staging', 'staging', '*', ',', 'nosuch'],
  fieldSelector: ['metadata.name=web', 'status.phase!=Running', 'spec.nodeName=', '='],
  demo: scenarios,
  filename: oddFiles,
  replay: oddFiles,
  auditLog: oddFiles,
  at: ['-5m', '+1s', '14:02', '2026-11-21T14:02:00Z', 'soon'],
  for: [...durations, 'delete', 'delete', 'Delete', 'condition=Ready'],
  baseline: oddFiles,
  sortBy: ['name', 'kind', 'namespace', 'age', '.metadata.name', '{.metadata.creationTimestamp}'],
  bindAddress: ['127.0.0.1', '::1', 'web'],
  port: ['0', '0', '0', '-1', '70000', 'web'],
  maxNamespaces: numbers,
  history: ['/dev/null/history'],
  historySize: ['50Mi', '1Gi', '5', '50MB'],
  historyRetention: ['7d', '24h', '1m', 'soon'],
  from: ['http://127.0.0.1:1', 'nosuch', 'ftp://a', 'https://a:b@c'],
  since: ['1h', '2026-11-21T14:02:00Z', 'soon'],
  shutdownDelayDuration: ['0', '1ms', '10ms', 'soon', '-5s'],
  tolerateBlind: ['secrets', 'secrets,widgets.example.com', ','],
  cascade: ['background', 'foreground', 'orphan', 'true', 'false'],
  gracePeriod: numbers,
  terminatedPodGcThreshold: numbers,
  timeout: durations,
  requestTimeout: durations,
  verbosity: ['0', '2', '6', '10'],
  v: ['0', '2', '6', '10'],
  codes: findingCodes,
  what: ActivityKind.all,
  break: ['DeleteBackground', 'deletebackground', 'pod/web-0', 'pods', 'pod/shop/web-0', 'pod/', 'nosuch'],
  excludeCodes: findingCodes,
  failOn: ['stuck', 'recreated', 'cascades', 'refused', 'stuck,refused', 'error', 'warning', 'info', 'never'],
  remedy: [
    '1',
    '1',
    'safe',
    '0',
    '99',
    'redelete/background',
    'clear-block/pod/web-1',
    'remove-finalizer/example.com/drain',
  ],
};

const program = buildProgram(() => Promise.resolve());

/** With the program itself, which takes targets. */
const commands: readonly Command[] = [program, ...program.commands];

/** Commands that change something, and so take their time. */
const acting = new Set(['delete', 'unblock', 'undo']);

const madeUp = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.tuple(fc.constantFrom(...types), fc.constantFrom(...names)).map(each => each.join('/')),
  },
  { weight: 3, arbitrary: fc.constantFrom(...types) },
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...types), pathSegments).map(each => each.join('/')) },
  { weight: 1, arbitrary: anything },
);

const few = fc.oneof(
  { weight: 3, arbitrary: madeUp.map(each => [each]) },
  { weight: 1, arbitrary: fc.array(madeUp, { maxLength: 3 }) },
);

interface Place {
  /** The flags that name it. */
  readonly flags: readonly string[];
  /** What is there, each with the flag for its namespace. */
  readonly objects: readonly (readonly string[])[];
}

/** The objects of a source, by asking for them. */
async function placeOf(flags: readonly string[]): Promise<Place> {
  const { io, services, result } = consoleFor();
  await runCommandLine(['tree', ...flags, '-A', '-o', 'name'], io, services);
  const objects = result()
    .out.split('\n')
    .filter(line => line !== '')
    .map(line => {
      const [name = '', type = '', namespace] = line.split('/').reverse();
      return [`${type}/${name}`, ...(namespace === undefined ? [] : ['-n', namespace])];
    });
  return { flags, objects };
}

const hostile = ['hostile.json', 'cycle.yaml', 'flapping.yaml'].map(
  (name): Place => ({ flags: ['-f', name], objects: [] }),
);

const asked = [
  ...scenarios.map(name => ['--demo', name]),
  ...['all.yaml', 'dump.yaml', 'dump-folder'].map(name => ['-f', fixture(name)]),
];
const places = [...(await Promise.all(asked.map(placeOf))), ...hostile];

const targetsIn = ({ objects }: Place): fc.Arbitrary<readonly string[]> =>
  objects.length === 0
    ? few
    : fc.oneof(
        { weight: 5, arbitrary: fc.constantFrom(...objects) },
        { weight: 2, arbitrary: few },
        { weight: 1, arbitrary: fc.constant<readonly string[]>([]) },
      );

/** Now and then a word that there is no place for. */
const none = fc.oneof(
  { weight: 9, arbitrary: fc.constant<readonly string[]>([]) },
  { weight: 1, arbitrary: madeUp.map(each => [each]) },
);

type Operands = (place: Place) => fc.Arbitrary<readonly string[]>;

const operands: Readonly<Record<string, Operands>> = {
  plan: place =>
    fc.oneof(
      fc.constant([]),
      fc.tuple(fc.constantFrom(...planVerbs), targetsIn(place)).map(([verb, rest]) => [verb, ...rest]),
      fc
        .tuple(targetsIn(place), fc.constantFrom('out-of-service', 'a=b:NoExecute', 'x-'))
        .map(([rest, taint]) => ['taint', ...rest, taint]),
    ),
  demo: () => fc.array(fc.constantFrom(...scenarios, 'nosuch'), { maxLength: 1 }),
  // Nothing may be left behind, and what it writes has no end: test/cli/commands/record.test.ts records.
  record: () => fc.constantFrom(['/nowhere/a.gctree'], []),
  completion: () => fc.constantFrom(...shells, 'sh').map(each => [each]),
  schema: () => fc.array(fc.constantFrom(...schemas.map(({ title }) => title), 'pod'), { maxLength: 1 }),
  undo: () =>
    fc.array(fc.constantFrom('2', '2026', 'last', '', '20261121T101500Z-4f1a2b', 'nosuch'), { maxLength: 1 }),
};

function wordsOf(option: Option, command: Command): fc.Arbitrary<string> {
  const choices = program.options.find(({ long }) => long === option.long)?.argChoices ?? option.argChoices;
  const pool = choices ?? pools[option.attributeName()];
  if (pool === undefined) return anything;
  const help = command.createHelp().optionDescription(option);
  // Of formats the help of a command names those that it takes; what has a schema is tried more.
  const named = choices?.filter(word => new RegExp(`\\b${word}\\b`, 'u').test(help)) ?? [];
  const documents = named.filter(word => word === 'json' || word === 'yaml');
  return fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...pool) },
    {
      weight: 30,
      arbitrary: fc.constantFrom(
        ...(named.length > 0 ? named : pool),
        ...documents,
        ...documents,
        ...documents,
      ),
    },
    { weight: 1, arbitrary: anything },
  );
}

function spelt(option: Option, command: Command): fc.Arbitrary<readonly string[]> {
  const { long, short } = option;
  const flag = fc.constantFrom(...[long, short].filter(each => each !== undefined));
  if (!option.required && !option.optional)
    return fc.tuple(flag, fc.constantFrom('', '', '', '=true', '=false')).map(each => [each.join('')]);
  return fc
    .tuple(flag, wordsOf(option, command), fc.boolean())
    .map(([name, value, joined]) => (joined ? [`${name}=${value}`] : [name, value]));
}

/** Mostly flags that the command's help shows. */
function flagsFor(command: Command): fc.Arbitrary<readonly string[]> {
  const help = command.createHelp();
  const shown = [...help.visibleOptions(command), ...help.visibleGlobalOptions(command)].filter(
    ({ long }) => long !== '--help',
  );
  const shared = program.options;
  const one = fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...(shown.length > 0 ? shown : shared)) },
    { weight: 9, arbitrary: fc.constantFrom(...(command.options.length > 0 ? command.options : shared)) },
    { weight: 2, arbitrary: fc.constantFrom(...shared, ...command.options) },
    { weight: 1, arbitrary: fc.constant(undefined) },
  );
  const flag = one.chain(option => (option === undefined ? fc.constant(['--help']) : spelt(option, command)));
  const some = fc.oneof(
    { weight: 3, arbitrary: fc.constant<readonly (readonly string[])[]>([]) },
    { weight: 3, arbitrary: flag.map(each => [each]) },
    { weight: 2, arbitrary: fc.array(flag, { minLength: 2, maxLength: 4 }) },
  );
  const output = shown.find(({ long }) => long === '--output');
  const format =
    output === undefined
      ? fc.constant<readonly string[]>([])
      : fc.option(spelt(output, command), { nil: [] as readonly string[], freq: 3 });
  return fc.tuple(some, format).map(([flags, last]) => [...flags.flat(), ...last]);
}

const nowhere: Place = { flags: [], objects: [] };

const trackedViews = fc.constantFrom(...places.filter(({ flags }) => flags.includes('--demo')));

const sources: fc.Arbitrary<Place> = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...places) },
  { weight: 3, arbitrary: fc.constantFrom(...oddFiles).map(file => ({ flags: ['-f', file], objects: [] })) },
  { weight: 2, arbitrary: fc.constant(nowhere) },
);

/** Long enough for what ends by itself; what acts or watches may go on for minutes. */
function signalFor(argv: readonly string[]): fc.Arbitrary<Invocation['signal']> {
  const names: readonly SignalName[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  const watches =
    argv.some(word => /^(?:-w|--watch)(?:=true)?$/u.test(word)) ||
    argv.includes('serve') ||
    argv.includes('mcp') ||
    argv.includes('wait');
  const acts = argv.some(word => acting.has(word));
  if (!watches && !acts) return fc.constant(undefined);
  const after = watches ? fc.integer({ min: 5, max: 400 }) : fc.constant(2_500);
  return fc.record({ name: fc.constantFrom(...names), after });
}

const demos = places.filter(({ flags, objects }) => flags.includes('--demo') && objects.length > 0);

/** Command lines that are right but for one word, or lack the one that says what is meant. */
const slips: fc.Arbitrary<readonly string[]> = fc
  .record({
    place: fc.constantFrom(...demos),
    at: fc.nat(),
    wrong: wrongType,
    command: fc.constantFrom('delete', 'delete', 'tree', 'check', 'why', 'plan delete'),
    remedy: fc.constantFrom('1', '1', '2', 'safe', '0', '99'),
    entry: fc.constantFrom([], [''], ['2'], ['2026'], ['last']),
    selector: fc.constantFrom(',', ' ,', 'app,', ',app'),
  })
  .chain(({ place, at, wrong, command, remedy, entry, selector }) => {
    const verbs = command.split(' ');
    const yes = command === 'delete' ? ['--yes'] : [];
    const object = place.objects[at % place.objects.length] ?? [];
    return fc
      .constantFrom<readonly string[]>(
        [...verbs, wrong, '--all', ...yes],
        [...verbs, `${wrong},cm`, '--all', ...yes],
        [...verbs, 'cm', '-l', selector, ...yes],
        ['unblock', ...object, '--yes'],
        ['unblock', ...object, '--yes', '--remedy', remedy],
        ['plan', 'unblock', ...object, '--remedy', remedy],
        ['undo', ...entry, '--yes'],
      )
      .map(words => [...words, ...place.flags]);
  });

/** Words for one of the commands; `only` takes the place of all other sources. */
const argvOf = (some: readonly Command[], only?: fc.Arbitrary<Place>): fc.Arbitrary<readonly string[]> =>
  fc.constantFrom(...some).chain(command => {
    const name = command === program ? [] : [command.name()];
    const shown = new Set(
      [...command.createHelp().visibleGlobalOptions(command), ...command.options].map(({ long }) => long),
    );
    const chosen = (flag: string): fc.Arbitrary<readonly string[]> =>
      shown.has(flag) ? fc.constantFrom<readonly string[]>([], [flag]) : fc.constant([]);
    const words =
      command.registeredArguments.length === 0 ? () => none : (operands[command.name()] ?? targetsIn);
    const from = acting.has(command.name()) ? trackedViews : sources;
    return (
      only ?? (shown.has('--demo') ? fc.oneof({ weight: 6, arbitrary: from }, sources) : fc.constant(nowhere))
    ).chain(place =>
      fc
        .tuple(
          words(place),
          chosen('--all-namespaces'),
          chosen('--yes'),
          chosen('--watch'),
          flagsFor(command),
          fc.boolean(),
          fc.nat(7),
        )
        .map(([rest, scope, yes, watch, flags, flagsFirst, index]) => {
          const often = [...(rest.length > 0 && index > 1 ? [] : scope), ...yes, ...(index > 2 ? [] : watch)];
          const others = [...place.flags, ...often, ...flags];
          return flagsFirst ? [...name, ...others, ...rest] : [...name, ...rest, ...others];
        }),
    );
  });

const invocationOf = (argvs: fc.Arbitrary<readonly string[]>): fc.Arbitrary<Invocation> =>
  argvs.chain(argv =>
    fc.record({
      argv: fc.constant(argv),
      cluster: fc.boolean(),
      terminal: fc.boolean(),
      columns: fc.constantFrom(undefined, 1, 40, 80, 200),
      env: fc.constantFrom<Readonly<Record<string, string>>>(
        {},
        {},
        { NO_COLOR: '1' },
        { LC_ALL: 'C' },
        { GC_TREE_READ_ONLY: '1' },
      ),
      stdin: fc.constantFrom(
        '',
        'y\n',
        'web\n',
        '1\ny\n',
        'background\nrelease-41\n',
        'kind: Pod\nmetadata: {name: a}\n',
      ),
      signal: signalFor(argv),
      readerLeavesAfter: fc.oneof(
        { weight: 30, arbitrary: fc.constant(undefined) },
        { weight: 1, arbitrary: fc.integer({ min: 0, max: 3 }) },
      ),
    }),
  );

export const invocations = invocationOf(
  fc.oneof({ weight: 14, arbitrary: argvOf(commands) }, { weight: 1, arbitrary: slips }),
);

const reading = commands.filter(command =>
  ['tree', 'check', 'why', 'plan', 'podgc'].includes(command.name()),
);
const unreadFiles = [...refusedFiles, ...partlyReadFolders.map(({ folder }) => folder)];

/** On files that kubectl refuses, and on folders of which something is left out. */
export const onUnreadFiles = invocationOf(
  argvOf(
    reading,
    fc.constantFrom(...unreadFiles).map(file => ({ flags: ['-f', file], objects: [] })),
  ),
).map((invocation): Invocation => ({ ...invocation, columns: undefined, readerLeavesAfter: undefined }));
