/** What `npm ci` installs is what the lock file says, the Node that runs npm scripts included: nothing installs more on its own. */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly link?: boolean;
  readonly hasInstallScript?: boolean;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly os?: unknown;
  readonly cpu?: unknown;
  readonly bin?: Readonly<Record<string, string>>;
}

function json(file: string): unknown {
  return JSON.parse(readFileSync(fileURLToPath(new URL(`../../${file}`, import.meta.url)), 'utf8'));
}

const { packages } = json('package-lock.json') as { readonly packages: Readonly<Record<string, Locked>> };
const installed = Object.entries(packages).filter(([folder]) => folder.includes('node_modules/'));

test('every package is pinned by its digest', () => {
  expect(installed.length).toBeGreaterThan(100);
  const loose = installed.filter(([, { integrity, link }]) => integrity === undefined && link !== true);
  expect(loose.map(([folder]) => folder)).toEqual([]);
});

test('only what is allowed runs a script when it is installed', () => {
  const { allowScripts } = json('package.json') as {
    readonly allowScripts: Readonly<Record<string, boolean>>;
  };
  const scripts = installed.filter(
    ([, { hasInstallScript, optional }]) => hasInstallScript === true && optional !== true,
  );
  expect(scripts.map(([folder]) => folder.replace('node_modules/', ''))).toEqual(Object.keys(allowScripts));
});

test('the pinned Node is one version for all of its platforms, each pinned by its digest', () => {
  const { optionalDependencies } = json('scripts/pinned-node/package.json') as {
    readonly optionalDependencies: Readonly<Record<string, string>>;
  };
  const platforms = Object.entries(optionalDependencies).map(([name, version]) => {
    const locked = packages[`node_modules/${name}`];
    expect(locked).toMatchObject({ version, dev: true, optional: true, bin: { node: expect.any(String) } });
    expect(locked?.integrity).toMatch(/^sha512-/u);
    return `${String(locked?.os)}-${String(locked?.cpu)}`;
  });
  expect(platforms.sort()).toEqual(['darwin-arm64', 'darwin-x64', 'linux-arm64', 'linux-x64', 'win32-x64']);
  const versions = new Set(Object.values(optionalDependencies));
  expect(versions.size).toBe(1);
  // This is what runs npm scripts, and so the tests, where there is a package for the platform.
  const isScript = process.env['npm_lifecycle_event'] !== undefined;
  if (isScript && platforms.includes(`${process.platform}-${process.arch}`))
    expect([...versions]).toEqual([process.versions.node]);
});
