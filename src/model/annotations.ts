/** Annotations that are kept: they show who manages or deletes an object. All others are skipped unread. */
import type { Labels } from './object.ts';

const keys = new Set([
  'argocd.argoproj.io/sync-options',
  'argocd.argoproj.io/tracking-id',
  'cert-manager.io/certificate-name',
  'cluster-autoscaler.kubernetes.io/safe-to-evict',
  'cluster.x-k8s.io/cluster-name',
  'cluster.x-k8s.io/cluster-namespace',
  'cluster.x-k8s.io/paused',
  'config.k8s.io/owning-inventory',
  'configmanagement.gke.io/managed',
  'configsync.gke.io/manager',
  'configsync.gke.io/resource-id',
  'crossplane.io/paused',
  'descheduler.alpha.kubernetes.io/evict',
  'descheduler.alpha.kubernetes.io/prefer-no-eviction',
  'gc-tree.dev/allow-deletion',
  'gc-tree.dev/guard',
  'helm.sh/resource-policy',
  'helm.toolkit.fluxcd.io/driftDetection',
  'kapp.k14s.io/delete-strategy',
  'kapp.k14s.io/identity',
  'karpenter.sh/do-not-disrupt',
  'kubernetes.io/config.mirror',
  'kubernetes.io/service-account.name',
  'kubernetes.io/service-account.uid',
  'kustomize.toolkit.fluxcd.io/prune',
  'kustomize.toolkit.fluxcd.io/reconcile',
  'kustomize.toolkit.fluxcd.io/ssa',
  'meta.helm.sh/release-name',
  'meta.helm.sh/release-namespace',
  'objectset.rio.cattle.io/owner-gvk',
  'objectset.rio.cattle.io/owner-name',
  'objectset.rio.cattle.io/owner-namespace',
  'snapshot.storage.kubernetes.io/deletion-secret-name',
  'snapshot.storage.kubernetes.io/deletion-secret-namespace',
  'volume.kubernetes.io/provisioner-deletion-secret-name',
  'volume.kubernetes.io/provisioner-deletion-secret-namespace',
]);
let longest = Math.max(...[...keys].map(each => each.length));

/** Keeps more keys, in everything read from now on. */
function keepAnnotations(more: Iterable<string>): void {
  for (const key of more) {
    keys.add(key);
    longest = Math.max(longest, Buffer.byteLength(key));
  }
}

/** Rejects keys by their length in bytes, so that long ones are never decoded. */
function mayBeKept(bytes: number): boolean {
  return bytes <= longest;
}

function isKept(key: string): boolean {
  return keys.has(key);
}

export function keptOf(pairs: Labels): Labels {
  return pairs.filter((_, index) => isKept(pairs[index - (index % 2)] ?? ''));
}

/** Tests and extends the set of annotation keys that objects keep. */
export const keptAnnotations = { has: isKept, add: keepAnnotations, mayHave: mayBeKept };
