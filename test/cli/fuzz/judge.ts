/** What must hold of every invocation, whatever it was. */
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parseAllDocuments } from 'yaml';
import { normaliseArgv } from '../../../src/cli/program/argv.ts';
import { buildProgram } from '../../../src/cli/program/program.ts';
import type { Flags } from '../../../src/cli/runtime/flags.ts';
import { carelessText } from '../../text/careless-text.ts';
import { schemas } from '../documents/schema.ts';
import { type Invocation, wrongTypes } from './invocation.ts';
import { partlyReadFolders, refusedFiles } from './odd-files.ts';

export interface Outcome {
  readonly exitCode: number;
  readonly out: string;
  readonly err: string;
  readonly milliseconds: number;
}

export const MOST_MILLISECONDS = 10_000;
/** After a signal only what is under way is ended. */
const MOST_AFTER_SIGNAL = 3_000;

const ajv = new Ajv2020({ strict: false });
const validators = new Map(schemas.map(schema => [schema.title, ajv.compile(schema)]));

const signalCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;

/** Whether a fault may be another's, or the machine's: then it has to come again where the invocation runs alone. */
export function mayBeOthers(fault: string): boolean {
  return /^(?:took |exit code NaN)/u.test(fault);
}

/** The first thing that is wrong, in words; undefined where nothing is. */
export function faultOf(invocation: Invocation, outcome: Outcome): string | undefined {
  return (
    wrongExit(invocation, outcome) ??
    takenForAnother(invocation, outcome) ??
    tooSlow(invocation, outcome) ??
    internals(invocation, outcome) ??
    rawText(invocation, outcome) ??
    careless(invocation, outcome) ??
    passedOver(invocation, outcome) ??
    wrongStreams(invocation, outcome) ??
    invalidDocument(invocation, outcome)
  );
}

function wrongExit(
  { signal, readerLeavesAfter }: Invocation,
  { exitCode, err }: Outcome,
): string | undefined {
  const allowed: number[] = [0, 1, 2];
  if (signal !== undefined) allowed.push(signalCodes[signal.name]);
  if (readerLeavesAfter !== undefined) allowed.push(141);
  return allowed.includes(exitCode) ? undefined : `exit code ${exitCode}: ${err.slice(0, 500)}`;
}

interface Parsed {
  readonly name: string;
  readonly words: readonly string[];
  readonly flags: Flags;
}

/** Undefined where a command line is refused before any command runs. */
function parsed(argv: readonly string[]): Parsed | undefined {
  let found: Parsed | undefined;
  const program = buildProgram((name, words, flags) => {
    found = { name, words, flags };
    return Promise.resolve();
  });
  for (const command of [program, ...program.commands])
    command.configureOutput({ writeOut: () => {}, writeErr: () => {} });
  try {
    program.parse(normaliseArgv(program, argv), { from: 'user' });
  } catch {
    return undefined;
  }
  return found;
}

/** Commands whose words are targets; those behind the verb of `plan`. */
const targeted = new Set(['tree', 'why', 'check', 'podgc', 'delete', 'unblock']);

/** Why kubectl, or whoever is asked to confirm, would refuse it; undefined where it may be taken. */
function toBeRefused({ name, words, flags }: Parsed): string | undefined {
  const isTargeted = targeted.has(name) || (name === 'plan' && /^(?:delete|unblock)$/u.test(words[0] ?? ''));
  const targets = name === 'plan' ? words.slice(1) : words;
  const [first = ''] = targets;
  const types = targets.some(word => word.includes('/'))
    ? targets.map(word => word.split('/')[0] ?? '')
    : first.split(',');
  const wrong = types.find(word => wrongTypes.has(word));
  if (isTargeted && wrong !== undefined) return `${wrong} is no type`;
  const hasEmptyPart = /^\s*,|,\s*$/u.test(flags.selector ?? '');
  if (isTargeted && hasEmptyPart) return `the selector ${flags.selector} has an empty part`;
  if (flags.yes !== true) return undefined;
  if (name === 'unblock' && flags.remedy === undefined) return '--yes has no remedy';
  if (name === 'undo' && first === '') return '--yes has no entry';
  return name === 'undo' && first !== 'last' && first.length < 8
    ? 'the entry is a few characters'
    : undefined;
}

/** What stands for nothing exits with 2 and changes nothing; and what a number stood for is told. */
function takenForAnother({ argv, signal }: Invocation, { exitCode, out, err }: Outcome): string | undefined {
  const command = parsed(argv);
  const isCutShort = exitCode === 141 || (signal !== undefined && exitCode === signalCodes[signal.name]);
  if (command === undefined || isCutShort) return undefined;
  const why = toBeRefused(command);
  if (why !== undefined && exitCode !== 2)
    return `${why}, and it exits with ${exitCode}: ${out.slice(0, 300)}`;
  if (why !== undefined && /^As forecast|"?state"?: "?answered/mu.test(out))
    return `${why}, and something was changed: ${out.slice(0, 300)}`;
  const { name, words, flags } = command;
  const unblocks = name === 'unblock' || (name === 'plan' && words[0] === 'unblock');
  if (unblocks && exitCode === 0 && out !== '' && /^(?:\d+|safe)$/u.test(flags.remedy ?? '')) {
    if (!err.includes(`--remedy ${flags.remedy} is `)) return `doesn't tell what ${flags.remedy} stood for`;
  }
  return undefined;
}

function tooSlow({ signal }: Invocation, { milliseconds }: Outcome): string | undefined {
  const most =
    signal === undefined ? MOST_MILLISECONDS : Math.min(MOST_MILLISECONDS, signal.after + MOST_AFTER_SIGNAL);
  return milliseconds > most ? `took ${Math.round(milliseconds)} ms of ${most}` : undefined;
}

/** What only a defect says. */
function internals({ argv, columns }: Invocation, { out, err }: Outcome): string | undefined {
  const isVerbose = argv.some(word => /^(?:-v|--v|--verbosity)/u.test(word));
  const trace = /^\s+at .+[:(]\d+/mu.exec(err);
  if (trace !== null && !isVerbose) return `a stack trace: ${err.slice(0, 1000)}`;
  const leak =
    /\b(?:TypeError|RangeError|ReferenceError|SyntaxError)\b|Cannot read propert|is not a function|is not iterable|\[object Object\]|Maximum call stack|\bundefined\b/u.exec(
      `${out}\n${err}`,
    );
  if (leak !== null && !argv.some(word => word.includes(leak[0])))
    return `says ${leak[0]}: ${err.slice(0, 500)}`;
  // A terminal folds them into its width.
  if (isVerbose || columns !== undefined) return undefined;
  const last = err.slice(Math.max(0, err.lastIndexOf('kubectl gc-tree: '))).trimEnd();
  const lines = last.split('\n').length;
  if (last.startsWith('kubectl gc-tree: ') && lines > 2)
    return `an error of ${lines} lines: ${last.slice(0, 500)}`;
  return undefined;
}

// Controls but line breaks, what turns the direction of text, line separators, and halves of characters.
const raw = /[^\P{Cc}\n]|[\u2028-\u202e\u2066-\u2069]|\p{Cs}/u;
const ESCAPE = '\u001b';
const colour = new RegExp(`${ESCAPE}\\[[0-9;]*m`, 'gu');

function rawText(_: Invocation, { out, err }: Outcome): string | undefined {
  for (const [stream, text] of [
    ['standard output', out],
    ['standard error', err],
  ] as const) {
    const plain = text.replace(colour, '');
    const found = raw.exec(plain);
    if (found !== null) {
      const around = plain.slice(Math.max(0, found.index - 60), found.index + 60);
      return `${stream} has a raw ${JSON.stringify(found[0])}: ${JSON.stringify(around)}`;
    }
    if (text.includes(`${ESCAPE}[31mred`)) return `${stream} has somebody else's colours`;
  }
  return undefined;
}

/** What the product says itself, line by line; documents carry texts of others. */
function careless({ argv, columns }: Invocation, { out, err }: Outcome): string | undefined {
  // Schemas, scripts, a help whose examples have columns, and lines that a narrow terminal folds.
  if (columns !== undefined || argv.some(word => /^(?:schema|completion|--help|-h|help)/u.test(word)))
    return undefined;
  const format = formatOf(argv) ?? 'text';
  const lines = `${/^(?:text|wide)$/u.test(format) ? out : ''}\n${err}`.replace(colour, '').split('\n');
  for (const line of lines) {
    const fault = carelessText(line);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** Files that kubectl refuses are refused; those that are left out of a folder are named. */
function passedOver(
  { argv, signal, readerLeavesAfter, columns }: Invocation,
  { exitCode, out, err }: Outcome,
): string | undefined {
  if (exitCode === 2 || signal !== undefined || readerLeavesAfter !== undefined || columns !== undefined)
    return undefined;
  if (!/^(?:tree|check|why|plan|podgc)$/u.test(argv[0] ?? '')) return undefined;
  if (argv.some(word => /^(?:--help|-h$|--demo|--replay|--)$|^--(?:help|demo|replay)=/u.test(word)))
    return undefined;
  const files = argv.flatMap((word, index) => (word === '-f' ? [argv[index + 1] ?? ''] : []));
  const refused = files.find(file => refusedFiles.includes(file));
  if (refused !== undefined) return `exit code ${exitCode} with ${refused}, which kubectl refuses`;
  const hasBasis = /^(?:json|yaml)$/u.test(formatOf(argv) ?? '') && /^ +"?blindSpots"?:/mu.test(out);
  const said = hasBasis ? out : `${out}\n${err}`;
  const silent = partlyReadFolders.find(
    ({ folder, leftOut }) => files.includes(folder) && !said.includes(leftOut),
  );
  return silent && `${silent.leftOut} is left out, and not named: ${said.slice(0, 300)}`;
}

function wrongStreams(
  { argv, readerLeavesAfter }: Invocation,
  { exitCode, out, err }: Outcome,
): string | undefined {
  if (exitCode !== 2) return undefined;
  if (err === '') return 'exit code 2, and nothing on standard error';
  // An action has a document however it ends, the text of its forecast stands above the question, and a watch has told
  // something before it failed.
  const format = formatOf(argv) ?? 'text';
  const told = argv.some(
    word =>
      /^(?:-w|--watch)/u.test(word) ||
      // One context that cannot be read is a row among the others.
      word.startsWith('--contexts') ||
      // As kubectl does, it says its own before it asks the API server for that one's.
      (word === 'version' && /^(?:json|yaml)$/u.test(format)) ||
      (/^(?:delete|unblock|undo)$/u.test(word) && /^(?:text|wide|json|yaml)$/u.test(format)),
  );
  if (out !== '' && readerLeavesAfter === undefined && !told)
    return `exit code 2, and on standard output: ${out.slice(0, 300)}`;
  return undefined;
}

/** `-o` where it is given once; several are for commander to choose from. */
function formatOf(argv: readonly string[]): string | undefined {
  const formats = argv.flatMap((word, index) => {
    const [, joined] = /^(?:-o|--output)=?(.*)$/su.exec(word) ?? [];
    if (joined === undefined) return [];
    return joined === '' ? [argv[index + 1] ?? ''] : [joined];
  });
  return formats.length === 1 ? formats[0] : undefined;
}

function invalidDocument(
  { argv, readerLeavesAfter }: Invocation,
  { exitCode, out }: Outcome,
): string | undefined {
  const format = formatOf(argv);
  if ((format !== 'json' && format !== 'yaml') || out === '' || readerLeavesAfter !== undefined)
    return undefined;
  if (argv.some(word => /^(?:--help|-h|help|completion)/u.test(word))) return undefined;
  let documents: readonly unknown[];
  try {
    documents = format === 'json' ? jsonDocuments(out) : yamlDocuments(out);
  } catch (error) {
    return `no ${format}: ${error instanceof Error ? error.message : String(error)}: ${out.slice(0, 300)}`;
  }
  for (const document of documents) {
    const fault = documentFault(document, exitCode);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

/** A watch prints one after the other; activity prints each on a line. */
function jsonDocuments(out: string): readonly unknown[] {
  if (out.startsWith('{"'))
    return out
      .split('\n')
      .filter(line => line !== '')
      .map(line => JSON.parse(line) as unknown);
  return out.split(/(?<=^\})\n(?=\{)/mu).map(text => JSON.parse(text) as unknown);
}

function yamlDocuments(out: string): readonly unknown[] {
  return parseAllDocuments(out).map(document => {
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return document.toJS({ maxAliasCount: 0 }) as unknown;
  });
}

function documentFault(document: unknown, exitCode: number): string | undefined {
  if (typeof document !== 'object' || document === null) return `no document: ${JSON.stringify(document)}`;
  const { kind, exit } = document as { readonly kind?: unknown; readonly exit?: { readonly code?: unknown } };
  // A schema, the versions, and the reports of other standards are none of ours.
  if (typeof kind !== 'string')
    return '$id' in document || 'clientVersion' in document ? undefined : 'a document without a kind';
  const validate = validators.get(kind);
  if (validate === undefined) return `no schema of ${kind}`;
  if (!validate(document)) return `not valid as ${kind}: ${ajv.errorsText(validate.errors)}`;
  if (kind === 'ActionResult' && exit?.code !== exitCode)
    return `says exit code ${String(exit?.code)}, and is ${exitCode}`;
  return undefined;
}
