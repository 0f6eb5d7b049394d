/**
 * Whether what comments, titles of tests and pages cite is there: sections and rows of docs/kubernetes.md, and files
 * of this repository. Who follows a citation that leads nowhere loses trust in the sentence before it.
 */
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';

const KUBERNETES = 'docs/kubernetes.md';

/** A section, and rows of its table: one, or `rows 13 to 15, 20 and 21`. */
const SECTION = String.raw`§\d+(?:\.\d+)?(?: rows? \d+(?:(?:, | and | to )\d+)*)?`;
const CITATION = new RegExp(
  String.raw`docs/kubernetes\.md (${SECTION}(?:(?:, and |, | and | to )${SECTION})*)`,
  'gu',
);
/** Sections of what is published elsewhere. */
const ELSEWHERE = /(?:RFC \d+|YAML 1\.2) §[\d.]+/gu;
/** Sections and rows of a document that isn't named, and documents that aren't in the repository. */
const NOWHERE =
  /§\S*|\bcontract, section \d+|\b[A-Z]{4,} section \d+|\bgc-spec\b|\.\.\/shared\b|\(rows? \d+\)|\bRow \d+(?=[.:])/gu;

const EXTENSION = '(?:tsx?|mjs|md|ya?ml)';
const FILE = new RegExp(String.raw`(?<![\w./~*<>@-])(?:[\w.-]+/)+[\w.-]+\.${EXTENSION}(?![\w/])`, 'gu');
/** In backticks and without a folder. */
const NAME = new RegExp(`(?<=\`)[\\w.-]+\\.(?:tsx?|mjs)(?=\`)`, 'gu');
const LINK = /\]\((?![a-z]+:|#)([^)#]+)(?:#[^)]*)?\)/gu;

/** A line for each citation that leads nowhere: the file, and what it cites. `root` is that of the repository. */
export function unresolvedCitations(root: string): string[] {
  const files = globSync(['{src,test,scripts}/**/*.{ts,tsx,yaml}', 'docs/**/*.md', '*.md'], {
    cwd: root,
  }).sort();
  const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
  const targets = targetsOf(read(KUBERNETES));
  const names = new Set(files.map(file => path.basename(file)));
  return files.flatMap(file => {
    const text = read(file);
    const isPage = file.endsWith('.md');
    const prose = isPage ? text.replace(/```[\s\S]*?```/gu, '') : commentsOf(text, file);
    const cited = isPage ? prose : `${prose}\n${titlesOf(text)}`;
    return [
      ...unresolvedSections(cited, targets),
      ...missingFiles(prose, root, path.dirname(file)),
      ...[...prose.matchAll(NAME)].map(([match]) => match).filter(name => !names.has(name)),
      ...(isPage ? missingLinks(prose, path.join(root, path.dirname(file))) : []),
    ].map(each => `${file}: ${each}`);
  });
}

/** What can be cited of docs/kubernetes.md: a section by its heading, a row by its line of the section's table. */
export function targetsOf(page: string): ReadonlySet<string> {
  const targets = new Set<string>();
  let section = '';
  for (const line of page.split('\n')) {
    const heading = /^##+ (\d+(?:\.\d+)?)\.? /u.exec(line)?.[1];
    const row = /^\| (\d+) \|/u.exec(line)?.[1];
    if (heading !== undefined) section = `§${heading}`;
    if (heading !== undefined) targets.add(section);
    if (row !== undefined) targets.add(`${section} row ${row}`);
  }
  return targets;
}

/** Sections and rows that the text cites and that aren't among the targets; citations of no document at all. */
export function unresolvedSections(text: string, targets: ReadonlySet<string>): string[] {
  const missing: string[] = [];
  const rest = text.replace(ELSEWHERE, '').replace(CITATION, (_, cited: string) => {
    for (const [part] of cited.matchAll(new RegExp(SECTION, 'gu'))) {
      const [section = '', ...rows] = part.split(/ rows? |, | and | to /u);
      for (const target of [section, ...rows.map(row => `${section} row ${row}`)]) {
        if (!targets.has(target)) missing.push(`${KUBERNETES} ${target}`);
      }
    }
    return '';
  });
  return [...missing, ...[...rest.matchAll(NOWHERE)].map(([match]) => match)];
}

/** The comments of a file in TypeScript or YAML, a line each. Within code only `//` after a blank counts as one. */
export function commentsOf(text: string, file: string): string {
  const pattern = file.endsWith('.yaml')
    ? /(?:^[ \t]*#.*\n?)+/gmu
    : /^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*\n?)+|(?<=[ \t])\/\/ .*$/gmu;
  const comments = [...text.matchAll(pattern)].map(([comment]) => comment.trim());
  return comments.map(comment => comment.replace(/\s*\n[ \t]*(?:\*(?!\/)|\/\/|#)?[ \t]*/gu, ' ')).join('\n');
}

function titlesOf(text: string): string {
  return [...text.matchAll(/\b(?:test|it|describe)\b[^'`\n]*\((['`])(.*?)\1/gu)]
    .map(([, , title]) => title)
    .join('\n');
}

/** Code files wherever they are said to be; others below a folder of ours, since examples name those of users. */
function missingFiles(prose: string, root: string, folder: string): string[] {
  const places = ['', 'src', 'test', folder].map(place => path.join(root, place));
  return [...prose.matchAll(FILE)]
    .map(([match]) => match)
    .filter(file => /\.tsx?$/u.test(file) || existsSync(path.join(root, file.split('/', 1)[0] ?? '')))
    .filter(file => !places.some(place => existsSync(path.join(place, file))));
}

function missingLinks(page: string, folder: string): string[] {
  return [...page.matchAll(LINK)]
    .map(([, link = '']) => link)
    .filter(link => !existsSync(path.join(folder, link)));
}
