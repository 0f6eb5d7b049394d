/**
 * Makes scripts of the bundler's ES modules, for `script-loader.ts` to load: of a module Node keeps only the code that
 * is compiled when it is loaded, of a script also that of the functions that have run, and those are most.
 */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import path from 'node:path';
import { type ExportNamedDeclaration, type ImportDeclaration, parseSync } from 'oxc-parser';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly by: string;
}

/**
 * `outputs` are the bundler's in `outdir`, one for each of the `entries`, by name, and the others in its folder of chunks.
 * The script of an entry point goes there too; in its place comes what starts it.
 */
export async function makeScripts(
  outputs: readonly string[],
  outdir: string,
  entries: readonly string[],
): Promise<void> {
  for (const file of outputs) {
    const script = scriptOf(await readFile(file, 'utf8'), file, outdir);
    const name = path.basename(file, '.js');
    const isEntry = path.dirname(file) === outdir && entries.includes(name);
    await mkdir(path.join(outdir, 'chunks'), { recursive: true });
    await writeFile(isEntry ? path.join(outdir, 'chunks', `${name}.js`) : file, script);
    if (isEntry) await writeFile(file, starter(name));
  }
}

function starter(name: string): string {
  return `import{run}from"./script-loader.js";await run(import.meta.url,${JSON.stringify(name)});\n`;
}

/**
 * A function of what it needs that returns what it exports. Exports are taken over once, so none of them may change
 * later; and nothing is awaited.
 */
function scriptOf(source: string, file: string, outdir: string): string {
  const { program, module, errors } = parseSync(file, source);
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`);
  const nameOf = (from: string): string =>
    JSON.stringify(path.relative(outdir, path.join(path.dirname(file), from)));
  const edits: Edit[] = [];
  const exported: string[] = [];
  for (const node of program.body) {
    if (node.type === 'ImportDeclaration') edits.push({ ...span(node), by: taken(node, nameOf) });
    else if (node.type === 'ExportNamedDeclaration') {
      edits.push({ ...span(node), by: '' });
      exported.push(...returned(node, file));
    } else if (node.type.startsWith('Export')) throw new Error(`${file}: exports in a way not foreseen`);
  }
  for (const { start, end, moduleRequest } of module.dynamicImports) {
    const name = JSON.parse(source.slice(moduleRequest.start, moduleRequest.end)) as string;
    edits.push({ start, end, by: `__loadLater(${nameOf(name)})` });
  }
  for (const { start, end } of module.importMetas) {
    // An entry point's script lies elsewhere.
    if (path.dirname(file) === outdir) throw new Error(`${file}: an entry point asks where it lies`);
    if (!source.startsWith('.url', end))
      throw new Error(`${file}: asks for more of import.meta than its url`);
    edits.push({ start, end: end + '.url'.length, by: '__url()' });
  }
  let script = '';
  let at = 0;
  for (const { start, end, by } of edits.sort((a, b) => a.start - b.start)) {
    script += source.slice(at, start) + by;
    at = end;
  }
  script += source.slice(at);
  // Read as one byte for each character. What isn't, in regular expressions, reads the same escaped.
  script = script.replace(/[^\0-\x7f]/g, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return `(function(__load,__loadLater,__url,require){"use strict";${script}\nreturn{${exported.join(',')}}})`;
}

function span({ start, end }: { readonly start: number; readonly end: number }): {
  start: number;
  end: number;
} {
  return { start, end };
}

/** Node's own are not loaded as modules: that reads all that they export, some of which is loaded when it is read. */
function taken({ source, specifiers }: ImportDeclaration, nameOf: (from: string) => string): string {
  const from = source.value;
  const got = isBuiltin(from) ? `require(${JSON.stringify(from)})` : `__load(${nameOf(from)})`;
  const names: string[] = [];
  for (const specifier of specifiers) {
    const { name } = specifier.local;
    if (specifier.type === 'ImportSpecifier')
      names.push(
        `${'name' in specifier.imported ? specifier.imported.name : JSON.stringify(specifier.imported.value)}:${name}`,
      );
    else if (isBuiltin(from)) return `const ${name}=${got};`;
    else throw new Error(`imports ${from} in a way not foreseen`);
  }
  return names.length === 0 ? `${got};` : `const{${names.join(',')}}=${got};`;
}

function returned({ declaration, source, specifiers }: ExportNamedDeclaration, file: string): string[] {
  if (declaration !== null || source !== null) throw new Error(`${file}: exports in a way not foreseen`);
  return specifiers.map(({ local, exported }) => `${nameIn(exported)}:${nameIn(local)}`);
}

function nameIn(name: ExportNamedDeclaration['specifiers'][number]['local']): string {
  return 'name' in name ? name.name : JSON.stringify(name.value);
}
