/** What a file is, from its first bytes, in words where it is nothing that can be read. */
import * as ascii from './ascii.ts';

export type Format =
  | { readonly is: 'json' | 'yaml' | 'empty' }
  | { readonly is: 'foreign'; readonly what: string };

/** How many bytes tell. */
export const SNIFF_BYTES = 8 * 1024;

const signatures: readonly { readonly bytes: readonly number[]; readonly what: string }[] = [
  { bytes: [0x1f, 0x8b], what: 'is compressed with gzip. Unpack it first (gunzip, tar xzf)' },
  { bytes: [0x28, 0xb5, 0x2f, 0xfd], what: 'is compressed with zstd. Unpack it first' },
  { bytes: [0xfd, 0x37, 0x7a, 0x58, 0x5a], what: 'is compressed with xz. Unpack it first' },
  { bytes: [0x42, 0x5a, 0x68], what: 'is compressed with bzip2. Unpack it first' },
  { bytes: [0x50, 0x4b, 0x03, 0x04], what: 'is a zip archive. Unpack it first' },
  { bytes: [0xff, 0xfe], what: 'is UTF-16. Save it as UTF-8' },
  { bytes: [0xfe, 0xff], what: 'is UTF-16. Save it as UTF-8' },
];

export const byteOrderMark = Buffer.from([0xef, 0xbb, 0xbf]);

/** `begin`: the first bytes of a file, up to `SNIFF_BYTES`, without a byte order mark of UTF-8. */
export function sniff(begin: Buffer): Format {
  for (const { bytes, what } of signatures)
    if (begin.length >= bytes.length && bytes.every((byte, index) => begin[index] === byte))
      return { is: 'foreign', what };
  if (begin.subarray(257, 262).toString('latin1') === 'ustar')
    return { is: 'foreign', what: 'is a tar archive. Unpack it first' };
  if (begin.subarray(0, SNIFF_BYTES).includes(0))
    return { is: 'foreign', what: 'is a binary file, not YAML or JSON' };
  let at = 0;
  while (at < begin.length && isSpace(begin[at])) at++;
  const text = begin.subarray(at, at + 200).toString('utf8');
  if (text === '') return { is: 'empty' };
  if (text.startsWith('{{'))
    return { is: 'foreign', what: 'is a template. Render it first (helm template, for a chart)' };
  if (text.startsWith('{') || text.startsWith('[')) return { is: 'json' };
  if (text.startsWith('<')) return { is: 'foreign', what: 'is HTML or XML, not YAML or JSON' };
  if (/^NAME(?:SPACE)?\s+[A-Z]/u.test(text))
    return { is: 'foreign', what: 'is a table for people. Print with -o yaml or -o json' };
  return { is: 'yaml' };
}

function isSpace(byte: number | undefined): boolean {
  return byte === ascii.SPACE || byte === ascii.NEWLINE || byte === ascii.RETURN || byte === ascii.TAB;
}
