/** The manifest for Scoop, on Windows. */
import { addressOf, archiveFor, programOf, type Release } from './release.ts';

/** Scoop's words for architectures. */
const named = { amd64: '64bit', arm64: 'arm64' } as const;

export function scoopManifest(release: Release): string {
  const { version, homepage, description } = release;
  const each = <T>(of: (arch: keyof typeof named) => T): Readonly<Record<string, T>> =>
    Object.fromEntries((['amd64', 'arm64'] as const).map(arch => [named[arch], of(arch)]));
  const manifest = {
    version,
    description,
    homepage,
    license: 'Apache-2.0',
    architecture: each(arch => {
      const { file, sha256 } = archiveFor(release, 'windows', arch);
      return { url: addressOf(release, file), hash: sha256 };
    }),
    bin: programOf('windows'),
    checkver: { github: homepage },
    autoupdate: {
      architecture: each(arch => {
        const { file } = archiveFor(release, 'windows', arch);
        return { url: addressOf({ ...release, version: '$version' }, file.replace(version, '$version')) };
      }),
    },
  };
  return `${JSON.stringify(manifest, undefined, 4)}\n`;
}
