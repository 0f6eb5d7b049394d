/**
 * Reads the files that a user's credentials are in. A named pipe may never get anything to read: waiting for it in
 * the way that files are read could neither be ended, nor would the process end before it.
 */
import { constants, openSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';

/** The whole content. Rejects with node:fs errors that name the file, or with the signal's reason. */
export async function readCredentialFile(file: string, signal: AbortSignal): Promise<Buffer> {
  try {
    const isPipe = (await stat(file)).isFIFO();
    signal.throwIfAborted();
    return await (isPipe ? readPipe(file, signal) : readFile(file, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    // An error in reading, unlike one in opening, doesn't say of what.
    throw Object.assign(error as NodeJS.ErrnoException, { path: file });
  }
}

function readPipe(file: string, signal: AbortSignal): Promise<Buffer> {
  // Opened in this way it doesn't wait for somebody to write; the socket does, where it can be told to stop.
  const pipe = new Socket({
    fd: openSync(file, constants.O_RDONLY | constants.O_NONBLOCK),
    readable: true,
    writable: false,
  });
  const chunks: Buffer[] = [];
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      pipe.destroy();
      reject(signal.reason as Error);
    };
    signal.addEventListener('abort', stop, { once: true });
    pipe
      .on('data', (chunk: Buffer) => chunks.push(chunk))
      .on('end', () => resolve(Buffer.concat(chunks)))
      .on('error', reject)
      .on('close', () => signal.removeEventListener('abort', stop));
  });
}

/** Why a file cannot be read, in words; undefined for an error of another kind. */
export function fileReason(error: unknown): string | undefined {
  return reasons[(error as NodeJS.ErrnoException).code ?? ''];
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
  EMPTY: 'it is empty',
  ERR_FS_FILE_TOO_LARGE: 'it is too large',
  ERR_ENCODING_INVALID_ENCODED_DATA: 'it is not UTF-8',
};
