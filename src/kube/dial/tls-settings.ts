/** kubectl's TLS settings: versions, ciphers and signatures of Go's crypto/tls, and trusted authorities. */
import { createPrivateKey, getFips, type KeyObject, X509Certificate } from 'node:crypto';
import { createSecureContext, type PeerCertificate, type SecureContext } from 'node:tls';
import type { KubeconfigEnvironment } from '../config/load-kubeconfig.ts';
import { isIssuedFor } from '../config/server-name.ts';
import { certificatesOf, systemAuthorities } from './authorities.ts';

// Go 1.26's ciphers for TLS 1.2 (crypto/tls `defaultCipherSuites`); TLS 1.3's are equal. OpenSSL's level 1 refuses
// SHA-1 and RSA keys below 1024 bits, as Go does, whatever Node's default.
const ciphers = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  ...['AES128-GCM-SHA256', 'AES256-GCM-SHA384', 'CHACHA20-POLY1305', 'AES128-SHA', 'AES256-SHA'].flatMap(
    cipher => [`ECDHE-ECDSA-${cipher}`, `ECDHE-RSA-${cipher}`],
  ),
  '@SECLEVEL=1',
].join(':');

// `defaultSupportedSignatureAlgorithms` of Go 1.26 without SHA-1, which Go offers and then refuses.
const sigalgs = [
  'rsa_pss_rsae_sha256',
  'ecdsa_secp256r1_sha256',
  'ed25519',
  'rsa_pss_rsae_sha384',
  'rsa_pss_rsae_sha512',
  'rsa_pkcs1_sha256',
  'rsa_pkcs1_sha384',
  'rsa_pkcs1_sha512',
  'ecdsa_secp384r1_sha384',
  'ecdsa_secp521r1_sha512',
].join(':');

// Go's key exchanges (`defaultCurvePreferences`, Go 1.26). OpenSSL 3.5 can send two shares and skips unusable groups;
// older ones have all of the others except under FIPS.
const [major = 0, minor = 0] = process.versions.openssl.split('.').map(Number);
const isNew = major > 3 || (major === 3 && minor >= 5);
const groups = {
  ...(isNew && { ecdhCurve: '?*X25519MLKEM768:?*X25519:?P-256:?P-384:?P-521' }),
  ...(!isNew && getFips() === 0 && { ecdhCurve: 'X25519:P-256:P-384:P-521' }),
};

/** Cached per material: loading the system's authorities takes 40 ms. */
const contexts = new WeakMap<TlsMaterial, SecureContext>();

interface TlsOptions {
  readonly secureContext: SecureContext;
  readonly rejectUnauthorized: boolean;
  readonly checkServerIdentity: (host: string, peer: PeerCertificate) => Error | undefined;
}

/** Returns options for a peer that must prove to be `name`. Throws an error of node:tls for unusable material. */
export function tlsOptions(tls: TlsMaterial, name: string, env: KubeconfigEnvironment): TlsOptions {
  let secureContext = contexts.get(tls);
  if (secureContext === undefined) {
    secureContext = contextOf(tls, env);
    contexts.set(tls, secureContext);
  }
  return {
    secureContext,
    // Set explicitly, because NODE_TLS_REJECT_UNAUTHORIZED=0 would turn verification off.
    rejectUnauthorized: tls.rejectUnauthorized !== false,
    checkServerIdentity: (_host, peer) => identityError(peer, name),
  };
}

function contextOf(tls: TlsMaterial, env: KubeconfigEnvironment): SecureContext {
  const { cert, key } = tls;
  if (cert !== undefined) checkClientCertificate(String(cert), String(key ?? ''));
  return createSecureContext({
    // Any list, even an empty one, replaces Node's own authorities.
    ca: authoritiesFor(tls, env),
    // Go also trusts an intermediate or the server's own certificate if configured.
    allowPartialTrustChain: true,
    ...(cert !== undefined && { cert }),
    ...(key !== undefined && { key }),
    minVersion: 'TLSv1.2',
    ciphers,
    sigalgs,
    ...groups,
  });
}

function authoritiesFor({ ca, rejectUnauthorized }: TlsMaterial, env: KubeconfigEnvironment): string[] {
  if (rejectUnauthorized === false) return [];
  if (ca === undefined) return systemAuthorities(env);
  const found = certificatesOf(String(ca));
  if (found.length > 0) return found;
  throw new UnusableMaterial('the certificate authority that is to be trusted holds no certificate in PEM.');
}

// Checks explicitly, because node:tls silently sends no certificate if its key doesn't fit.
function checkClientCertificate(certificate: string, key: string): void {
  if (/^-----BEGIN ENCRYPTED|^Proc-Type: .*ENCRYPTED/m.test(key)) {
    throw new UnusableMaterial(
      'the client key is encrypted, which kubectl does not take either; decrypt it.',
    );
  }
  const [own] = certificatesOf(certificate);
  if (own === undefined) throw new UnusableMaterial('the client certificate is not in PEM.');
  if (!new X509Certificate(own).checkPrivateKey(privateKeyOf(key))) {
    throw new UnusableMaterial('the client certificate and its key do not belong together.');
  }
}

function privateKeyOf(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    throw new UnusableMaterial('the client key is not a private key in PEM.', { cause: error });
  }
}

export class UnusableMaterial extends Error {
  override readonly name = 'UnusableMaterial';
}

export class WrongName extends Error {
  override readonly name = 'WrongName';
  /** The requested name, and the certificate's names as Node writes them. */
  readonly wanted: string;
  readonly made: string;

  constructor(wanted: string, made: string) {
    super(`the certificate is not valid for ${wanted}`);
    this.wanted = wanted;
    this.made = made;
  }
}

function identityError(peer: PeerCertificate, name: string): Error | undefined {
  try {
    const certificate = new X509Certificate(peer.raw);
    // Go cannot read such a certificate; OpenSSL can.
    if (certificate.serialNumber.startsWith('-')) {
      return new Error('the certificate has a negative serial number');
    }
    return isIssuedFor(certificate, name) ? undefined : new WrongName(name, certificate.subjectAltName ?? '');
  } catch (error) {
    // An exception thrown here would end the process.
    return error instanceof Error ? error : new Error(String(error));
  }
}

export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

export function equalTls(a: TlsMaterial, b: TlsMaterial): boolean {
  return (['ca', 'cert', 'key', 'servername', 'rejectUnauthorized'] as const).every(
    key => String(a[key]) === String(b[key]),
  );
}
