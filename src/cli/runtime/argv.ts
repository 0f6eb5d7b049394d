/** Rewrites kubectl's flag syntax (Go's pflag) for commander: `-n=shop`, `--watch=true`, `-v=6`. */
import type { Command } from 'commander';
import { ownEntry } from '../../model/maps.ts';

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  false: false,
  f: false,
  '0': false,
};

function booleans(program: Command): Set<string> {
  const found = new Set<string>();
  for (const command of [program, ...program.commands])
    for (const option of command.options) {
      if (!option.isBoolean() && !option.negate) continue;
      if (option.short !== undefined) found.add(option.short);
      if (option.long !== undefined) found.add(option.long);
    }
  return found;
}

/** Keeps arguments after `--` as they are. */
export function normaliseArgv(program: Command, argv: readonly string[]): string[] {
  const withoutValue = booleans(program);
  const normalised: string[] = [];
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') return [...normalised, ...argv.slice(index)];
    const match = /^(--?[A-Za-z][A-Za-z-]*)=(.*)$/su.exec(argument);
    const [, flag = '', value = ''] = match ?? [];
    const truth = ownEntry(truths, value.toLowerCase());
    const negated = flag.replace(/^--(?!no-)/u, '--no-');
    if (match !== null && withoutValue.has(flag) && truth !== undefined) {
      if (truth) normalised.push(flag);
    } else if (match !== null && negated !== flag && withoutValue.has(negated) && truth !== undefined) {
      // `--wait=false` becomes `--no-wait`; true is the default.
      if (!truth) normalised.push(negated);
    } else if (match !== null && /^-[A-Za-z]$/u.test(flag)) normalised.push(flag, value);
    else normalised.push(argument);
  }
  return normalised;
}
