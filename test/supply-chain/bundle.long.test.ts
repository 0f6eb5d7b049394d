/**
 * Whose code is in the bundle: each package is named, with its licence, in the release's notice and bill of materials.
 * And what of it is loaded first.
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import type { Metafile } from 'esbuild';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { beforeAll, describe, expect, it } from 'vitest';
import { bundle } from '../../scripts/loading/bundle.ts';
import { type BundledPackage, bundledPackages } from '../../scripts/supply-chain/bundled-packages.ts';
import { thirdPartyNotice } from '../../scripts/supply-chain/licences.ts';
import { billOfMaterials, type Product } from '../../scripts/supply-chain/sbom.ts';
import { oneColumnEach } from '../../src/text/terminal/width.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const product = json('package.json') as Product;

function json(file: string): unknown {
  return JSON.parse(readFileSync(`${root}/${file}`, 'utf8'));
}

/** What the bundler says it took, told anew: name and version of every package that a file came from. */
function takenBy(metafile: Metafile): string[] {
  const found = new Set<string>();
  for (const { inputs } of Object.values(metafile.outputs))
    for (const [input, { bytesInOutput }] of Object.entries(inputs)) {
      if (bytesInOutput === 0 || !input.includes('node_modules/')) continue;
      const parts = input.split('/');
      const at = parts.lastIndexOf('node_modules') + 1;
      const length = parts[at]?.startsWith('@') === true ? 2 : 1;
      const { name, version } = json(
        [...parts.slice(0, at + length), 'package.json'].join('/'),
      ) as BundledPackage;
      found.add(`${name}@${version}`);
    }
  return [...found].sort();
}

describe('the bundle', () => {
  let metafile: Metafile;
  let packages: readonly BundledPackage[];

  beforeAll(async () => {
    ({ metafile } = await bundle(root, undefined));
    packages = await bundledPackages(root, metafile);
  });

  it('loads no tables of Unicode and no client for version and --help, which would take longer than they', () => {
    const { outputs } = metafile;
    const loaded = new Set<string>();
    const load = (output: string): void => {
      if (loaded.has(output)) return;
      loaded.add(output);
      for (const { path, kind } of outputs[output]?.imports ?? [])
        if (kind === 'import-statement') load(path);
    };
    for (const [output, { entryPoint }] of Object.entries(outputs))
      if (entryPoint === 'src/main.ts' || entryPoint === 'src/cli/run-command-line.ts') load(output);
    const inputs = [...loaded].flatMap(output => Object.keys(outputs[output]?.inputs ?? {}));
    expect(inputs).toContain('src/cli/program/program.ts');
    expect(
      inputs.filter(input => /string-width|width\.ts|undici|client-node|\/ink\/|react/u.test(input)),
    ).toEqual([]);
  });

  it('has what speaks to assistants in files that mcp alone loads, and Zod in those of mcp and policies', () => {
    const { outputs } = metafile;
    const inputsOf = (output: string): string[] => Object.keys(outputs[output]?.inputs ?? {});
    const holding = (input: RegExp): string[] =>
      Object.keys(outputs).filter(output => inputsOf(output).some(each => input.test(each)));
    const [mcp = '', policy = ''] = ['mcp/mcp.ts', 'guard/policy.ts'].flatMap(source =>
      Object.keys(outputs).filter(output => outputs[output]?.entryPoint === `src/cli/servers/${source}`),
    );
    expect(holding(/modelcontextprotocol/u)).toEqual([mcp]);
    const zod = /\/zod\//u;
    const alone = holding(zod).filter(output => inputsOf(output).every(each => zod.test(each)));
    const loading = Object.keys(outputs).filter(output =>
      outputs[output]?.imports.some(({ path, kind }) => kind === 'import-statement' && alone.includes(path)),
    );
    const users = [...holding(zod), ...loading].filter(output => !alone.includes(output));
    expect(new Set(users)).toEqual(new Set([mcp, policy]));
    // Nothing but the server and stdio of it, and no validator beside Zod.
    const inputs = inputsOf(mcp);
    expect(inputs.filter(input => /express|hono|ajv|jose|cross-spawn|eventsource/u.test(input))).toEqual([]);
  });

  it('takes nothing for one column wide that is not, alone or beside others', () => {
    const characters = Array.from({ length: 0x1_0000 }, (_, code) => String.fromCharCode(code)).filter(each =>
      oneColumnEach.test(each),
    );
    expect(characters.filter(each => stringWidth(each) !== 1)).toEqual([]);
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...characters)), text => {
        expect(stringWidth(text.join(''))).toBe(text.length);
      }),
    );
  });

  it('has a bill of materials of just the packages in it, valid by the schema of CycloneDX', async () => {
    const text = billOfMaterials(product, packages);
    expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
    const bom = JSON.parse(text) as {
      readonly components: readonly {
        readonly 'bom-ref': string;
        readonly group?: string;
        readonly name: string;
        readonly version: string;
        readonly purl: string;
        readonly hashes: readonly { readonly content: string }[];
        readonly licenses: readonly unknown[];
      }[];
      readonly dependencies: readonly { readonly ref: string; readonly dependsOn?: readonly string[] }[];
    };
    const named = bom.components.map(({ group, name, version }) =>
      group === undefined ? `${name}@${version}` : `${group}/${name}@${version}`,
    );
    expect(named.length).toBeGreaterThan(30);
    expect([...new Set(named)].sort()).toEqual(takenBy(metafile));
    const lock = JSON.stringify(json('package-lock.json'));
    for (const { purl, hashes, licenses, ...each } of bom.components) {
      expect(decodeURIComponent(purl)).toBe(
        `pkg:npm/${each.group === undefined ? '' : `${each.group}/`}${each.name}@${each.version}`,
      );
      expect(lock).toContain(`"sha512-${Buffer.from(hashes[0]?.content ?? '', 'hex').toString('base64')}"`);
      expect(licenses).toHaveLength(1);
    }
    // Everything is there because something asked for it.
    const reached = new Set<string>();
    const visit = (ref: string): void => {
      if (reached.has(ref)) return;
      reached.add(ref);
      for (const next of bom.dependencies.find(each => each.ref === ref)?.dependsOn ?? []) visit(next);
    };
    visit(`pkg:npm/${product.name}@${product.version}`);
    for (const each of bom.components) expect([...reached]).toContain(each['bom-ref']);
  });

  it('has the licence of each package in its notice', () => {
    const parts = thirdPartyNotice(packages).split(`\n${'-'.repeat(72)}\n\n`);
    const named = parts.map(part => part.split('\n', 1)[0]?.replace(' ', '@'));
    expect([...new Set(named)].sort((a, b) => ((a ?? '') < (b ?? '') ? -1 : 1))).toEqual(takenBy(metafile));
    for (const part of parts) {
      expect(part).toMatch(/^\S+ \S+\nLicence: [\w.-]+\n\n/u);
      expect(part).toMatch(/WITHOUT WARRANTY|AS IS/iu);
    }
  });

  it('is not made where a licence is unknown, not named, or has no text', () => {
    const [first] = packages;
    if (first === undefined) throw new Error('no packages');
    const name = `${first.name} ${first.version}`;
    expect(() => thirdPartyNotice([{ ...first, licence: 'SSPL-1.0' }])).toThrow(
      `${name}: its licence SSPL-1.0 is not known to fit`,
    );
    expect(() => thirdPartyNotice([{ ...first, licence: '' }])).toThrow(`${name}: its licence is not named`);
    for (const texts of [[], ['See the web site.']])
      expect(() => thirdPartyNotice([{ ...first, texts }])).toThrow(`${name}: it comes without a text`);
  });
});
