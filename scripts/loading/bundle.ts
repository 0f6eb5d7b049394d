/**
 * The product as ES modules, split at every dynamic import, so that `--version`, the first frame and the cluster client
 * each load only what they need. Apart from the build, because what is in it is asked elsewhere too.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { build, type Metafile, type Plugin } from 'esbuild';
import { parseSync } from 'oxc-parser';
import { commandNames } from '../../src/cli/runtime/command.ts';
import { oneColumnEach } from '../../src/text/terminal/width.ts';
import { readFaces } from '../architecture/imports.ts';
import { makeScripts } from './make-scripts.ts';

export interface Bundle {
  readonly metafile: Metafile;
}

/**
 * Faces of rooms are for readers. To the bundler, whatever imports one needs all the files behind it; it is given the files
 * that the names come from instead.
 */
const throughFaces: Plugin = {
  name: 'through-faces',
  setup(pluginBuild) {
    const { absWorkingDir: root = '' } = pluginBuild.initialOptions;
    const faces = readFaces(root);
    pluginBuild.onLoad({ filter: /[\\/]src[\\/].*\.tsx?$/ }, async ({ path: absolute }) => {
      const file = path.relative(root, absolute).replaceAll(path.sep, '/');
      if (!file.startsWith('src/')) return undefined;
      const folder = path.posix.dirname(file);
      let contents = await readFile(absolute, 'utf8');
      for (const { start, end, moduleRequest, entries } of parseSync(
        file,
        contents,
      ).module.staticImports.reverse()) {
        const behind = faces.get(path.posix.join(folder, moduleRequest.value));
        if (behind === undefined) continue;
        const values = entries.filter(({ isType }) => !isType);
        const imports = Map.groupBy(values, ({ importName }) => behind.get(importName.name ?? '') ?? '');
        const by = [...imports].map(([to, its]) => {
          const names = its.map(({ importName, localName }) => `${importName.name} as ${localName.value}`);
          return `import { ${names.join(', ')} } from './${path.posix.relative(folder, to)}';`;
        });
        contents = contents.slice(0, start) + by.join(' ') + contents.slice(end);
      }
      return { contents, loader: file.endsWith('x') ? 'tsx' : 'ts' };
    });
  },
};

/** Ink asks at run time whether DEV is set, to load the React developer tools, which are not installed. */
const withoutDevtools: Plugin = {
  name: 'without-devtools',
  setup(pluginBuild) {
    pluginBuild.onLoad(
      { filter: /[\\/]ink[\\/]build[\\/](?:ink|reconciler)\.js$/ },
      async ({ path: file }) => {
        const contents = await readFile(file, 'utf8');
        const without = contents.replaceAll("process.env['DEV'] === 'true'", 'false');
        if (without === contents) throw new Error(`${file} no longer asks for DEV: mend this plugin`);
        return { contents: without, loader: 'js' };
      },
    );
  },
};

/**
 * Yoga carries its WebAssembly in itself, yet asks for `fetch` while it loads. In Node that alone loads the
 * HTTP client with TLS and cryptography: a quarter of the time to the first frame. And it waits for its code to be
 * compiled, for which a script cannot wait; it is small enough to be compiled at once.
 */
const yogaAtOnce: Plugin = {
  name: 'yoga-at-once',
  setup(pluginBuild) {
    const binary = '../binaries/yoga-wasm-base64-esm.js';
    const code = /"data:application\/octet-stream;base64,([\w+/=]+)"/u;
    pluginBuild.onLoad({ filter: /yoga-layout\/dist\/binaries\/.*\.js$/ }, async ({ path: file }) => {
      const contents = await readFile(file, 'utf8');
      const without = contents.replace(/typeof fetch\b/g, '"undefined"').replace(code, '""');
      const bytes = code.exec(contents)?.[1];
      if (bytes === undefined) throw new Error(`${file} no longer has its code in it: mend this plugin`);
      return { contents: `${without}\nexport const bytes = ${JSON.stringify(bytes)};`, loader: 'js' };
    });
    pluginBuild.onLoad({ filter: /yoga-layout\/dist\/src\/index\.js$/ }, () => ({
      contents: `
        import loadYoga, { bytes } from '${binary}';
        import wrapAssembly from './wrapAssembly.js';
        const yoga = {
          instantiateWasm(imports, done) {
            const module = new WebAssembly.Module(Buffer.from(bytes, 'base64'));
            const instance = new WebAssembly.Instance(module, imports);
            done(instance);
            return instance.exports;
          },
        };
        loadYoga(yoga);
        export default wrapAssembly(yoga);
        export * from './generated/YGEnums.js';`,
      loader: 'js',
    }));
  },
};

/** Most frames are joined of their pieces as they are (`src/ui/join-rows.ts`). */
const rowsJoined: Plugin = {
  name: 'rows-joined',
  setup(pluginBuild) {
    const joining = fileURLToPath(new URL('../../src/ui/join-rows.ts', import.meta.url));
    pluginBuild.onLoad({ filter: /[\\/]ink[\\/]build[\\/]output\.js$/ }, async ({ path: file }) => {
      const contents = await readFile(file, 'utf8');
      const begin = '    get() {\n';
      if (contents.split(begin).length !== 2)
        throw new Error(`${file} no longer has ${begin}: mend this plugin`);
      const joined = `${begin}
        const joined = joinRows(this);
        if (joined !== undefined) return { output: joined, height: this.height };\n`;
      return {
        contents: `import { joinRows } from ${JSON.stringify(joining)};\n${contents.replace(begin, joined)}`,
        loader: 'js',
      };
    });
  },
};

/**
 * Widths of text need tables of Unicode, which take a process 60 ms and 3 MB to load. Most text on a terminal needs
 * none: it is told by the characters above, and the tables are loaded by the first that it does not tell.
 */
const widthsWithoutTables: Plugin = {
  name: 'widths-without-tables',
  setup(pluginBuild) {
    pluginBuild.onLoad({ filter: /[\\/]string-width[\\/]index\.js$/ }, async ({ path: file }) => {
      let contents = await readFile(file, 'utf8');
      const replace = (text: string, by: string): void => {
        if (contents.split(text).length !== 2)
          throw new Error(`${file} no longer has ${text}: mend this plugin`);
        contents = contents.replace(text, () => by);
      };
      replace('/^[\\u0020-\\u007E]*$/', String(oneColumnEach));
      replace('const segmenter = new Intl.Segmenter();', 'let segmenter;');
      replace('segmenter.segment(string)', '(segmenter ??= new Intl.Segmenter()).segment(string)');
      replace('const rgiEmojiRegex = /^\\p{RGI_Emoji}$/v;', 'let rgiEmojiRegex;');
      replace('rgiEmojiRegex.test(segment)', '(rgiEmojiRegex ??= /^\\p{RGI_Emoji}$/v).test(segment)');
      return { contents, loader: 'js' };
    });
  },
};

/**
 * The client packages declare no `sideEffects`, so the bundler would keep all of their generated API
 * classes. None of them does anything at import: marked pure, only what is used stays.
 */
const pureClient: Plugin = {
  name: 'pure-client',
  setup(pluginBuild) {
    pluginBuild.onResolve({ filter: /^@kubernetes\/client-node$/ }, async args => {
      if (args.pluginData === 'resolved') return undefined;
      const found = await pluginBuild.resolve(args.path, {
        kind: args.kind,
        importer: args.importer,
        resolveDir: args.resolveDir,
        pluginData: 'resolved',
      });
      return { ...found, sideEffects: false };
    });
    // They name each other by file, so that the path is known: asking the bundler for thousands takes it ten seconds.
    pluginBuild.onResolve({ filter: /^\..*\.js$/ }, ({ importer, path: file, resolveDir }) =>
      importer.includes('/@kubernetes/client-node/')
        ? { path: path.join(resolveDir, file), sideEffects: false }
        : undefined,
    );
  },
};

/** undici as a whole loads `fetch`, caches, WebSockets and mocks; the cluster client uses three classes, with two methods, and a function. */
const usedUndici: Plugin = {
  name: 'used-undici',
  setup(pluginBuild) {
    pluginBuild.onLoad({ filter: /[\\/]undici[\\/]index\.js$/ }, () => ({
      contents: `
        const Dispatcher = require('./lib/dispatcher/dispatcher');
        Dispatcher.prototype.request = require('./lib/api/api-request');
        // Through a proxy; loaded when there is one.
        Dispatcher.prototype.connect = function (...given) {
          return require('./lib/api/api-connect').apply(this, given);
        };
        exports.Agent = require('./lib/dispatcher/agent');
        exports.Client = require('./lib/dispatcher/client');
        exports.Pool = require('./lib/dispatcher/pool');
        exports.buildConnector = require('./lib/core/connect');`,
    }));
  },
};

/** Its validator of JSON Schemas carries all of Ajv in itself, for what the product doesn't ask of it. */
const protocolWithoutAjv: Plugin = {
  name: 'protocol-without-ajv',
  setup(pluginBuild) {
    pluginBuild.onLoad(
      { filter: /[\\/]@modelcontextprotocol[\\/]server[\\/]dist[\\/]shimsNode\.mjs$/ },
      async ({ path: file }) => {
        const contents = await readFile(file, 'utf8');
        if (!/DefaultJsonSchemaValidator, process(?: as process)? \}/u.test(contents))
          throw new Error(`${file} exports something else: mend this plugin`);
        return {
          contents: `
            export const process = globalThis.process;
            export class DefaultJsonSchemaValidator {
              constructor() { throw new Error('no JSON Schema is validated here'); }
            }`,
          loader: 'js',
        };
      },
    );
  },
};

/** By name, their paths from the root. */
type EntryPoints = Readonly<Record<string, string>>;

const product: EntryPoints = { main: 'src/main.ts', complete: 'src/complete.ts' };
/** Builds the library for other programs: plain modules in their own folder, with the files that they read at runtime. */
const library: EntryPoints = { library: 'src/library.ts' };
const requireOfModules =
  "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);";

/** Bundles the repository at `root` into a folder, or into none, to know what would be in it. */
export async function bundle(
  root: string,
  outdir: string | undefined,
  entryPoints: EntryPoints = product,
): Promise<Bundle> {
  const { version } = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as {
    readonly version: string;
  };
  const modules = (entries: EntryPoints, chunks: string): Promise<{ readonly metafile: Metafile }> =>
    build({
      absWorkingDir: root,
      entryPoints: entries,
      outdir: outdir ?? 'nowhere',
      write: outdir !== undefined,
      bundle: true,
      splitting: true,
      format: 'esm',
      platform: 'node',
      target: 'node22.23',
      jsx: 'automatic',
      minifySyntax: true,
      minifyWhitespace: true,
      legalComments: 'none',
      metafile: true,
      chunkNames: `${chunks}/[name]-[hash]`,
      // Scripts of the product are given one by what loads them.
      ...(entries === library && { banner: { js: requireOfModules } }),
      loader: { '.yaml': 'text' },
      define: {
        'process.env.NODE_ENV': '"production"',
        'process.env.DEV': '"false"',
        __VERSION__: JSON.stringify(version),
      },
      plugins: [
        throughFaces,
        withoutDevtools,
        yogaAtOnce,
        rowsJoined,
        widthsWithoutTables,
        pureClient,
        usedUndici,
        protocolWithoutAjv,
      ],
      logLevel: 'warning',
    });
  const { metafile } = await modules(entryPoints, 'chunks');
  if (entryPoints === product) await modules(library, 'library');
  if (outdir === undefined) return { metafile };
  const outputs = Object.keys(metafile.outputs).map(file => path.resolve(root, file));
  await makeScripts(outputs, path.resolve(root, outdir), Object.keys(entryPoints));
  const id = `${version}-${await digest(path.resolve(root, outdir, 'chunks'))}`;
  // Loads the others, so it is one small file that shares nothing.
  await build({
    absWorkingDir: root,
    entryPoints: ['scripts/loading/script-loader.ts'],
    outdir,
    bundle: true,
    format: 'esm',
    platform: 'node',
    target: 'node22.23',
    minify: true,
    // Another build has another cache.
    define: {
      __BUILD__: JSON.stringify(id),
      __COMMANDS__: JSON.stringify([...commandNames, '__complete']),
    },
    logLevel: 'warning',
  });
  return { metafile };
}

/** Of all that is run, whose names have the digests of their contents in them but for entry points'. */
async function digest(chunks: string): Promise<string> {
  const hash = createHash('sha256');
  for (const file of (await readdir(chunks)).sort())
    hash.update(`${file}\n`).update(await readFile(path.join(chunks, file)));
  return hash.digest('hex').slice(0, 12);
}
