/** The look of text by flags, environment and terminal. */

import { Platform } from '../../platform/index.ts';
import { Glyphs } from '../../text/index.ts';
import type { LineLook } from '../documents/print/print-lines.ts';
import type { CommandContext } from './command.ts';
import type { Flags } from './flags.ts';
import type { Io } from './io.ts';

/**
 * Classifies the terminal by TERM: `plain` can't move its cursor (`dumb`), `mono` is a hardware terminal without
 * colours, `console` is Linux's, or the old one of Windows, with few characters. Elsewhere, an empty TERM counts as a
 * modern terminal.
 */
export function terminalOf(
  env: Io['env'],
  { isWindows } = Platform.current,
): 'plain' | 'mono' | 'console' | 'full' {
  const { TERM: term = '' } = env;
  if (isWindows && term === '')
    return terminalsOfWindows.some(name => (env[name] ?? '') !== '') ? 'full' : 'console';
  if (term === 'dumb') return 'plain';
  if (/^vt\d+/u.test(term)) return 'mono';
  return term === 'linux' ? 'console' : 'full';
}

/** Variables of modern terminals: Windows Terminal, ConEmu and Cmder, Visual Studio Code and others, JetBrains. */
const terminalsOfWindows = ['WT_SESSION', 'ConEmuANSI', 'TERM_PROGRAM', 'TERMINAL_EMULATOR'] as const;

/** Enables colour on capable terminals unless NO_COLOR (no-color.org) is set. */
export function useColour(flags: Pick<Flags, 'color'>, io: Io): boolean {
  if (flags.color !== 'auto') return flags.color === 'always';
  return (
    io.stdoutIsTerminal &&
    (io.env['NO_COLOR'] ?? '') === '' &&
    !['plain', 'mono'].includes(terminalOf(io.env))
  );
}

/**
 * Returns true if a flag, the locale (POSIX's first character variable that is set) or the terminal limits output to
 * ASCII. Without a locale, as in many containers, it is false. On Windows, files and pipes get ASCII, because
 * PowerShell reads them with its console's code page.
 */
export function showsAscii(
  argv: readonly string[],
  io: Pick<Io, 'env' | 'stdoutIsTerminal'>,
  platform = Platform.current,
): boolean {
  const end = argv.indexOf('--');
  if (argv.slice(0, end < 0 ? argv.length : end).includes('--ascii')) return true;
  const { LC_ALL, LC_CTYPE, LANG } = io.env;
  const locale = LC_ALL || LC_CTYPE || LANG || '';
  const [, codeset] = /^[^.@]*\.([^@]*)/u.exec(locale) ?? [];
  const isPlain = codeset === undefined ? /^(?:C|POSIX)$/u.test(locale) : !/^utf-?8$/iu.test(codeset);
  if (isPlain) return true;
  if (io.stdoutIsTerminal) return terminalOf(io.env, platform) !== 'full';
  return platform.isWindows && locale === '';
}

export function glyphsFor(flags: Pick<Flags, 'ascii'>): Glyphs {
  return flags.ascii === true ? Glyphs.ascii : Glyphs.unicode;
}

export function lineLook({ flags, io }: Pick<CommandContext, 'flags' | 'io'>): LineLook {
  return { colour: useColour(flags, io), ascii: flags.ascii === true, width: io.columns() };
}

/** Like `lineLook`, for table rows. `-o wide` is never cut. */
export function textLook(command: Pick<CommandContext, 'flags' | 'io'>): LineLook & {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly ellipsis: string;
} {
  const { flags } = command;
  const wide = flags.output === 'wide';
  return {
    ...lineLook(command),
    width: wide ? Number.POSITIVE_INFINITY : command.io.columns(),
    wide,
    headers: flags.headers,
    ellipsis: glyphsFor(flags).ellipsis,
  };
}

/** Checks `--read-only`, or GC_TREE_READ_ONLY with any value except 0 or false. */
export function isReadOnly(flags: Pick<Flags, 'readOnly'>, io: Io): boolean {
  const variable = io.env['GC_TREE_READ_ONLY'] ?? '';
  return flags.readOnly === true || !['', '0', 'false'].includes(variable.toLowerCase());
}
