/** Reads trusted certificates, from PEM text as Go does, and from the operating system. */
import { X509Certificate } from 'node:crypto';
import { type Dirent, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { getCACertificates } from 'node:tls';
import { Platform } from '../../platform/index.ts';
import type { KubeconfigEnvironment } from '../config/load-kubeconfig.ts';

/** Skips unusable blocks (`CertPool.AppendCertsFromPEM`, Go 1.26); Node would silently stop at the first. */
export function certificatesOf(text: string): string[] {
  return blocksOf(text).filter(isCertificate);
}

/**
 * Reads Go's files on Linux, or `SSL_CERT_FILE` and `SSL_CERT_DIR` (crypto/x509 `loadSystemRoots`, Go 1.26); elsewhere
 * the system's store, as Go does on macOS and Windows.
 */
export function systemAuthorities(
  env: KubeconfigEnvironment,
  platform: NodeJS.Platform = Platform.current.name,
): string[] {
  if (platform !== 'linux') return getCACertificates('system');
  const found = new Set<string>();
  const add = (file: string): boolean => {
    const text = read(file);
    for (const block of text === undefined ? [] : blocksOf(text)) found.add(block);
    return text !== undefined;
  };
  // Only the first readable file counts, but every file of every folder.
  (env['SSL_CERT_FILE'] ? [env['SSL_CERT_FILE']] : files).some(add);
  for (const folder of env['SSL_CERT_DIR'] ? env['SSL_CERT_DIR'].split(':') : folders) {
    for (const entry of entriesOf(folder)) add(path.join(folder, entry.name));
  }
  return [...found];
}

const files = [
  '/etc/ssl/certs/ca-certificates.crt',
  '/etc/pki/tls/certs/ca-bundle.crt',
  '/etc/ssl/ca-bundle.pem',
  '/etc/pki/tls/cacert.pem',
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/ssl/cert.pem',
];

const folders = ['/etc/ssl/certs', '/etc/pki/tls/certs'];

// A block begins and ends on its own lines; a header in it would have a colon.
const block = /^-----BEGIN CERTIFICATE-----[ \t]*\r?\n[A-Za-z\d+/=\s]+?-----END CERTIFICATE-----[ \t]*\r?$/gm;

function blocksOf(text: string): string[] {
  return text.match(block) ?? [];
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}

function entriesOf(folder: string): Dirent[] {
  try {
    // Links by hash within the folder lead to files that are read anyway.
    return readdirSync(folder, { withFileTypes: true }).filter(
      entry => !(entry.isSymbolicLink() && !readlinkSync(path.join(folder, entry.name)).includes('/')),
    );
  } catch {
    return [];
  }
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return undefined;
  }
}
