/** Rewrites kubectl's flag syntax (Go's pflag) for commander: `-n=shop`, `--watch=true`, `-v=6`. */
import type { Command, Option } from 'commander';
import { ownEntry } from '../../model/index.ts';

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  t: true,
  '1': true,
  false: false,
  f: false,
  '0': false,
};

function namesOf(program: Command, fits: (option: Option) => boolean): Set<string> {
  const options = [program, ...program.commands].flatMap(command => command.options).filter(fits);
  return new Set(options.flatMap(({ short, long }) => [short ?? [], long ?? []].flat()));
}

/** Keeps arguments after `--` as they are. */
export function normaliseArgv(program: Command, argv: readonly string[]): string[] {
  const withoutValue = namesOf(program, option => option.isBoolean() || option.negate);
  // Their value follows `=`: in `--wait sts/web` there is none.
  const withDefault = namesOf(program, ({ optional }) => optional);
  const normalised: string[] = [];
  for (const [index, argument] of argv.entries()) {
    if (argument === '--') return [...normalised, ...argv.slice(index)];
    const match = /^(--?[A-Za-z][A-Za-z-]*)=(.*)$/su.exec(argument);
    const [, flag = '', value = ''] = match ?? [];
    const truth = ownEntry(truths, value.toLowerCase());
    const negated = flag.replace(/^--(?!no-)/u, '--no-');
    if (withDefault.has(argument)) normalised.push(`${argument}=true`);
    else if (withDefault.has(flag) && truth !== undefined) normalised.push(`${flag}=${truth}`);
    else if (match !== null && withoutValue.has(flag) && truth !== undefined) {
      if (truth) normalised.push(flag);
    } else if (match !== null && negated !== flag && withoutValue.has(negated) && truth !== undefined) {
      // `--headers=false` becomes `--no-headers`; true is the default.
      if (!truth) normalised.push(negated);
    } else if (match !== null && /^-[A-Za-z]$/u.test(flag)) normalised.push(flag, value);
    else normalised.push(argument);
  }
  return normalised;
}
