/** Completes flags and values by their definitions' choices or placeholders (`--kubeconfig <path>`). */

import type { Option } from 'commander';
import { ActivityKind } from '../../activity/index.ts';
import { branches } from '../../collector/index.ts';
import { findingCodes, meaningOf } from '../../diagnosis/index.ts';
import { Cascade } from '../../forecast/index.ts';
import { serverReleases } from '../../model/index.ts';
import { formatsFor } from '../program/help.ts';
import { failConditions, sortKeys } from '../runtime/flags.ts';
import {
  type Candidate,
  type CompletionAnswer,
  type CompletionContext,
  FILES,
  listed,
  none,
  offer,
  words,
} from './answer.ts';
import { clusterWords } from './cluster-words.ts';
import type { TypedLine } from './typed-line.ts';

export function flagNames({ command }: TypedLine): CompletionAnswer {
  const commands = command.parent === null ? [command] : [command.parent, command];
  const candidates = commands
    .flatMap(({ options }) => options)
    .filter(option => !option.hidden && option.long !== undefined)
    .map(option => ({ word: option.long ?? '', description: option.description }));
  return offer([...candidates, { word: '--help', description: 'this help' }]);
}

export async function flagValues(
  option: Option,
  current: string,
  line: TypedLine,
  context: CompletionContext,
): Promise<CompletionAnswer> {
  if (!option.required) return offer(words(['true', 'false']));
  if (option.long === '--output') return offer(words(formatsFor(line.command.name())));
  if (option.argChoices !== undefined) return offer(words(option.argChoices));
  switch (placeholderOf(option)) {
    case 'path':
    case 'file':
    case 'folder':
      return { candidates: [], directive: FILES };
    case 'policy':
      return offer(words(Cascade.all));
    case 'version':
      return offer(words(serverReleases.read));
    case 'key':
      return offer(words(sortKeys));
    case 'codes':
      return offer(
        listed(
          current,
          findingCodes.map(word => ({ word, description: meaningOf(word) })),
        ),
      );
    case 'kinds':
      return offer(listed(current, words(ActivityKind.all)));
    case 'conditions':
      return offer(listed(current, words(failConditions)));
    case 'types':
      return offer(listed(current, (await clusterWords(line.flags, context)).types));
    case 'condition':
      return offer(words(['delete']));
    case 'step':
      return offer(words(branches));
    case 'id': {
      const { remedyWords } = await import('./act-words.ts');
      const targets = line.command.name() === 'plan' ? line.operands.slice(1) : line.operands;
      return offer(await remedyWords(targets, line.flags, context));
    }
    case 'name':
      return offer(await names(option, line, context));
    case 'patterns':
      return offer(listed(current, await names(option, line, context)));
    default:
      return none;
  }
}

/** Returns `path` for `-f, --filename <path>`. */
function placeholderOf(option: Option): string {
  return /[<[]([^>\]]+)[>\]]/u.exec(option.flags)?.[1] ?? '';
}

async function names(
  option: Option,
  { flags }: TypedLine,
  context: CompletionContext,
): Promise<readonly Candidate[]> {
  const { io, services } = context;
  const kubeconfig = async () => services.kubeconfigNames?.(flags, io);
  switch (option.attributeName()) {
    case 'demo':
      return scenarioWords();
    case 'namespace':
      return words((await clusterWords(flags, context, 'namespaces')).names);
    case 'context':
    case 'allowContext':
    case 'contexts':
      return words((await kubeconfig())?.contexts ?? []);
    case 'cluster':
      return words((await kubeconfig())?.clusters ?? []);
    case 'user':
      return words((await kubeconfig())?.users ?? []);
    default:
      return [];
  }
}

export async function scenarioWords(): Promise<Candidate[]> {
  const { readScenarios } = await import('../../source/demo/scenarios.ts');
  return (await readScenarios()).map(({ name, title }) => ({ word: name, description: title }));
}
