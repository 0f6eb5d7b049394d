/** Releases as Helm stores them, with values that are never shown. */
import { gzipSync } from 'node:zlib';

export interface ReleaseContent {
  readonly manifest: string;
  readonly hooks?: readonly object[];
  readonly crds?: Readonly<Record<string, string>>;
  readonly status?: string;
}

/** A value that nothing prints. */
export const PASSWORD = 'hunter2-of-the-values';

export function encodedRelease(content: ReleaseContent, name = 'web', revision = 1): string {
  const { manifest, hooks = [], crds = {}, status = 'deployed' } = content;
  const files = Object.entries(crds).map(([file, data]) => ({
    name: file,
    data: Buffer.from(data).toString('base64'),
  }));
  const release = {
    name,
    namespace: 'shop',
    version: revision,
    info: { status, notes: PASSWORD },
    chart: { metadata: { name: 'web' }, templates: [], values: { password: PASSWORD }, files },
    config: { password: PASSWORD },
    manifest,
    hooks,
  };
  return gzipSync(JSON.stringify(release)).toString('base64');
}

/** A Secret of the default driver, or a ConfigMap. */
export function storedRelease(
  content: ReleaseContent | string,
  { name = 'web', revision = 1, kind = 'Secret' } = {},
): string {
  const encoded = typeof content === 'string' ? content : encodedRelease(content, name, revision);
  const data = kind === 'Secret' ? Buffer.from(encoded).toString('base64') : encoded;
  return `
---
apiVersion: v1
kind: ${kind}
${kind === 'Secret' ? 'type: helm.sh/release.v1' : ''}
metadata:
  {name: sh.helm.release.v1.${name}.v${revision}, namespace: shop, uid: ${kind}-${name}-${revision}, labels: {owner: helm, name: ${name}, status: deployed, version: "${revision}"}}
data: {release: "${data}"}
`;
}

interface LiveObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly more?: string;
  readonly spec?: string;
  readonly release?: string;
}

/** An object as Helm has created it, with its marks. */
export function released({
  apiVersion,
  kind,
  name,
  more = '',
  spec = '',
  release = 'web',
}: LiveObject): string {
  return `
---
{apiVersion: ${apiVersion}, kind: ${kind}, metadata: {name: ${name}, namespace: shop, uid: ${kind}-${name}, labels: {app.kubernetes.io/managed-by: Helm}, annotations: {meta.helm.sh/release-name: ${release}, meta.helm.sh/release-namespace: shop}${more}}${spec}}
`;
}
