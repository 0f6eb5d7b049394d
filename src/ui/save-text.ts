/** Writes each export to a new file in the current folder that only its owner can read. */
import { open, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Saved } from '../app/index.ts';

/** Numbered names to try before giving up. */
const MOST = 100;

export async function saveHere(name: string, text: string): Promise<Saved> {
  try {
    return await saveText(process.cwd(), name, text);
  } catch (error) {
    return { failure: sentence('this folder', codeOf(error)) };
  }
}

/** Saves to `a.txt`, else `a-2.txt` and so on; never overwrites, follows no link, never rejects. */
export async function saveText(folder: string, name: string, text: string): Promise<Saved> {
  const { name: stem, ext } = path.parse(name);
  for (let number = 1; number <= MOST; number++) {
    const file = number === 1 ? name : `${stem}-${number}${ext}`;
    const failure = await write(path.join(folder, file), text);
    if (failure === undefined) return { path: path.join(folder, file) };
    if (failure !== 'EEXIST') return { failure: sentence(folder, failure) };
  }
  return { failure: `No file was written: ${folder} has ${MOST} files named like ${name} already.` };
}

/** Returns the error's code, or undefined once the whole file is written. Removes an incomplete file. */
async function write(file: string, text: string): Promise<string | undefined> {
  let made = false;
  try {
    const handle = await open(file, 'wx', 0o600);
    made = true;
    try {
      await handle.writeFile(text);
    } finally {
      await handle.close();
    }
    return undefined;
  } catch (error) {
    if (made) await rm(file, { force: true }).catch(() => undefined);
    return codeOf(error);
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}

function sentence(folder: string, code: string): string {
  switch (code) {
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
      return `No file was written: ${folder} is not writable for you. Start gc-tree in a folder of yours.`;
    case 'ENOSPC':
    case 'EDQUOT':
      return `No file was written: there is no room left in ${folder}.`;
    case 'ENOENT':
      return `No file was written: ${folder} no longer exists. Start gc-tree in another folder.`;
    default:
      return `No file was written to ${folder}: ${code}.`;
  }
}
