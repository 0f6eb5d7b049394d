/**
 * The libraries of GCC that Node needs and an image with glibc alone lacks. No package of npm has them, so they are
 * Debian's, pinned by digest. Those of Debian 11 ask for glibc 2.18, and Node for 2.28; later ones ask for more than Node.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { Component } from '../supply-chain/sbom.ts';
import { keptFolder } from './nodes.ts';
import type { Platform } from './platforms.ts';

const run = promisify(execFile);

const SUITE = 'bullseye';
const VERSION = '10.2.1-6';
const SOURCE = `gcc-10 ${VERSION}`;

/** SHA-256 of each package's archive. The first has no library, but the licences of all. */
const digests: Readonly<Record<Platform['arch'], Readonly<Record<string, string>>>> = {
  amd64: {
    'gcc-10-base': 'be65535e94f95fbf04b104e8ab36790476f063374430f7dfc6c516cbe2d2cd1e',
    libatomic1: 'e8f1d04653698ab185c1144f35f905a1de87571c12ea630b65be669a2823d8c7',
    'libgcc-s1': 'e478f2709d8474165bb664de42e16950c391f30eaa55bc9b3573281d83a29daf',
    'libstdc++6': '5c155c58935870bf3b4bfe769116841c0d286a74f59eccfd5645693ac23f06b1',
  },
  arm64: {
    'gcc-10-base': '7d782bece7b4a36bed045a7e17d17244cb8f7e4732466091b01412ebf215defb',
    libatomic1: 'd0b8a02896479a6eac49019d71142da9561482759f40eb7aeb15cfdc7d3e39ec',
    'libgcc-s1': 'e2fcdb378d3c1ad1bcb64d4fb6b37aab44011152beca12a4944f435a2582df1f',
    'libstdc++6': '7869aa540cc46e9f3d4267d5bde2af0e5b429a820c1d6f1a4cfccfe788c31890',
  },
};

const architectures = { amd64: 'x86_64-linux-gnu', arm64: 'aarch64-linux-gnu' } as const;

interface Libraries {
  /** By the name that a program asks for. */
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly notice: string;
  readonly components: readonly Component[];
}

export async function gccLibraries(env: NodeJS.ProcessEnv, arch: Platform['arch']): Promise<Libraries> {
  const folder = await keptFolder(env, 'gcc', JSON.stringify([SUITE, VERSION, digests]), download);
  const wanted = ['libatomic.so.1', 'libgcc_s.so.1', 'libstdc++.so.6'];
  const files = new Map<string, Uint8Array>();
  for (const place of ['lib', 'usr/lib']) {
    const from = path.join(folder, arch, place, architectures[arch]);
    // Through the links of the packages, whose targets have the whole version in their names.
    for (const name of await readdir(from))
      if (wanted.includes(name)) files.set(name, await readFile(path.join(from, name)));
  }
  if (files.size !== wanted.length)
    throw new Error(`of ${wanted.join(', ')} only ${[...files.keys()].join(', ')} came`);
  const copyright = await readFile(path.join(folder, arch, 'usr/share/doc/gcc-10-base/copyright'), 'utf8');
  const licence = await readFile(
    path.join(import.meta.dirname, '../supply-chain/licences/GPL-3.0.txt'),
    'utf8',
  );
  return { files, notice: noticeOf(wanted, copyright, licence), components: componentsOf(arch) };
}

function noticeOf(names: readonly string[], copyright: string, licence: string): string {
  return `${names.map(name => `lib/${name}`).join(', ')}
Of GCC, as Debian 11 has them in its source package ${SOURCE}, unchanged.
Their source code: https://snapshot.debian.org/package/gcc-10/${VERSION}/
Licence: GPL-3.0-or-later WITH GCC-exception-3.1

${copyright.trim()}

${licence.trim()}
`;
}

function componentsOf(arch: Platform['arch']): Component[] {
  return Object.entries(digests[arch])
    .filter(([name]) => name !== 'gcc-10-base')
    .map(([name, sha256]) => ({
      name,
      version: VERSION,
      purl: `pkg:deb/debian/${encodeURIComponent(name)}@${VERSION}?arch=${arch}&distro=debian-11`,
      licence: 'GPL-3.0-or-later WITH GCC-exception-3.1',
      hash: ['SHA-256', sha256],
    }));
}

/** The first that this machine takes Debian's packages from. */
async function mirror(): Promise<string> {
  const { stdout } = await run('apt-get', ['indextargets', '--format', '$(SITE)', 'Created-By: Packages']);
  const site = stdout.split('\n').find(line => /\/debian\/?$/u.test(line));
  if (site === undefined)
    throw new Error('no mirror of Debian in the sources of apt: archives for Linux are packed on Debian');
  return site;
}

/** With apt, in a state of its own: the machine's may be of another suite. The digests are what counts. */
async function download(folder: string): Promise<void> {
  const state = path.join(folder, 'apt');
  for (const each of ['state/lists/partial', 'cache/archives/partial'])
    await mkdir(path.join(state, each), { recursive: true });
  await writeFile(path.join(state, 'sources.list'), `deb ${await mirror()} ${SUITE} main\n`);
  await writeFile(path.join(state, 'status'), '');
  const options = [
    `Dir::State=${state}/state`,
    `Dir::State::status=${state}/status`,
    `Dir::Cache=${state}/cache`,
    `Dir::Etc::sourcelist=${state}/sources.list`,
    'Dir::Etc::sourceparts=-',
    'APT::Architectures::=amd64',
    'APT::Architectures::=arm64',
    'Acquire::IndexTargets::deb::DEP-11::DefaultEnabled=false',
    ...(process.getuid?.() === 0 ? ['APT::Sandbox::User=root'] : []),
  ].flatMap(option => ['-o', option]);
  await run('apt-get', [...options, 'update', '-qq']);
  for (const [arch, packages] of Object.entries(digests)) {
    const names = Object.keys(packages).map(name => `${name}:${arch}=${VERSION}`);
    await run('apt-get', [...options, 'download', '-qq', ...names], { cwd: state });
    for (const [name, digest] of Object.entries(packages)) {
      const file = path.join(state, `${name}_${VERSION}_${arch}.deb`);
      const found = createHash('sha256')
        .update(await readFile(file))
        .digest('hex');
      if (found !== digest)
        throw new Error(`${name} ${VERSION} for ${arch} has the digest ${found}, not ${digest}`);
      await run('dpkg-deb', ['-x', file, path.join(folder, arch)]);
    }
  }
  await rm(state, { recursive: true });
}
