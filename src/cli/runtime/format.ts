/** Formats of each command, and the look of text by flags, environment and terminal. */

import type { LineLook } from '../../documents/print/lines.ts';
import { enumerated } from '../../model/text/titles.ts';
import { thisPlatform } from '../../platform/platform.ts';
import { asciiGlyphs, type Glyphs, unicodeGlyphs } from '../../text/terminal/glyphs.ts';
import type { CommandContext, CommandName } from './command.ts';
import { UsageError } from './errors.ts';
import type { Flags, OutputFormat } from './flags.ts';
import type { Io } from './io.ts';

const documents = ['text', 'wide', 'json', 'yaml', 'name'] as const;
const reports = ['junit', 'sarif', 'github', 'markdown'] as const;

export const formatsOf = {
  tree: [...documents, 'dot', 'mermaid'],
  why: [...documents, 'markdown'],
  check: [...documents, ...reports, 'baseline'],
  plan: [...documents, 'dot', 'mermaid', 'svg', 'html', 'github', 'markdown'],
  podgc: [...documents, 'markdown'],
  activity: ['text', 'json', 'yaml'],
  wait: [...documents, 'junit', 'github', 'markdown'],
  delete: documents,
  unblock: documents,
  undo: documents,
  demo: documents,
  schema: documents,
  version: ['text', 'json', 'yaml'],
} as const satisfies Partial<Readonly<Record<CommandName, readonly OutputFormat[]>>>;

type Formats = typeof formatsOf;
export type FormatOf<C extends keyof Formats> = Formats[C][number];
export type DocumentFormat = (typeof documents)[number];

/** Throws a `UsageError` for a format that the command doesn't print. */
export function formatOf<C extends keyof Formats>(command: C, format: OutputFormat = 'text'): FormatOf<C> {
  const formats: readonly FormatOf<C>[] = formatsOf[command];
  const known = formats.find(each => each === format);
  if (known !== undefined) return known;
  const hint = isReport(format) ? `, which is for ${printersOf(format)}` : '';
  throw new UsageError(`${command} cannot print ${format}${hint}. Use -o ${alternatives(formats)}.`);
}

function printersOf(format: OutputFormat): string {
  const commands = Object.entries(formatsOf).filter(([, formats]) => formats.some(each => each === format));
  return enumerated(commands.map(([name]) => name));
}

/** Matches formats for pipelines, which are printed once. */
export function isReport(format: OutputFormat): format is (typeof reports)[number] {
  return reports.some(each => each === format);
}

export function alternatives(formats: readonly string[]): string {
  return `${formats.slice(0, -1).join(', ')} or ${formats.at(-1) ?? ''}`;
}

export function isText(format: OutputFormat): format is 'text' | 'wide' {
  return format === 'text' || format === 'wide';
}

/** Matches formats that state themselves what is unknown or empty. */
export function isDocument(format: OutputFormat): format is 'json' | 'yaml' {
  return format === 'json' || format === 'yaml';
}

export function isPicture(format: OutputFormat): format is 'dot' | 'mermaid' | 'svg' | 'html' {
  return format === 'dot' || format === 'mermaid' || format === 'svg' || format === 'html';
}

/**
 * Classifies the terminal by TERM: `plain` can't move its cursor (`dumb`), `mono` is a hardware terminal without
 * colours, `console` is Linux's, or the old one of Windows, with few characters. Elsewhere, an empty TERM counts as a
 * modern terminal.
 */
export function terminalOf(
  env: Io['env'],
  { isWindows } = thisPlatform,
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
  platform = thisPlatform,
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
  return flags.ascii === true ? asciiGlyphs : unicodeGlyphs;
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
