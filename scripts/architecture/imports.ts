/** Who imports what in a folder of TypeScript: type-only imports, re-exports and dynamic imports included. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';

export interface SourceFile {
  /** From the repository's root, with slashes. */
  readonly path: string;
  readonly lines: number;
  /** Lines with nothing but a comment. */
  readonly commentLines: number;
  /** Blank lines. */
  readonly emptyLines: number;
  /** Comments, without their marks. */
  readonly comments: readonly string[];
  /** Lines of each function. */
  readonly functions: readonly { readonly line: number; readonly lines: number }[];
  /** Names that it imports, by file of the repository. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Names that it exports of other files, by name; `*` if it exports all of one. */
  readonly passedOn: ReadonlyMap<string, string>;
  /** Files of the repository, from its root. */
  readonly imports: readonly string[];
  /** Those of them that it loads with `import()`. */
  readonly loadedLater: readonly string[];
  /** Packages and modules of Node. */
  readonly packages: readonly string[];
  /** Names that it declares and exports. */
  readonly exported: readonly string[];
}

/** Every `.ts` and `.tsx` file below `folder`, read from the repository's root. Throws where one cannot be parsed. */
export function readSourceFiles(root: string, folder: string): SourceFile[] {
  return readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => path.posix.join(folder, name.split(path.sep).join('/')))
    .sort()
    .map(file => readSourceFile(root, file));
}

/** The folder below `src/` that a file is in; undefined for the entry points and outside of `src/`. */
export function roomOf(file: string): string | undefined {
  const [top, room, ...rest] = file.split('/');
  return top === 'src' && rest.length > 0 ? room : undefined;
}

/** A room's face says what other rooms may import of it. */
export function isFace(file: string): boolean {
  return file === `src/${roomOf(file)}/index.ts`;
}

/** The faces of all rooms, and the file behind each name. */
export function readFaces(root: string): ReadonlyMap<string, ReadonlyMap<string, string>> {
  const faces = readdirSync(path.join(root, 'src'))
    .map(room => `src/${room}/index.ts`)
    .filter(file => existsSync(path.join(root, file)));
  return new Map(faces.map(file => [file, readSourceFile(root, file).passedOn]));
}

/** The files as if each imported what it needs from the files behind the faces, and without the faces. */
export function throughFaces(files: readonly SourceFile[]): SourceFile[] {
  const faces = new Map(files.filter(file => isFace(file.path)).map(face => [face.path, face.passedOn]));
  return files
    .filter(file => !faces.has(file.path))
    .map(file => {
      const names = new Map<string, readonly string[]>();
      for (const [from, its] of file.names)
        for (const [to, those] of Map.groupBy(its, name => faces.get(from)?.get(name) ?? from))
          names.set(to, [...(names.get(to) ?? []), ...those]);
      const imports = file.imports.filter(to => !faces.has(to));
      return { ...file, names, imports: [...new Set([...imports, ...names.keys()])] };
    });
}

function readSourceFile(root: string, file: string): SourceFile {
  const text = readFileSync(path.join(root, file), 'utf8');
  const { module, errors, comments, program } = parseSync(file, text);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message ?? 'cannot be parsed'}`);
  const later = module.dynamicImports.map(({ moduleRequest: { start, end } }) =>
    text.slice(start + 1, end - 1),
  );
  const specifiers = [
    ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
    ...module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(entry => entry.moduleRequest?.value ?? []),
    ),
    ...later,
  ];
  const isLocal = (specifier: string): boolean => specifier.startsWith('.');
  const resolve = (to: string): string => path.posix.join(path.posix.dirname(file), to);
  const lines = text.split('\n');
  const lineOf = (offset: number): number => text.slice(0, offset).split('\n').length;
  const functions: SourceFile['functions'][number][] = [];
  const measure = ({ start, end }: { readonly start: number; readonly end: number }): void => {
    functions.push({ line: lineOf(start), lines: text.slice(start, end).split('\n').length });
  };
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program);
  const names = new Map<string, string[]>();
  for (const { moduleRequest, entries } of module.staticImports) {
    if (!isLocal(moduleRequest.value)) continue;
    const its = entries.map(({ importName }) => importName.name ?? importName.kind);
    const to = resolve(moduleRequest.value);
    names.set(to, [...(names.get(to) ?? []), ...its]);
  }
  return {
    path: file,
    lines: lines.length - 1,
    commentLines: comments.reduce((sum, { start, end }) => sum + ownLines(text, start, end), 0),
    emptyLines: lines.slice(0, -1).filter(line => line.trim() === '').length,
    comments: comments.map(({ value }) => value.replaceAll(/^[\s*]+/gmu, '').trim()),
    functions,
    names,
    passedOn: new Map(
      module.staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ exportName, moduleRequest }) =>
          moduleRequest === null ? [] : [[exportName.name ?? '*', resolve(moduleRequest.value)]],
        ),
      ),
    ),
    loadedLater: later.filter(isLocal).map(resolve),
    imports: [...new Set(specifiers.filter(isLocal).map(resolve))],
    packages: [...new Set(specifiers.filter(specifier => !isLocal(specifier)))],
    exported: module.staticExports.flatMap(({ entries }) =>
      entries.flatMap(entry => (entry.moduleRequest === null ? (entry.exportName.name ?? []) : [])),
    ),
  };
}

/** Lines of a comment, without one that code stands on. */
function ownLines(text: string, start: number, end: number): number {
  const before = text.slice(text.lastIndexOf('\n', start - 1) + 1, start);
  return text.slice(start, end).split('\n').length - (before.trim() === '' ? 0 : 1);
}

/** For each file of one folder that files of another come to by imports, the shortest way there. */
export function pathsTo(files: readonly SourceFile[], from: string, to: string): string[][] {
  const byPath = new Map(files.map(file => [file.path, file]));
  const before = new Map<string, string | undefined>();
  const open = files.map(({ path: file }) => file).filter(file => file.startsWith(`${from}/`));
  for (const file of open) before.set(file, undefined);
  const ways: string[][] = [];
  for (const file of open) {
    if (file.startsWith(`${to}/`)) {
      const way: string[] = [];
      for (let at: string | undefined = file; at !== undefined; at = before.get(at)) way.unshift(at);
      ways.push(way);
      continue;
    }
    for (const next of byPath.get(file)?.imports ?? [])
      if (byPath.has(next) && !before.has(next)) {
        before.set(next, file);
        open.push(next);
      }
  }
  return ways;
}

/** Groups of files that import each other in a cycle (Tarjan's strongly connected components), each sorted. */
export function cyclesOf(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map(file => [file.path, file]));
  const index = new Map<string, number>();
  const low = new Map<string, number>();
  const stack: string[] = [];
  const cycles: string[][] = [];
  const visit = (at: string): number => {
    const own = index.size;
    index.set(at, own);
    low.set(at, own);
    stack.push(at);
    for (const to of byPath.get(at)?.imports ?? []) {
      if (!byPath.has(to)) continue;
      if (!index.has(to)) low.set(at, Math.min(low.get(at)!, visit(to)));
      else if (stack.includes(to)) low.set(at, Math.min(low.get(at)!, index.get(to)!));
    }
    if (low.get(at) === own) {
      const group = stack.splice(stack.indexOf(at));
      if (group.length > 1 || byPath.get(at)?.imports.includes(at)) cycles.push(group.sort());
    }
    return low.get(at)!;
  };
  for (const { path: file } of files) if (!index.has(file)) visit(file);
  return cycles;
}
