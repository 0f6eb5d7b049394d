/** The operating system that the product runs on, as far as it does anything differently there. */
import path from 'node:path';

export interface Platform {
  readonly name: NodeJS.Platform;
  readonly isWindows: boolean;
  /** Its paths; those of `node:path` are the running system's. */
  readonly path: typeof path.posix;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function platformOf(name: NodeJS.Platform): Platform {
  const isWindows = name === 'win32';
  return { name, isWindows, path: isWindows ? path.win32 : path.posix };
}

/** The one place that asks: everything else is told, and tests tell it of another one. */
export const thisPlatform: Platform = platformOf(process.platform);

/** The paths of a list such as PATH or KUBECONFIG, empty ones too (Go's `filepath.SplitList`). */
export function pathsOf(list: string, { isWindows, path: { delimiter } }: Platform): string[] {
  if (list === '') return [];
  if (!isWindows) return list.split(delimiter);
  // There a path may be quoted, because it may hold the delimiter.
  const paths = [''];
  let isQuoted = false;
  for (const character of list) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) paths.push('');
    else paths.push((paths.pop() ?? '') + character);
  }
  return paths;
}

/** Names that Windows keeps for devices, whatever ending they have: what is written there is gone, or waits for ever. */
const devices = /^(?:con|prn|aux|nul|com[\d¹²³]|lpt[\d¹²³]|conin\$|conout\$)(?:[.: ]|$)/iu;

/** Why no file can have this name, as the end of a sentence about it; undefined where it can. */
export function unfitFileName(name: string, { isWindows, path: paths }: Platform): string | undefined {
  if (!isWindows) return undefined;
  const base = paths.basename(name);
  if (devices.test(base)) return 'is the name of a device on Windows';
  const unfit = /[<>:"|?*]/u.exec(base.replace(/^[a-z]:/iu, ''))?.[0];
  return unfit === undefined ? undefined : `has ${unfit} in it, which names of files cannot have on Windows`;
}
