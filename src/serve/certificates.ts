/** The serving certificate from two files, read again when they change: cert-manager and others renew it in place. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
}

/** Milliseconds between two looks; kubelets write a renewed Secret within a minute. */
const LOOK_MS = 10_000;

/** Rejects with an `Error` for a user where a file cannot be read, or where the two are no pair. */
export async function readCertificate({ certFile, keyFile }: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([textOf(certFile), textOf(keyFile)]);
  // What OpenSSL says may hold parts of the key.
  if (!isPair(cert, key))
    throw new Error(`${certFile} and ${keyFile} are no certificate with its private key, in PEM.`);
  return { cert, key };
}

/** A context takes an empty file for none at all, so the two are compared before one is made. */
function isPair(cert: string, key: string): boolean {
  try {
    createSecureContext({ cert, key });
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch {
    return false;
  }
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const why = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
    throw new Error(`${file} cannot be read (${why}).`);
  }
}

/**
 * Calls back with each other pair that fits together, and with each failure that is another one than the last: between
 * two files that are replaced one after the other there is a moment at which they don't, and the old pair serves on.
 * The returned function ends it.
 */
export function watchCertificate(
  files: CertificateFiles,
  first: Certificate,
  {
    changed,
    failed,
    every = LOOK_MS,
  }: {
    readonly changed: (certificate: Certificate) => void;
    readonly failed: (message: string) => void;
    readonly every?: number;
  },
): () => void {
  let last = first;
  let failure = '';
  const look = async (): Promise<void> => {
    try {
      const now = await readCertificate(files);
      failure = '';
      if (now.cert === last.cert && now.key === last.key) return;
      last = now;
      changed(now);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      if (message !== failure) failed(message);
      failure = message;
    }
  };
  const timer = setInterval(() => void look(), every);
  timer.unref();
  return () => clearInterval(timer);
}
