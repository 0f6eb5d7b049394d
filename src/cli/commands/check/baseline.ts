/** `check --baseline`: reads the known findings first, so that a bad file fails at once. */
import { readFile, stat } from 'node:fs/promises';
import type { Baseline } from '../../documents/baseline/compare-baseline.ts';
import { UsageError } from '../../runtime/errors.ts';

/** A larger file, such as a dump, was named by mistake. */
const MOST_BYTES = 10_000_000;

export async function readBaseline(file: string | undefined): Promise<Baseline | undefined> {
  if (file === undefined) return undefined;
  const [text, { BaselineError, parseBaseline }] = await Promise.all([
    textOf(file),
    import('../../documents/baseline/baseline-text.ts'),
  ]);
  try {
    return { file, entries: parseBaseline(text) };
  } catch (error) {
    if (!(error instanceof BaselineError)) throw error;
    throw new UsageError(`the baseline ${file}: ${error.message.replaceAll(/\s+/gu, ' ')}.`);
  }
}

async function textOf(file: string): Promise<string> {
  try {
    const found = await stat(file);
    if (!found.isFile() && !found.isFIFO()) throw new UsageError(`the baseline ${file} is no file.`);
    if (found.size > MOST_BYTES) throw new UsageError(`${file} is too large for a baseline.`);
    return await readFile(file, 'utf8');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    const why =
      error.code === 'ENOENT'
        ? 'there is no such file; check -o baseline > FILE writes one'
        : String(error.code);
    throw new UsageError(`the baseline ${file} cannot be read: ${why}.`);
  }
}
