/** The formula for Homebrew, on macOS and Linux. */
import { type Archive, addressOf, archiveFor, type Release } from './release.ts';

export function homebrewFormula(release: Release): string {
  const { version, homepage, description } = release;
  const on = (os: Archive['os']): string =>
    (['arm64', 'amd64'] as const)
      .map(arch => {
        const { file, sha256 } = archiveFor(release, os, arch);
        return `    on_${arch === 'arm64' ? 'arm' : 'intel'} do
      url ${ruby(addressOf(release, file))}
      sha256 ${ruby(sha256)}
    end`;
      })
      .join('\n');
  return `class KubectlGcTree < Formula
  desc ${ruby(description)}
  homepage ${ruby(homepage)}
  version ${ruby(version)}
  license "Apache-2.0"

  on_macos do
${on('darwin')}
  end

  on_linux do
${on('linux')}
  end

  def install
    libexec.install Dir["*"]
    bin.install_symlink libexec/"kubectl-gc_tree"
    generate_completions_from_executable(bin/"kubectl-gc_tree", "completion")
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/kubectl-gc_tree version --client")
  end
end
`;
}

/** A string of Ruby in which nothing is replaced. */
function ruby(text: string): string {
  return `"${text.replace(/["\\#]/gu, String.raw`\$&`)}"`;
}
