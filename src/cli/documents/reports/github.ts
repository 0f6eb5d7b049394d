/** GitHub's workflow commands (`::error file=…,line=…,title=…::message`), escaped as in command.ts of @actions/core. */
import path from 'node:path';
import type { FileLine } from '../../../source/index.ts';

export interface Annotation {
  readonly level: 'error' | 'warning' | 'notice';
  readonly title: string;
  readonly message: string;
  readonly place?: FileLine | undefined;
}

const levels = ['error', 'warning', 'notice'] as const;

/**
 * Puts the worst first, because GitHub shows ten of each level per step. `folder` is the repository's: paths are
 * relative to it, and a file outside of it or standard input gets no path.
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

/** Splits an absolute path relative to a folder; undefined for a file outside of it. */
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
