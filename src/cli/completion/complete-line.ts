/**
 * Completes the word at the cursor. kubectl runs `kubectl_complete-gc_tree`, and the scripts of `completion` run
 * `kubectl-gc_tree __complete`, with the words so far. Both read cobra's answer: candidates, then `:` and a directive
 * (cobra completions.go).
 */
import { showHidden } from '../../model/index.ts';
import { isTaint, planVerbs, SHORT_TAINT } from '../commands/plan/request.ts';
import { shells } from '../program/command-table.ts';
import type { Services } from '../runtime/command.ts';
import type { Io } from '../runtime/io.ts';
import { Output } from '../runtime/output.ts';
import {
  type Candidate,
  type CompletionAnswer,
  type CompletionClient,
  type CompletionContext,
  FILES,
  insertion,
  listed,
  NO_FILES,
  NO_SPACE,
  none,
  offer,
  words,
} from './answer.ts';
import { readBashLine } from './bash-line.ts';
import { clusterWords } from './cluster-words.ts';
import { flagNames, flagValues, scenarioWords } from './flag-words.ts';
import { findOption, readLine, type TypedLine } from './typed-line.ts';

function commandWords({ command }: TypedLine): Candidate[] {
  return command.commands.map(each => ({ word: each.name(), description: each.description() }));
}

/** Lists candidates before they are filtered by prefix. */
export async function candidates(
  argv: readonly string[],
  context: CompletionContext,
): Promise<CompletionAnswer> {
  const current = argv.at(-1) ?? '';
  const line = readLine(argv.slice(0, -1));
  if (line.pending !== undefined) return flagValues(line.pending, current, line, context);
  if (line.isPastFlags || !current.startsWith('-')) return operands(line, current, context);
  const flag = /^(?:--[A-Za-z][A-Za-z-]*|-[A-Za-z])=/u.exec(current)?.[0];
  if (flag === undefined) return flagNames(line);
  const option = findOption(line, flag.slice(0, -1));
  if (option === undefined) return none;
  const values = await flagValues(option, current.slice(flag.length), line, context);
  const behindFlag = values.candidates.map(each => ({ ...each, word: flag + each.word }));
  return { candidates: behindFlag, directive: values.directive, flag };
}

async function operands(
  line: TypedLine,
  current: string,
  context: CompletionContext,
): Promise<CompletionAnswer> {
  const { command, operands: given } = line;
  switch (command.parent === null ? '' : command.name()) {
    case '': {
      if (given[0] === 'help')
        return given.length === 1 ? offer([...commandWords(line), { word: 'flags' }]) : none;
      if (given.length > 0 || current.includes('/')) return targetWords(line, current, context);
      // Commands are known without a cluster.
      const types = await targetWords(line, current, context).catch(() => none);
      return offer([...commandWords(line), ...types.candidates]);
    }
    case 'completion':
      return given.length === 0 ? offer(words(shells)) : none;
    case 'demo':
      return given.length === 0 ? offer(await scenarioWords()) : none;
    case 'schema': {
      if (given.length > 0) return none;
      const { readSchemas } = await import('../documents/schemas.ts');
      return offer(words(readSchemas().map(({ title }) => title)));
    }
    case 'record':
      return given.length === 0 ? { candidates: [], directive: FILES } : none;
    case 'version':
      return none;
    case 'undo': {
      if (given.length > 0) return none;
      const { entryWords } = await import('./act-words.ts');
      return offer(await entryWords(line.flags, context.io));
    }
    case 'plan': {
      const [verb, ...targets] = given;
      if (verb === undefined) return offer(words(planVerbs));
      if (verb === 'restart') return none;
      if (verb === 'uninstall') return targets.length > 0 ? none : releaseWords(line, context);
      if (verb === 'drain' || verb === 'taint')
        return nodeWords(verb, { ...line, operands: targets }, context);
      return targetWords({ ...line, operands: targets }, current, context);
    }
    default:
      return targetWords(line, current, context);
  }
}

/** Completes kubectl's syntax: types, several with commas, or names of a type: `sts/`, `sts w`. */
async function targetWords(
  line: TypedLine,
  current: string,
  context: CompletionContext,
): Promise<CompletionAnswer> {
  const slash = current.indexOf('/');
  const [first, ...taken] = line.operands;
  if (slash >= 0) {
    const type = current.slice(0, slash);
    // kubectl completes `pods,deploy/` but then refuses it.
    if (type.includes(',')) return none;
    const { names } = await clusterWords(line.flags, context, type);
    return offer(words(names.filter(isOneWord).map(name => `${type}/${name}`)));
  }
  if (first === undefined) {
    const { types } = await clusterWords(line.flags, context);
    return offer(listed(current, types));
  }
  if (first.includes('/')) {
    const { types } = await clusterWords(line.flags, context);
    return { candidates: types.map(({ word }) => ({ word: `${word}/` })), directive: NO_FILES + NO_SPACE };
  }
  const { names } = await clusterWords(line.flags, context, first);
  return offer(
    words(
      names.filter(
        name => !taken.includes(name) && isOneWord(name) && (line.isPastFlags || !name.startsWith('-')),
      ),
    ),
  );
}

function isOneWord(name: string): boolean {
  return !name.includes('/');
}

/** Finds releases by the names of the Secrets in which Helm stores them. */
async function releaseWords(line: TypedLine, context: CompletionContext): Promise<CompletionAnswer> {
  const { names } = await clusterWords(line.flags, context, 'secrets');
  const releases = names.flatMap(name => /^sh\.helm\.release\.v1\.(.+)\.v\d+$/u.exec(name)?.[1] ?? []);
  return offer(words([...new Set(releases)].map(name => `helm/${name}`)));
}

async function nodeWords(
  verb: 'drain' | 'taint',
  line: TypedLine,
  context: CompletionContext,
): Promise<CompletionAnswer> {
  if (verb === 'taint' && line.operands.some(isTaint)) return none;
  const taken = new Set(line.operands);
  const { names } = await clusterWords(line.flags, context, 'nodes');
  // kubectl accepts `nodes NAME...` and `node/NAME...`.
  const isSlashed = line.operands[0]?.includes('/') ?? true;
  const nodes = names.map(name => (isSlashed ? `node/${name}` : name)).filter(word => !taken.has(word));
  return offer(words(verb === 'drain' || taken.size === 0 ? nodes : [SHORT_TAINT, ...nodes]));
}

/** Always resolves with exit code 0, since a Tab should never print errors. `GC_TREE_COMPLETE` names the shell. */
export async function complete(argv: readonly string[], io: Io, services: Services): Promise<number> {
  const output = new Output(io.stdout);
  const asked = questionOf(argv, io.env['GC_TREE_COMPLETE']);
  const current = asked?.words.at(-1) ?? '';
  const found: CompletionAnswer =
    asked === undefined ? none : await candidates(asked.words, { io, services }).catch(() => none);
  const lines = found.candidates.flatMap(({ word, description }) => {
    const text = word.startsWith(current)
      ? insertion(word, asked?.asker ?? 'kubectl', found.flag?.length ?? 0)
      : undefined;
    if (text === undefined) return [];
    // kubectl's bash script misses words that have both a comma and a description.
    const isBare = asked?.asker === 'kubectl' && text.includes(',');
    return description === undefined || isBare ? `${text}\n` : `${text}\t${showHidden(description)}\n`;
  });
  await output.write([...lines, `:${found.directive}\n`]).catch(() => {});
  return 0;
}

/** Returns the words as a program would receive them, and the client; undefined if there is nothing to complete. */
function questionOf(
  argv: readonly string[],
  shell: string | undefined,
): { readonly words: readonly string[]; readonly asker: CompletionClient } | undefined {
  if (shell === 'bash') {
    const [line = '', replaced = '', program = '1'] = argv;
    const read = readBashLine(line, replaced, Number(program));
    return read && { words: read.words, asker: read.current };
  }
  if (shell === 'zsh' || shell === 'fish' || shell === 'fish-kubectl') return { words: argv, asker: shell };
  // Every PowerShell version passes an empty word this way.
  if (shell === 'powershell') return { words: argv.map(word => (word === '""' ? '' : word)), asker: shell };
  return { words: argv, asker: 'kubectl' };
}
