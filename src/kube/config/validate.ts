/** What no connection can be made of, though each part of it can be read. */
import { SourceError } from '../../source/source.ts';
import type { KubeconfigCluster, KubeconfigUser } from './kubeconfig.ts';
import { isProxyAddress } from './proxy.ts';

/** Throws a `SourceError` for what clientcmd's `validateClusterInfo` and `validateAuthInfo` refuse (v0.36), flags included. */
export function validate(cluster: KubeconfigCluster, user: KubeconfigUser): void {
  validateCluster(cluster);
  validateUser(user);
}

function validateCluster(cluster: KubeconfigCluster): void {
  const owner = `cluster "${cluster.name}"`;
  if (cluster.insecureSkipTlsVerify && (cluster.caFile !== '' || cluster.caData !== '')) {
    throw new SourceError(
      `${owner} sets both a certificate authority and insecure-skip-tls-verify; remove one.`,
    );
  }
  checkMaterial(owner, 'certificate-authority', cluster.caFile, cluster.caData);
  if (cluster.proxyUrl !== '' && !isProxyAddress(cluster.proxyUrl, ['http', 'https', 'socks5'])) {
    throw new SourceError(
      `the proxy-url of ${owner} is not the address of a proxy; it should look like http://host:3128, https:// or socks5://.`,
    );
  }
}

function validateUser(user: KubeconfigUser): void {
  const owner = `user "${user.name}"`;
  if (user.certFile !== '' || user.certData !== '') {
    if (user.keyFile === '' && user.keyData === '') {
      throw new SourceError(
        `${owner} has a client certificate without its key; set client-key or client-key-data, or pass --client-key.`,
      );
    }
    checkMaterial(owner, 'client-certificate', user.certFile, user.certData);
    checkMaterial(owner, 'client-key', user.keyFile, user.keyData);
  }
  const saysMore = user.asUid !== '' || user.asGroups.length > 0 || Object.keys(user.asUserExtra).length > 0;
  if (user.as === '' && saysMore) {
    throw new SourceError(
      `the uid, groups or extra values for ${owner} need somebody to act as: pass --as, or set "as".`,
    );
  }
  if (user.exec !== undefined && user.exec.command === '') {
    throw new SourceError(`${owner} has an exec plugin without a command; set exec.command.`);
  }
}

function checkMaterial(owner: string, key: string, file: string, data: string): void {
  if (file !== '' && data !== '') {
    throw new SourceError(`${owner} sets both ${key} and ${key}-data; remove one.`);
  }
  if (!isBase64(data)) {
    throw new SourceError(
      `the ${key}-data of ${owner} is not base64; encode the PEM text, or name its file as ${key}.`,
    );
  }
}

// As Go has it: padded, and with line breaks but no other blanks. Node takes anything.
function isBase64(data: string): boolean {
  return /^(?:[A-Za-z\d+/]{4})*(?:[A-Za-z\d+/]{2}==|[A-Za-z\d+/]{3}=)?$/.test(data.replace(/[\r\n]/g, ''));
}
