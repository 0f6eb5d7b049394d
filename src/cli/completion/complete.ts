/**
 * What could stand at the cursor. kubectl runs `kubectl_complete-gc_tree` with the words so far, the last of
 * them being completed, and reads cobra's answer: candidates, then `:` and a directive (cobra completions.go).
 */
import type { Command, Option } from 'commander';
import { findingCodes } from '../../diagnosis/codes.ts';
import { cascades } from '../../forecast/action.ts';
import { meaningOf } from '../../text/code-words.ts';
import { sanitise } from '../../text/sanitise.ts';
import { normaliseArgv } from '../argv.ts';
import type { Deps } from '../deps.ts';
import { type Flags, failConditions } from '../flags.ts';
import type { Io } from '../io.ts';
import { Output } from '../output.ts';
import { planVerbs } from '../plan-request.ts';
import { isTaint, SHORT_TAINT } from '../plan-taint.ts';
import { buildProgram, shells } from '../program.ts';
import { readBashLine } from './bash-line.ts';
import { clusterWords } from './cluster-words.ts';
import { type Asker, insertion } from './offered.ts';

/** Directives of cobra that are in use; they add up. */
const NO_SPACE = 2;
const NO_FILES = 4;
const FILES = 0;

export interface Candidate {
  readonly word: string;
  readonly description?: string;
}

export interface Answer {
  readonly candidates: readonly Candidate[];
  readonly directive: number;
}

const repeatable: ReadonlySet<string> = new Set(['asGroup', 'codes', 'excludeCodes', 'filename']);

const none: Answer = { candidates: [], directive: NO_FILES };

/** The words before the cursor, taken apart. */
interface Line {
  readonly command: Command;
  /** Arguments that aren't flags, without the command's name. */
  readonly operands: readonly string[];
  /** The flag whose value is being completed. */
  readonly pending: Option | undefined;
  readonly flags: Flags;
}

function findOption(commands: readonly Command[], word: string): Option | undefined {
  for (const command of commands)
    for (const option of command.options) if (option.short === word || option.long === word) return option;
  return undefined;
}

const unused = (): Promise<number> => Promise.resolve(0);

function readLine(before: readonly string[]): Line {
  const program = buildProgram(
    {
      interactive: unused,
      tree: unused,
      why: unused,
      check: unused,
      plan: unused,
      podgc: unused,
      delete: unused,
      unblock: unused,
      undo: unused,
      demo: unused,
      schema: unused,
      version: unused,
      completion: unused,
    },
    () => {},
  );
  let command = program;
  const operands: string[] = [];
  const values: Record<string, unknown> = {};
  let pending: Option | undefined;
  for (const word of normaliseArgv(program, before)) {
    if (pending !== undefined) {
      values[pending.attributeName()] = valueOf(pending, word, values);
      pending = undefined;
    } else if (word.startsWith('-')) {
      const [name = '', inline] = word.split(/=(.*)/su);
      const option = findOption([program, command], name);
      if (option === undefined) continue;
      if (option.isBoolean() || option.negate) values[option.attributeName()] = !option.negate;
      else if (inline === undefined) pending = option;
      else values[option.attributeName()] = valueOf(option, inline, values);
    } else {
      const sub = command === program && operands.length === 0 ? subcommand(program, word) : undefined;
      if (sub === undefined) operands.push(word);
      else command = sub;
    }
  }
  return {
    command,
    operands,
    pending,
    flags: { headers: true, color: 'auto', verbosity: 0, ...values },
  };
}

/** Of a repeatable flag a list with this word. */
function valueOf(option: Option, word: string, values: Readonly<Record<string, unknown>>): unknown {
  const name = option.attributeName();
  if (!repeatable.has(name)) return word;
  const before = values[name];
  return [...(Array.isArray(before) ? before : []), word];
}

function subcommand(program: Command, word: string): Command | undefined {
  return program.commands.find(each => each.name() === word);
}

function words(list: readonly string[]): Candidate[] {
  return list.map(word => ({ word }));
}

function flagNames(line: Line): Answer {
  const commands = line.command.parent === null ? [line.command] : [line.command.parent, line.command];
  const candidates = commands
    .flatMap(command => command.options)
    .filter(option => !option.hidden && option.long !== undefined)
    .map(option => ({ word: option.long ?? '', description: option.description }));
  return {
    candidates: [...candidates, { word: '--help', description: 'this help' }],
    directive: NO_FILES,
  };
}

async function flagValues(option: Option, line: Line, io: Io, deps: Deps): Promise<Answer> {
  if (option.argChoices !== undefined) return { candidates: words(option.argChoices), directive: NO_FILES };
  switch (option.attributeName()) {
    case 'kubeconfig':
    case 'filename':
    case 'certificateAuthority':
    case 'cacheDir':
    case 'clientCertificate':
    case 'clientKey':
      return { candidates: [], directive: FILES };
    case 'cascade':
      return { candidates: words(cascades), directive: NO_FILES };
    case 'remedy': {
      const { remedyWords } = await import('./act-words.ts');
      const targets = line.command.name() === 'plan' ? line.operands.slice(1) : line.operands;
      return { candidates: await remedyWords(targets, line.flags, io, deps), directive: NO_FILES };
    }
    case 'codes':
    case 'excludeCodes':
      return {
        candidates: findingCodes.map(word => ({ word, description: meaningOf(word) })),
        directive: NO_FILES,
      };
    case 'failOn':
      return { candidates: words(failConditions), directive: NO_FILES };
    case 'sortBy':
      return { candidates: words(['name', 'kind', 'namespace', 'age']), directive: NO_FILES };
    case 'demo':
      return { candidates: await scenarioWords(), directive: NO_FILES };
    case 'namespace': {
      const { names } = await clusterWords(line.flags, io, deps, 'namespaces');
      return { candidates: words(names), directive: NO_FILES };
    }
    case 'context':
    case 'cluster':
    case 'user': {
      const known = await deps.kubeconfigNames?.(line.flags, io);
      const list = { context: known?.contexts, cluster: known?.clusters, user: known?.users };
      const key = option.attributeName() as keyof typeof list;
      return { candidates: words(list[key] ?? []), directive: NO_FILES };
    }
    default:
      return none;
  }
}

async function scenarioWords(): Promise<Candidate[]> {
  const { readScenarios } = await import('../../source/demo/scenarios.ts');
  return (await readScenarios()).map(({ name, title }) => ({ word: name, description: title }));
}

function commandWords(line: Line): Candidate[] {
  return line.command.commands.map(command => ({
    word: command.name(),
    description: command.description(),
  }));
}

/** Types, or names once a type is known: `sts/`, `sts w`. */
async function targetWords(line: Line, current: string, io: Io, deps: Deps): Promise<Answer> {
  const slash = current.indexOf('/');
  const type = slash >= 0 ? current.slice(0, slash) : line.operands[0];
  if (type === undefined) {
    // Commands are known without a cluster.
    const commands = line.command.parent === null ? commandWords(line) : [];
    const types = await clusterWords(line.flags, io, deps, undefined).then(
      found => found.types,
      () => [],
    );
    return { candidates: [...commands, ...types], directive: NO_FILES };
  }
  if (slash < 0 && type.includes('/')) {
    const { types } = await clusterWords(line.flags, io, deps, undefined);
    const open = types.map(({ word }) => ({ word: `${word}/` }));
    return { candidates: open, directive: NO_FILES + NO_SPACE };
  }
  const { names } = await clusterWords(line.flags, io, deps, type);
  const taken = slash >= 0 ? [] : line.operands.slice(1);
  // As a word of its own one with a dash would be a flag, and one with a slash a target.
  const candidates = names
    .filter(name => !taken.includes(name) && !name.includes('/') && (slash >= 0 || !name.startsWith('-')))
    .map(name => (slash >= 0 ? `${type}/${name}` : name));
  return { candidates: words(candidates), directive: NO_FILES };
}

/** A node, then more of them or the taint that ends the list. */
async function taintWords(line: Line, io: Io, deps: Deps): Promise<Answer> {
  if (line.operands.some(isTaint)) return none;
  const taken = new Set(line.operands);
  const { names } = await clusterWords(line.flags, io, deps, 'nodes');
  // `nodes NAME...` as kubectl has it, or `node/NAME...`.
  const isSlashed = line.operands[0]?.includes('/') ?? true;
  const nodes = names.map(name => (isSlashed ? `node/${name}` : name)).filter(word => !taken.has(word));
  return { candidates: words(taken.size === 0 ? nodes : [SHORT_TAINT, ...nodes]), directive: NO_FILES };
}

/** Candidates for the last of `argv`, the words behind the program's name. Not yet narrowed to its prefix. */
export async function candidates(argv: readonly string[], io: Io, deps: Deps): Promise<Answer> {
  const current = argv.at(-1) ?? '';
  const line = readLine(argv.slice(0, -1));
  if (line.pending !== undefined) return flagValues(line.pending, line, io, deps);
  const inline = /^(--[a-z-]+)=/u.exec(current)?.[1];
  if (inline !== undefined) {
    const option = findOption(
      [line.command, ...(line.command.parent === null ? [] : [line.command.parent])],
      inline,
    );
    if (option === undefined) return none;
    const answer = await flagValues(option, line, io, deps);
    return {
      ...answer,
      candidates: answer.candidates.map(each => ({ ...each, word: `${inline}=${each.word}` })),
    };
  }
  if (current.startsWith('-')) return flagNames(line);
  switch (line.command.name()) {
    case 'completion':
      return line.operands.length === 0 ? { candidates: words(shells), directive: NO_FILES } : none;
    case 'demo':
      return line.operands.length === 0 ? { candidates: await scenarioWords(), directive: NO_FILES } : none;
    case 'schema': {
      if (line.operands.length > 0) return none;
      const { schemaKinds } = await import('../schema.ts');
      return { candidates: words(schemaKinds()), directive: NO_FILES };
    }
    case 'version':
      return none;
    case 'undo': {
      if (line.operands.length > 0) return none;
      const { entryWords } = await import('./act-words.ts');
      return { candidates: await entryWords(line.flags, io), directive: NO_FILES };
    }
    case 'plan': {
      const [verb, ...targets] = line.operands;
      if (verb === undefined) return { candidates: words(planVerbs), directive: NO_FILES };
      if (verb === 'restart') return none;
      if (verb === 'taint') return taintWords({ ...line, operands: targets }, io, deps);
      return targetWords({ ...line, operands: targets }, current, io, deps);
    }
    default:
      return targetWords(line, current, io, deps);
  }
}

/**
 * Answers kubectl, or the script of `completion` whose shell `GC_TREE_COMPLETE` names. Never fails: somebody who
 * presses Tab wants words, not messages. Resolves with the exit code 0.
 */
export async function complete(argv: readonly string[], io: Io, deps: Deps): Promise<number> {
  const output = new Output(io.stdout);
  const asked = questionOf(argv, io.env['GC_TREE_COMPLETE']);
  const answer = asked === undefined ? none : await candidates(asked.words, io, deps).catch(() => none);
  const current = asked?.words.at(-1) ?? '';
  const lines = answer.candidates.flatMap(({ word, description }) => {
    const text = word.startsWith(current) ? insertion(word, asked?.asker ?? 'kubectl') : undefined;
    if (text === undefined) return [];
    return description === undefined ? `${text}\n` : `${text}\t${sanitise(description)}\n`;
  });
  await output.write([...lines, `:${answer.directive}\n`]).catch(() => {});
  return 0;
}

/** The words as a program would receive them, and who inserts what is answered. Undefined where there is nothing to complete. */
function questionOf(
  argv: readonly string[],
  shell: string | undefined,
): { readonly words: readonly string[]; readonly asker: Asker } | undefined {
  if (shell === 'bash') {
    const [line = '', replaced = ''] = argv;
    const read = readBashLine(line, replaced);
    return read && { words: read.words, asker: read.current };
  }
  if (shell === 'zsh' || shell === 'fish') return { words: argv, asker: shell };
  // Only so do all of its versions hand over a word that is empty.
  if (shell === 'powershell') return { words: argv.map(word => (word === '""' ? '' : word)), asker: shell };
  return { words: argv, asker: 'kubectl' };
}
