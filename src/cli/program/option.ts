/** Flags as commander takes them. */
import { InvalidArgumentError, Option } from 'commander';
import { splitFiles } from '../runtime/flags.ts';

export function flag(flags: string, description: string): Option {
  return new Option(flags, description);
}

/** Makes a flag that may be given several times. */
export function listFlag(flags: string, description: string): Option {
  return new Option(flags, description).argParser(appendValue);
}

export function appendValue(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Appends the files of one `-f`. */
export function appendFiles(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, ...splitFiles(value)];
}

/** Makes a flag that is on unless it is set to false, as kubectl's `--wait=false`. */
export function switchedOn(flags: string, description: string): Option {
  return new Option(`${flags} [bool]`, description)
    .argParser(value => {
      if (value !== 'true' && value !== 'false') throw new InvalidArgumentError('Use true or false.');
      return value === 'true';
    })
    .default(true);
}
