/** The manifest for krew's index. */
import { parseDocument } from 'yaml';
import { addressOf, programOf, type Release } from './release.ts';

/** `template` is `plugin.yaml`, which has what stays the same from one release to the next. */
export function krewManifest(release: Release, template: string): string {
  // What its first lines say is of the template.
  const manifest = parseDocument(template.replace(/^(?:#.*\n)+/u, ''));
  manifest.setIn(['spec', 'version'], `v${release.version}`);
  manifest.setIn(['spec', 'homepage'], release.homepage);
  manifest.setIn(
    ['spec', 'platforms'],
    manifest.createNode(
      release.archives.map(({ os, arch, file, sha256 }) => ({
        selector: { matchLabels: { os, arch } },
        uri: addressOf(release, file),
        sha256,
        bin: programOf(os),
      })),
    ),
  );
  return manifest.toString({ lineWidth: 0 });
}
