/** The recipe of the container image, whose context is the folder of the release. */
import { archiveFor, type Release } from './release.ts';

/**
 * Two targets: `serve`, with nothing but what the product needs, and `shell`, for pipelines whose jobs are scripts. The
 * archives are taken from the context, where their checksums are held against those of the recipe.
 */
export function imageRecipe(release: Release): string {
  const { version, homepage, description } = release;
  const amd64 = archiveFor(release, 'linux', 'amd64');
  const arm64 = archiveFor(release, 'linux', 'arm64');
  return `# kubectl gc-tree ${version} as an image, for linux/amd64 and linux/arm64:
#   docker buildx build --target serve --platform linux/amd64,linux/arm64 --tag YOUR_REGISTRY/kubectl-gc-tree:${version} .
FROM debian:12-slim AS unpacked
ARG TARGETARCH
COPY ${amd64.file} ${arm64.file} /
RUN printf '%s  %s\\n' \\
      ${amd64.sha256} /${amd64.file} \\
      ${arm64.sha256} /${arm64.file} | sha256sum --check --strict && \\
    mkdir -p /opt/gc-tree /shell/usr/local/bin && \\
    ln -s /opt/gc-tree/kubectl-gc_tree /shell/usr/local/bin/kubectl-gc_tree && \\
    tar -xzf /kubectl-gc_tree_${version}_linux_"$TARGETARCH".tar.gz -C /opt/gc-tree

# For jobs of a pipeline, which are scripts: a shell, and kubectl-gc_tree on the PATH.
FROM debian:12-slim AS shell
COPY --from=unpacked /opt/gc-tree /opt/gc-tree
COPY --from=unpacked /shell /
ENV HOME=/tmp
USER 65532:65532
${labels({ version, homepage, description })}
CMD ["kubectl-gc_tree", "--help"]

# For serve: glibc and the product, no shell. The last target is the one that is built where none is named.
FROM gcr.io/distroless/base-debian12:nonroot AS serve
COPY --from=unpacked /opt/gc-tree /opt/gc-tree
ENV LD_LIBRARY_PATH=/opt/gc-tree/lib HOME=/tmp
USER 65532:65532
${labels({ version, homepage, description })}
ENTRYPOINT ["/opt/gc-tree/lib/node", "/opt/gc-tree/dist/main.js"]
`;
}

function labels(release: Pick<Release, 'version' | 'homepage' | 'description'>): string {
  return `LABEL org.opencontainers.image.title="kubectl gc-tree" \\
      org.opencontainers.image.description=${JSON.stringify(release.description)} \\
      org.opencontainers.image.version=${JSON.stringify(release.version)} \\
      org.opencontainers.image.source=${JSON.stringify(release.homepage)} \\
      org.opencontainers.image.licenses="Apache-2.0"`;
}
