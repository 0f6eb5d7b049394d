/** Reads the user's settings file. */
import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { Person } from '../../disk/index.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';

const MOST_BYTES = 200_000;

/**
 * Returns no settings if there is no file. Rejects with a `SettingsError` that names file, line and fault, also if
 * others could have written the file, because its commands are run.
 */
export async function readSettings(file: string): Promise<Settings> {
  const text = await textOf(file);
  if (text === undefined) return {};
  const { parseSettings } = await import('./settings-text.ts');
  try {
    return parseSettings(text);
  } catch (error) {
    if (error instanceof SettingsError) throw new SettingsError(`${file}: ${error.message}`);
    throw error;
  }
}

/** Follows links, as many users keep such files elsewhere; undefined without a file. */
async function textOf(file: string): Promise<string | undefined> {
  try {
    // A pipe must not block; Windows lacks the flag.
    await using handle = await open(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
    const found = await handle.stat();
    if (!found.isFile()) throw new SettingsError(`${file} is no file.`);
    if (found.size > MOST_BYTES) throw new SettingsError(`${file} is too large for settings.`);
    const odd = Person.distrust(file, found);
    if (odd !== undefined)
      throw new SettingsError(`${odd.why}, so its commands are not trusted: ${odd.mend}`);
    return await handle.readFile('utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw new SettingsError(`${file} cannot be read: ${String(error.code)}.`);
  }
}
