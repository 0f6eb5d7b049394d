/**
 * Reads the text of kubectl's own files. One that is a pipe, as `--kubeconfig <(…)` makes it, can be read once, and
 * somebody may take long to write to it: it is read beforehand, while signals and keys are heeded, and kept.
 */
import { readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { readCredentialFile } from '../auth/credential-file.ts';

// Of the whole process, as the pipes are: whoever reads the configuration anew finds them empty.
const pipes = new Map<string, Promise<Buffer>>();
const texts = new Map<string, Buffer>();

/** Reads those that are pipes and weren't read yet. What goes wrong is told by whoever reads them. */
export async function readPipes(files: readonly string[]): Promise<void> {
  for (const file of files) {
    const isPipe = await stat(file).then(
      status => status.isFIFO(),
      () => false,
    );
    if (!isPipe) continue;
    const whole = pipes.get(file) ?? readCredentialFile(file, new AbortController().signal);
    pipes.set(file, whole);
    await whole.then(
      bytes => texts.set(file, bytes),
      () => pipes.delete(file),
    );
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws errors of node:fs; the code of one for what isn't UTF-8 is `ERR_ENCODING_INVALID_ENCODED_DATA`. */
export function readConfigFile(file: string): string {
  return decoder.decode(texts.get(file) ?? readFileSync(file));
}
