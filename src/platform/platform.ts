/** The differences between operating systems that the product depends on. */
import path from 'node:path';

export interface Platform {
  readonly name: NodeJS.Platform;
  readonly isWindows: boolean;
  /** Path functions of this system; those of `node:path` are the running system's. */
  readonly path: typeof path.posix;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function platformOf(name: NodeJS.Platform): Platform {
  const isWindows = name === 'win32';
  return { name, isWindows, path: isWindows ? path.win32 : path.posix };
}

/** The only reader of `process.platform`: tests pass another `Platform`. */
const thisPlatform: Platform = platformOf(process.platform);

/** Splits a list such as PATH or KUBECONFIG, keeping empty paths (Go's `filepath.SplitList`). */
function pathsOf(list: string, { isWindows, path: { delimiter } }: Platform): string[] {
  if (list === '') return [];
  if (!isWindows) return list.split(delimiter);
  // Windows allows quotes around a path, which may contain the delimiter.
  const paths = [''];
  let isQuoted = false;
  for (const character of list) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) paths.push('');
    else paths.push((paths.pop() ?? '') + character);
  }
  return paths;
}

/** Device names reserved by Windows, with any extension: writing there loses the text or blocks for ever. */
const devices = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:[.: ]|$)/iu;

/** Returns why no file can have this name, as the end of a sentence; undefined if one can. */
function unfitFileName(name: string, { isWindows, path: paths }: Platform): string | undefined {
  if (!isWindows) return undefined;
  const base = paths.basename(name);
  if (devices.test(base)) return 'is the name of a device on Windows';
  const unfit = /[<>:"|?*]/u.exec(base.replace(/^[a-z]:/iu, ''))?.[0];
  return unfit === undefined ? undefined : `has ${unfit} in it, which names of files cannot have on Windows`;
}

export const Platform = { current: thisPlatform, paths: pathsOf, unfitFileName };
