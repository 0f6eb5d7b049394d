/** What no connection can be made of, though each part of it can be read. */
import { SourceError } from '../../source/source.ts';
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';

/**
 * Throws a `SourceError` for what clientcmd's `validateClusterInfo` and `validateAuthInfo` refuse (v0.36), flags
 * included. Unreadable files are found when they are read.
 */
export function validate(cluster: KubeconfigCluster, user: KubeconfigUser): void {
  if (cluster.insecureSkipTlsVerify && (cluster.caFile !== '' || cluster.caData !== '')) {
    throw new SourceError(
      `cluster "${cluster.name}" sets both a certificate authority and insecure-skip-tls-verify; remove one.`,
    );
  }
  const hasCert = user.certFile !== '' || user.certData !== '';
  if (hasCert && user.keyFile === '' && user.keyData === '') {
    throw new SourceError(
      `user "${user.name}" has a client certificate without its key; set client-key or client-key-data, or pass --client-key.`,
    );
  }
  const saysMore = user.asUid !== '' || user.asGroups.length > 0 || Object.keys(user.asUserExtra).length > 0;
  if (user.as === '' && saysMore) {
    throw new SourceError(
      `the uid, groups or extra values for user "${user.name}" need somebody to act as: pass --as, or set "as".`,
    );
  }
  if (user.exec !== undefined && user.exec.command === '') {
    throw new SourceError(`user "${user.name}" has an exec plugin without a command; set exec.command.`);
  }
}
