/** Archives that are the same bytes whenever and by whomever the same files are packed. */
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { zipSync } from 'fflate';
import { pack } from 'tar-stream';

export interface Entry {
  /** With slashes, as in the archive. */
  readonly name: string;
  readonly content: Uint8Array;
  readonly executable?: boolean;
}

/** Before 1980 a zip has no time. */
const TIME = new Date('1980-01-01T00:00:00Z');

/** In order of their names, each once. */
function sorted(entries: readonly Entry[]): readonly Entry[] {
  const names = new Set<string>();
  for (const { name } of entries) {
    if (names.has(name)) throw new Error(`${name} is to be packed twice`);
    names.add(name);
  }
  return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function modeOf({ executable }: Entry): number {
  return executable === true ? 0o755 : 0o644;
}

/** The folders above files, each before what is in it: some unpackers make none on their own, others with modes of theirs. */
function foldersOf(entries: readonly Entry[]): readonly string[] {
  const folders = new Set<string>();
  for (const { name } of entries)
    for (let at = name.indexOf('/'); at >= 0; at = name.indexOf('/', at + 1))
      folders.add(name.slice(0, at + 1));
  return [...folders].sort();
}

export async function tarGz(entries: readonly Entry[]): Promise<Buffer> {
  const tar = pack();
  const chunks: Buffer[] = [];
  tar.on('data', chunk => chunks.push(chunk as Buffer));
  const ended = once(tar, 'end');
  const owner = { uid: 0, gid: 0, uname: 'root', gname: 'root', mtime: TIME };
  for (const name of foldersOf(entries)) tar.entry({ ...owner, name, type: 'directory', mode: 0o755 });
  for (const entry of sorted(entries)) {
    const header = { ...owner, name: entry.name, mode: modeOf(entry), size: entry.content.length };
    tar.entry(header, Buffer.from(entry.content));
  }
  tar.finalize();
  await ended;
  const zipped = gzipSync(Buffer.concat(chunks), { level: 9 });
  // The system that it was packed on.
  zipped[9] = 255;
  return zipped;
}

export function zip(entries: readonly Entry[]): Uint8Array {
  // The time is written as this machine's clock shows it.
  const mtime = new Date(1980, 0, 1);
  const UNIX = 3;
  return zipSync(
    Object.fromEntries(
      sorted(entries).map(entry => {
        const attrs = ((0o100_000 | modeOf(entry)) << 16) >>> 0;
        return [entry.name, [entry.content, { level: 9, mtime, os: UNIX, attrs }]];
      }),
    ),
  );
}
