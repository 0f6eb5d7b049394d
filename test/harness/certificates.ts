/**
 * The certificates of a test control plane, made with the openssl command: Node can sign no X.509 itself,
 * and the API server needs a CA of ours so that clients can verify it and prove who they are.
 */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ControlPlaneUnavailable } from './processes/go-module.ts';

/** Paths of PEM files. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** Issues certificates of one throw-away CA into one folder. */
export class CertificateAuthority {
  readonly #folder: string;
  readonly ca: Certificate;

  private constructor(folder: string, ca: Certificate) {
    this.#folder = folder;
    this.ca = ca;
  }

  static async create(folder: string): Promise<CertificateAuthority> {
    const ca = await issueCertificate(folder, 'ca', {
      subject: '/CN=gc-tree-test-ca',
      extensions: authorityExtensions,
    });
    return new CertificateAuthority(folder, ca);
  }

  /** A serving certificate for 127.0.0.1 and localhost. */
  async server(name: string): Promise<Certificate> {
    return issueCertificate(this.#folder, name, {
      issuer: this.ca,
      extensions: ['basicConstraints=CA:FALSE', 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes'],
    });
  }

  /** A client certificate; the API server reads CN as the user and each O as a group. It expires
   * in `days`; a negative number makes one that has expired. */
  async client(user: string, groups: readonly string[] = [], days = 365): Promise<Certificate> {
    return issueCertificate(this.#folder, `client-${user}${days < 0 ? '-expired' : ''}`, {
      issuer: this.ca,
      subject: [...groups.map(group => `/O=${group}`), `/CN=${user}`].join(''),
      extensions: ['basicConstraints=CA:FALSE', 'extendedKeyUsage=clientAuth'],
      days,
    });
  }
}

/** What makes a certificate one that may sign others. */
export const authorityExtensions: readonly string[] = [
  'basicConstraints=critical,CA:TRUE',
  'keyUsage=critical,keyCertSign,cRLSign',
  'subjectKeyIdentifier=hash',
];

export interface CertificateRequest {
  /** `/CN=<name>` unless told; `/` for none. */
  readonly subject?: string;
  /** It signs itself without one. */
  readonly issuer?: Certificate;
  /** Lines of a section of extensions as openssl's configuration has them. */
  readonly extensions?: readonly string[];
  /** Valid from now on, 365 unless told; with a negative number it has expired. */
  readonly days?: number;
  /** Valid from then on in place of now: `20400101000000Z`. */
  readonly from?: string;
  /** Of the signature; sha256 unless told. */
  readonly digest?: string;
  /** Arguments after `-newkey` of `openssl req`; a P-256 key unless told. */
  readonly key?: readonly string[];
  /** Random unless told. */
  readonly serial?: string;
}

/** Makes a key and a certificate for it, as `<name>.key` and `<name>.crt` in `folder`. */
export async function issueCertificate(
  folder: string,
  name: string,
  wish: CertificateRequest = {},
): Promise<Certificate> {
  const { subject = `/CN=${name}`, issuer, extensions = [], days = 365, from, digest = 'sha256' } = wish;
  const serial = wish.serial ?? `0x${crypto.randomUUID().replaceAll('-', '')}`;
  const made = pair(folder, name);
  const file = (ending: string): string => made.certificate.replace(/crt$/, ending);
  const key = ['-newkey', ...(wish.key ?? ellipticKey), '-nodes', '-keyout', made.key];
  await openssl(['req', '-new', ...key, '-subj', subject, '-out', file('csr')]);
  await writeFile(file('ext'), `[made]\n${extensions.join('\n')}\n`);
  const common = ['-in', file('csr'), '-out', made.certificate, '-days', String(days)];
  const extension = ['-extfile', file('ext'), '-extensions', 'made'];
  if (from === undefined) {
    const signer =
      issuer === undefined ? ['-signkey', made.key] : ['-CA', issuer.certificate, '-CAkey', issuer.key];
    await openssl(['x509', '-req', ...common, ...signer, '-set_serial', serial, `-${digest}`, ...extension]);
  } else {
    // Only `openssl ca` takes a date, and it wants to keep a record.
    const records = `database=${file('db')}\nserial=${file('srl')}\nnew_certs_dir=${folder}\n`;
    await writeFile(
      file('cnf'),
      `[ca]\ndefault_ca=it\n[it]\n${records}policy=any\n[any]\ncommonName=optional\n`,
    );
    await Promise.all([writeFile(file('db'), ''), writeFile(file('srl'), serial.replace(/^0x/, ''))]);
    const signer =
      issuer === undefined
        ? ['-selfsign', '-keyfile', made.key]
        : ['-cert', issuer.certificate, '-keyfile', issuer.key];
    const command = ['ca', '-batch', '-notext', '-config', file('cnf'), '-startdate', from];
    await openssl([...command, ...common, ...signer, '-md', digest, ...extension]);
  }
  await Promise.all(['csr', 'ext'].map(ending => rm(file(ending))));
  return made;
}

const ellipticKey = ['ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1'];

function pair(folder: string, name: string): Certificate {
  const file = name.replace(/[^\w.-]/g, '_');
  return { certificate: join(folder, `${file}.crt`), key: join(folder, `${file}.key`) };
}

async function openssl(args: readonly string[]): Promise<void> {
  try {
    await promisify(execFile)('openssl', args);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      throw new ControlPlaneUnavailable(
        'the control plane for the tests needs the openssl command for its certificates: install openssl',
      );
    }
    throw new Error(`openssl ${args[0]} failed: ${(error as { stderr?: string }).stderr ?? String(error)}`);
  }
}
