/**
 * The certificates of a test control plane, made with the openssl command: Node can sign no X.509 itself,
 * and the API server needs a CA of ours so that clients can verify it and prove who they are.
 */
import { execFile } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ControlPlaneUnavailable } from './go-module.ts';

/** Paths of PEM files. */
export interface Certificate {
  readonly certificate: string;
  readonly key: string;
}

/** Issues certificates of one throw-away CA into one folder. */
export class CertificateAuthority {
  readonly #folder: string;
  readonly ca: Certificate;

  private constructor(folder: string) {
    this.#folder = folder;
    this.ca = pair(folder, 'ca');
  }

  static async create(folder: string): Promise<CertificateAuthority> {
    const authority = new CertificateAuthority(folder);
    await openssl([
      'req',
      '-x509',
      ...newKey,
      '-days',
      '365',
      '-subj',
      '/CN=gc-tree-test-ca',
      '-keyout',
      authority.ca.key,
      '-out',
      authority.ca.certificate,
    ]);
    return authority;
  }

  /** A serving certificate for 127.0.0.1 and localhost. */
  async server(name: string): Promise<Certificate> {
    return this.#issue(name, `/CN=${name}`, 'subjectAltName=IP:127.0.0.1,DNS:localhost,DNS:kubernetes');
  }

  /** A client certificate; the API server reads CN as the user and each O as a group. It expires
   * in `days`; a negative number makes one that has expired. */
  async client(user: string, groups: readonly string[] = [], days = 365): Promise<Certificate> {
    const subject = [...groups.map(group => `/O=${group}`), `/CN=${user}`].join('');
    return this.#issue(
      `client-${user}${days < 0 ? '-expired' : ''}`,
      subject,
      'extendedKeyUsage=clientAuth',
      days,
    );
  }

  async #issue(name: string, subject: string, extension: string, days = 365): Promise<Certificate> {
    const made = pair(this.#folder, name);
    const request = join(this.#folder, `${name}.csr`);
    const extensions = join(this.#folder, `${name}.ext`);
    await openssl(['req', '-new', ...newKey, '-subj', subject, '-keyout', made.key, '-out', request]);
    await writeFile(extensions, `basicConstraints=CA:FALSE\n${extension}\n`);
    await openssl([
      'x509',
      '-req',
      '-in',
      request,
      '-CA',
      this.ca.certificate,
      '-CAkey',
      this.ca.key,
      '-set_serial',
      `0x${crypto.randomUUID().replaceAll('-', '')}`,
      '-extfile',
      extensions,
      '-out',
      made.certificate,
      '-days',
      String(days),
    ]);
    await Promise.all([rm(request), rm(extensions)]);
    return made;
  }
}

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];

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
