/** How output may look, from flags, environment and terminal. */
import { asciiGlyphs, type Glyphs, unicodeGlyphs } from '../text/glyphs.ts';
import type { Command } from './command.ts';
import type { Flags } from './flags.ts';
import type { Io } from './io.ts';

/** Colour on a terminal, unless NO_COLOR (no-color.org) or a dumb terminal says otherwise. */
export function useColour(flags: Pick<Flags, 'color'>, io: Io): boolean {
  if (flags.color !== 'auto') return flags.color === 'always';
  return io.stdoutIsTerminal && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb';
}

export function glyphsFor(flags: Pick<Flags, 'ascii'>): Glyphs {
  return flags.ascii === true ? asciiGlyphs : unicodeGlyphs;
}

/** How rows of text are printed. */
export function textLook({ flags, io }: Pick<Command, 'flags' | 'io'>): {
  readonly wide: boolean;
  readonly headers: boolean;
  readonly width: number | undefined;
  readonly ellipsis: string;
  readonly colour: boolean;
  readonly ascii: boolean;
} {
  return {
    wide: flags.output === 'wide',
    headers: flags.headers,
    width: io.columns(),
    ellipsis: glyphsFor(flags).ellipsis,
    colour: useColour(flags, io),
    ascii: flags.ascii === true,
  };
}

/** `--read-only`, or GC_TREE_READ_ONLY set to anything but 0 or false. */
export function isReadOnly(flags: Pick<Flags, 'readOnly'>, io: Io): boolean {
  const variable = io.env['GC_TREE_READ_ONLY'] ?? '';
  return flags.readOnly === true || !['', '0', 'false'].includes(variable.toLowerCase());
}
