/** The serving certificate from two files, reloaded when they change: cert-manager and others renew it in place. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext } from 'node:tls';

export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
  /** Certificates of the authorities that issue clients' certificates. */
  readonly clientCaFile?: string | undefined;
}

export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Authorities of the clients. */
  readonly ca?: string;
}

/** Milliseconds between checks; kubelets write a renewed Secret within a minute. */
const LOOK_MS = 10_000;

/** Rejects with an `Error` for the user if a file cannot be read or holds something else. */
export async function readCertificate({
  certFile,
  keyFile,
  clientCaFile,
}: CertificateFiles): Promise<Certificate> {
  const [cert, key] = await Promise.all([textOf(certFile), textOf(keyFile)]);
  // OpenSSL's message may contain parts of the key.
  if (!isPair(cert, key))
    throw new Error(`${certFile} and ${keyFile} are no certificate with its private key, in PEM.`);
  if (clientCaFile === undefined) return { cert, key };
  const ca = await textOf(clientCaFile);
  if (!isAuthority(ca)) throw new Error(`${clientCaFile} holds no certificate of an authority, in PEM.`);
  return { cert, key, ca };
}

function isAuthority(ca: string): boolean {
  try {
    return new X509Certificate(ca).ca;
  } catch {
    return false;
  }
}

/** Checks for empty files too, which a context would ignore. */
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
 * Reports each new matching pair, and each failure that differs from the last. While the files are replaced one by one
 * they don't match, and the old pair stays in use. The returned function stops watching.
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
      if (now.cert === last.cert && now.key === last.key && now.ca === last.ca) return;
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
