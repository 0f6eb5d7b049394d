/** Run by Bun: makes an executable of the product's source. Its arguments are those of `bunExecutable`, as JSON. */
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import type { BunBuild } from './bun-executable.ts';

/** What is used of a plugin's `build`, which is that of esbuild. */
interface Build {
  onResolve(
    on: { readonly filter: RegExp },
    by: () => { readonly path: string; readonly namespace: string },
  ): void;
  onLoad(
    on: { readonly filter: RegExp; readonly namespace?: string },
    by: (file: { readonly path: string }) => { readonly contents: string; readonly loader: 'js' | 'ts' },
  ): void;
}

declare const Bun: {
  build(options: object): Promise<{ readonly success: boolean; readonly logs: readonly unknown[] }>;
};

const { entry, file, beside, version } = JSON.parse(process.argv[2] ?? '') as BunBuild;

const { success, logs } = await Bun.build({
  entrypoints: [entry],
  compile: { outfile: file },
  target: 'bun',
  format: 'esm',
  bytecode: true,
  minify: { syntax: true, whitespace: true },
  loader: { '.yaml': 'text' },
  define: {
    'process.env.NODE_ENV': '"production"',
    'process.env.DEV': '"false"',
    __VERSION__: JSON.stringify(version),
  },
  plugins: [
    {
      name: 'as-the-product',
      setup(build: Build) {
        // Ink's developer tools are not installed, and Bun would ask for them when it starts.
        build.onResolve({ filter: /^react-devtools-core$/u }, () => ({ path: 'none', namespace: 'none' }));
        build.onLoad({ filter: /.*/u, namespace: 'none' }, () => ({
          contents: 'export default {};',
          loader: 'js',
        }));
        // Its own files cannot be listed by folder.
        build.onLoad({ filter: /\/src\/source\/demo\/scenarios\.ts$/u }, ({ path }) => ({
          contents: readFileSync(path, 'utf8').replaceAll(
            'import.meta.url',
            JSON.stringify(pathToFileURL(`${beside}/`).href),
          ),
          loader: 'ts',
        }));
      },
    },
  ],
});
if (!success) throw new Error(logs.map(String).join('\n'));
