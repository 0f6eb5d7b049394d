import { shellLine } from '../../model/index.ts';
import type { Trial } from '../source.ts';
import { parseName } from './scenario.ts';

const words: Readonly<Record<Trial['verb'], readonly string[]>> = {
  why: ['why'],
  delete: ['plan', 'delete'],
  orphan: ['plan', 'delete', '--cascade=orphan'],
  unblock: ['unblock'],
  run: [],
};

export function trialWords(name: string, { verb, of }: Trial): readonly string[] {
  if (verb === 'run') {
    const [command = '', ...rest] = of.split(' ');
    return command === 'demo' ? [command, name, ...rest] : [command, ...rest, '--demo', name];
  }
  const { kind, namespace, name: object } = parseName(of) ?? { kind: '', namespace: '', name: '' };
  const where = namespace === '' ? [] : ['-n', namespace];
  return [...words[verb], `${kind.toLowerCase()}/${object}`, ...where, '--demo', name];
}

export function trialCommand(name: string, trial: Trial): string {
  return shellLine([{ words: ['kubectl', 'gc-tree', ...trialWords(name, trial)] }]) ?? '';
}
