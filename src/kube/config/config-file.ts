/** Reads kubectl's files. A pipe, as from `--kubeconfig <(…)`, is read once, asynchronously at the start, and kept. */
import { closeSync, openSync, readSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { readYamlDocument, YamlError } from '../../source/index.ts';
import { readCredentialFile } from './credential-file.ts';

const pipes = new Map<string, Promise<Buffer>>();
const texts = new Map<string, Buffer>();

/** Reads the files that are pipes and weren't read yet. Errors are reported when they are used. */
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

export function isPiped(file: string): boolean {
  return texts.has(file);
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** Throws errors of node:fs; the code for invalid UTF-8 is `ERR_ENCODING_INVALID_ENCODED_DATA`. */
export function readConfigFile(file: string): string {
  return decoder.decode(texts.get(file) ?? readBounded(file));
}

/** A kubeconfig with ten thousand clusters has less than half of it. */
const MOST_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 64 * 1024;

/** A device may never end. */
function readBounded(file: string): Buffer {
  const descriptor = openSync(file, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let length = 0; length <= MOST_BYTES; ) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(descriptor, chunk);
      if (read === 0) return Buffer.concat(chunks);
      chunks.push(chunk.subarray(0, read));
      length += read;
    }
    throw Object.assign(new Error('too large'), { code: 'ERR_FS_FILE_TOO_LARGE' });
  } finally {
    closeSync(descriptor);
  }
}

const MAX_DEPTH = 100;
const MAX_ALIAS_CHARACTERS = 1_000_000;

/**
 * Keeps the last of duplicate keys (sigs.k8s.io/yaml `YAMLToJSON`, v1.6.0), unless `refusesTwice`. Throws `not valid
 * YAML: …` without quoting the text, because it may hold credentials.
 */
export function readConfigYaml(text: string, { refusesTwice = false } = {}): unknown {
  try {
    return readYamlDocument(firstDocument(text), {
      maxDepth: MAX_DEPTH,
      maxAliasCharacters: MAX_ALIAS_CHARACTERS,
      maxNodes: text.length + 1,
      lastOfTwice: !refusesTwice,
    });
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    throw new Error(`not valid YAML: line ${error.line} cannot be read`);
  }
}

/** kubectl ignores later documents. */
function firstDocument(given: string): string {
  const text = given.replace(/^\uFEFF/u, '');
  const start = /^(?:(?:[ \t]*(?:#.*)?|%.*)\r?\n)*(?:---(?=\s|$))?/u.exec(text)?.[0].length ?? 0;
  const length = text.slice(start).search(/^(?:---|\.\.\.)(?=\s|$)/mu);
  return length < 0 ? text : text.slice(0, start + length);
}
