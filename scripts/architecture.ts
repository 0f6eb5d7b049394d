/**
 * `npm run architecture`: measures how the code is laid out, and fails where an import goes against its direction
 * (`architecture/rules.ts`) or in a cycle, and where a folder is too full. `--quiet` prints only what is wrong, as
 * `npm run lint` does.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import {
  cyclesOf,
  isFace,
  pathsTo,
  readSourceFiles,
  roomOf,
  type SourceFile,
  throughFaces,
} from './architecture/imports.ts';
import { directions, folderOf, layers, outOfReach, pastFaces } from './architecture/rules.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const quiet = process.argv.includes('--quiet');
/** Lines below which a file with one importer is counted as one that may belong into its importer. */
const SMALL_FILE_LINES = 50;
/** A folder with more files is no longer taken in at a glance. */
const MOST_FILES = 16;
/** A function with more lines doesn't fit on a screen. */
const MOST_LINES = 60;
/** Openings of comments that have neither a verb nor a noun as their subject. */
const NO_SUBJECT = /^(?:What|Of|Whether|The same|Where|So many)\b/u;

const sources = readSourceFiles(root, 'src');
const faces = sources.filter(file => isFace(file.path));
const files = throughFaces(sources);
const everything = [...sources, ...readSourceFiles(root, 'test'), ...readSourceFiles(root, 'scripts')];
const cycles = cyclesOf(files);
const wrongs = [
  ...files.flatMap(againstDirection),
  ...files.flatMap(againstLayers),
  ...sources.filter(file => !isFace(file.path)).flatMap(againstFaces),
  ...faces.flatMap(inFace),
  ...perFolder()
    .filter(({ length }) => length > MOST_FILES)
    .map(({ folder, length }) => `${folder} has ${length} files; more than ${MOST_FILES} belong into rooms`),
  ...Object.entries(outOfReach).flatMap(([folder, others]) =>
    others.flatMap(other =>
      pathsTo(files, folder, other).map(
        way => `${folder} may not reach ${other}, yet ${way.join(' imports ')}`,
      ),
    ),
  ),
  ...cycles.map(cycle => `import cycle of ${cycle.length} files: ${cycle.join(', ')}`),
];
if (!quiet) printMeasures();
for (const wrong of wrongs) console.error(wrong);
process.exitCode = wrongs.length > 0 ? 1 : 0;

function againstDirection(file: SourceFile): string[] {
  const folder = folderOf(file.path);
  if (folder === undefined) return [];
  const rule = directions[folder];
  if (rule === undefined)
    return [`${file.path}: scripts/architecture/rules.ts doesn't say what src/${folder} may import`];
  const mayImport = (to: string): boolean => {
    const target = folderOf(to);
    if (target === undefined) return false;
    return target === folder || rule.from.includes(target) || isBelow(target, rule.from, folder);
  };
  return [
    ...file.imports
      .filter(to => to.startsWith('src/') && !mayImport(to))
      .map(
        to =>
          `${file.path} imports ${to}: src/${folder} may import only ${[folder, ...rule.from].join(', ')}`,
      ),
    ...file.packages
      .filter(name => rule.without?.some(pattern => pattern.test(name)))
      .map(name => `${file.path} imports ${name}: src/${folder} may not`),
  ];
}

function againstLayers(file: SourceFile): string[] {
  const [, room = ''] = file.path.split('/');
  const order = layers[room];
  const own = subFolderOf(file.path);
  if (order === undefined || own === undefined) return [];
  const heightOf = (folder: string): number =>
    folder === '.' && !order.includes('.') ? order.length : order.indexOf(folder);
  if (heightOf(own) < 0)
    return [`${file.path}: scripts/architecture/rules.ts doesn't say where src/${room}/${own} stands`];
  return file.imports.flatMap(to => {
    const folder = to.startsWith(`src/${room}/`) ? subFolderOf(to) : undefined;
    if (folder === undefined || folder === own || heightOf(folder) <= heightOf(own)) return [];
    return [`${file.path} imports ${to}: src/${room}/${own} stands below ${folder}`];
  });
}

/** A room's files import each other; of other rooms they import the faces. */
function againstFaces(file: SourceFile): string[] {
  const room = roomOf(file.path);
  return file.imports
    .filter(to => {
      const other = roomOf(to);
      if (other === room) return isFace(to);
      const isFree = other === undefined || file.loadedLater.includes(to) || pastFaces[file.path] === to;
      return !isFace(to) && !isFree;
    })
    .map(to => `${file.path} imports ${to}: a room is imported by its index.ts, from other rooms only`);
}

/** Lists exports of a face that no other room imports. */
function inFace(face: SourceFile): string[] {
  const used = new Set(sources.flatMap(file => file.names.get(face.path) ?? []));
  return [...face.passedOn]
    .filter(([name, from]) => !used.has(name) || roomOf(from) !== roomOf(face.path))
    .map(([name, from]) => `${face.path} exports ${name} of ${from}, which no other room imports`);
}

/** The folder below the room that the file is in; `.` for a file in the room itself. Undefined for the entry points. */
function subFolderOf(file: string): string | undefined {
  const parts = file.split('/');
  if (parts.length < 3) return undefined;
  return parts.length === 3 ? '.' : parts[2];
}

/** A folder with a rule of its own is part of the folder that it lies in. */
function isBelow(target: string, allowed: readonly string[], folder: string): boolean {
  const [outer] = target.split('/');
  return target.includes('/') && outer !== folder && allowed.includes(outer!);
}

/** Folders with files of their own, the fullest first. */
function perFolder(): readonly { readonly folder: string; readonly length: number }[] {
  return [...Map.groupBy(everything, file => path.posix.dirname(file.path))]
    .map(([folder, { length }]) => ({ folder, length }))
    .sort((one, other) => other.length - one.length);
}

function sumOf<T>(list: readonly T[], count: (each: T) => number): number {
  return list.reduce((sum, each) => sum + count(each), 0);
}

function longFunctions(): readonly string[] {
  return files.flatMap(({ path: file, functions }) =>
    functions
      .filter(({ lines }) => lines > MOST_LINES)
      .map(({ line, lines }) => `${file}:${line} ${lines} lines`),
  );
}

function namesakes(): readonly SourceFile[] {
  const byName = Map.groupBy(files, ({ path: file }) => path.posix.basename(file).replace(/\.tsx?$/u, ''));
  return [...byName.values()].filter(({ length }) => length > 1).flat();
}

/** `src/app: cluster <> state`, for each two folders directly below a room that import each other. */
function mutual(): readonly string[] {
  const edges = new Set<string>();
  for (const { path: file, imports } of files)
    for (const to of imports) {
      const [, room, from] = file.split('/');
      const [, other, folder] = to.split('/');
      const isNested = file.split('/').length > 3 && to.split('/').length > 3;
      if (isNested && room === other && from !== folder) edges.add(`src/${room}: ${from} <> ${folder}`);
    }
  return [...edges].filter(edge => {
    const [room = '', folders = ''] = edge.split(': ');
    const [one = '', two = ''] = folders.split(' <> ');
    return one < two && edges.has(`${room}: ${two} <> ${one}`);
  });
}

function printMeasures(): void {
  const folders = perFolder();
  const importers = new Map<string, number>();
  for (const file of files) for (const to of file.imports) importers.set(to, (importers.get(to) ?? 0) + 1);
  const small = files.filter(file => file.lines < SMALL_FILE_LINES && importers.get(file.path) === 1);
  const declared = Map.groupBy(
    files.flatMap(file => file.exported.map(name => ({ name, path: file.path }))),
    ({ name }) => name,
  );
  const shared = [...declared].filter(([, places]) => places.length > 1);
  const rows: readonly (readonly [string, string | number])[] = [
    ['files in src/', sources.length],
    ['lines of src/', sumOf(sources, ({ lines }) => lines)],
    ['files in a folder, most', `${folders[0]?.length ?? 0} (${folders[0]?.folder ?? ''})`],
    ['files in a folder, median', folders[Math.floor(folders.length / 2)]?.length ?? 0],
    [
      `folders with more than ${MOST_FILES} files`,
      folders.filter(({ length }) => length > MOST_FILES).length,
    ],
    [`files below ${SMALL_FILE_LINES} lines with one importer`, small.length],
    ['import cycles, type-only ones included', cycles.length],
    ['files in import cycles', cycles.flat().length],
    ['names that more than one file exports', shared.length],
    ['lines of code', sumOf(sources, each => each.lines - each.commentLines - each.emptyLines)],
    ['lines of comments', sumOf(sources, each => each.commentLines)],
    [
      'comments without a verb or noun first',
      sumOf(files, ({ comments }) => comments.filter(each => NO_SUBJECT.test(each)).length),
    ],
    [`functions of more than ${MOST_LINES} lines`, longFunctions().length],
    ['files that share a base name', namesakes().length],
    ['folders within a room that import each other, pairs', mutual().length],
    ['exports that cross the border of a room', sumOf(faces, ({ passedOn }) => passedOn.size)],
  ];
  const width = Math.max(...rows.map(([title]) => title.length));
  for (const [title, value] of rows) console.log(`${title.padEnd(width)}  ${value}`);
  if (process.argv.includes('--list')) {
    console.log(
      `\nBelow ${SMALL_FILE_LINES} lines, one importer:\n${small.map(file => `  ${file.path}`).join('\n')}`,
    );
    for (const [title, list] of [
      [`Functions of more than ${MOST_LINES} lines`, longFunctions()],
      ['Folders that import each other', mutual()],
    ] as const)
      console.log(`\n${title}:\n${list.map(each => `  ${each}`).join('\n')}`);
    console.log(`\nExported by more than one file:`);
    for (const [name, places] of shared)
      console.log(`  ${name}: ${places.map(place => place.path).join(', ')}`);
  }
}
