/** Reads credential files without blocking on a named pipe that has no writer, which couldn't be cancelled. */
import { constants, openSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { Socket } from 'node:net';

/** Rejects with node:fs errors that name the file, or with the signal's reason. */
export async function readCredentialFile(file: string, signal: AbortSignal): Promise<Buffer> {
  try {
    const isPipe = (await stat(file)).isFIFO();
    signal.throwIfAborted();
    return await (isPipe ? readPipe(file, signal) : readFile(file, { signal }));
  } catch (error) {
    signal.throwIfAborted();
    // Read errors, unlike open errors, don't name the file.
    throw Object.assign(error as NodeJS.ErrnoException, { path: file });
  }
}

function readPipe(file: string, signal: AbortSignal): Promise<Buffer> {
  // A non-blocking open doesn't wait for a writer; the socket does, and can be stopped.
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
