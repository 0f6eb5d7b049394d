/** How output may look, from flags, environment and terminal. */
import type { LineLook } from '../../documents/print/lines.ts';
import { asciiGlyphs, type Glyphs, unicodeGlyphs } from '../../text/terminal/glyphs.ts';
import type { CommandContext } from '../runtime/command.ts';
import type { Flags } from '../runtime/flags.ts';
import type { Io } from '../runtime/io.ts';

/** Colour on a terminal, unless NO_COLOR (no-color.org) or a dumb terminal says otherwise. */
export function useColour(flags: Pick<Flags, 'color'>, io: Io): boolean {
  if (flags.color !== 'auto') return flags.color === 'always';
  return io.stdoutIsTerminal && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb';
}

/**
 * Whether no more than ASCII is shown: by the flag, by a locale that has no more (the first of the variables that POSIX
 * reads for characters), or by a dumb terminal. Where no variable is set, as in many containers, it isn't.
 */
export function showsAscii(argv: readonly string[], io: Pick<Io, 'env' | 'stdoutIsTerminal'>): boolean {
  const end = argv.indexOf('--');
  if (argv.slice(0, end < 0 ? argv.length : end).includes('--ascii')) return true;
  const { LC_ALL, LC_CTYPE, LANG, TERM } = io.env;
  const locale = LC_ALL || LC_CTYPE || LANG || '';
  const [, codeset] = /^[^.@]*\.([^@]*)/u.exec(locale) ?? [];
  const isPlain = codeset === undefined ? /^(?:C|POSIX)$/u.test(locale) : !/^utf-?8$/iu.test(codeset);
  return isPlain || (io.stdoutIsTerminal && TERM === 'dumb');
}

export function glyphsFor(flags: Pick<Flags, 'ascii'>): Glyphs {
  return flags.ascii === true ? asciiGlyphs : unicodeGlyphs;
}

/** How lines of text are printed. */
export function lineLook({ flags, io }: Pick<CommandContext, 'flags' | 'io'>): LineLook {
  return { colour: useColour(flags, io), ascii: flags.ascii === true, width: io.columns() };
}

/** The same for the rows of a table. */
export function textLook(command: Pick<CommandContext, 'flags' | 'io'>): LineLook & {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly ellipsis: string;
} {
  const { flags } = command;
  return {
    ...lineLook(command),
    wide: flags.output === 'wide',
    headers: flags.headers,
    ellipsis: glyphsFor(flags).ellipsis,
  };
}

/** `--read-only`, or GC_TREE_READ_ONLY set to anything but 0 or false. */
export function isReadOnly(flags: Pick<Flags, 'readOnly'>, io: Io): boolean {
  const variable = io.env['GC_TREE_READ_ONLY'] ?? '';
  return flags.readOnly === true || !['', '0', 'false'].includes(variable.toLowerCase());
}
