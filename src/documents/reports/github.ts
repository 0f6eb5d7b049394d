/**
 * Annotations as GitHub Actions reads them from a step's output: workflow commands, `::error file=…,line=…,title=…::message`.
 * Escaping as in its toolkit (command.ts of @actions/core), which the runner takes back.
 */
import path from 'node:path';
import type { FileLine } from '../../source/source.ts';

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  /** Sanitised. */
  readonly message: string;
  /** Where it stands in a file of the repository. */
  readonly place?: FileLine | undefined;
}

const levels = ['error', 'warning', 'notice'] as const;

/**
 * The worst first, because GitHub shows ten of each level for a step. `folder`: the repository's, which files are named
 * from; one outside of it, and standard input, is not named.
 */
export function* printAnnotations(annotations: readonly Annotation[], folder: string): Generator<string> {
  for (const level of levels)
    for (const each of annotations) if (each.level === level) yield printAnnotation(each, folder);
}

function printAnnotation({ level, title, message, place }: Annotation, folder: string): string {
  const file = place && fileIn(folder, place.file);
  const properties = [
    ...(file === undefined ? [] : [`file=${property(file)}`, `line=${place?.line}`]),
    `title=${property(title)}`,
  ];
  return `::${level} ${properties.join(',')}::${data(message)}\n`;
}

function fileIn(folder: string, file: string): string | undefined {
  if (file === '-') return undefined;
  return partsBelow(folder, path.resolve(file))?.join('/');
}

/** Where a file of this absolute path stands below a folder; undefined for one outside of it. */
export function partsBelow(folder: string, file: string): string[] | undefined {
  const below = path.relative(folder, file);
  const parts = below.split(path.sep);
  return parts[0] === '..' || path.isAbsolute(below) ? undefined : parts;
}

const escapes: Readonly<Record<string, string>> = {
  '%': '%25',
  '\r': '%0D',
  '\n': '%0A',
  ':': '%3A',
  ',': '%2C',
};

function data(text: string): string {
  return text.replace(/[%\r\n]/gu, escaped);
}

function property(text: string): string {
  return text.replace(/[%\r\n:,]/gu, escaped);
}

function escaped(character: string): string {
  return escapes[character] ?? character;
}
