/** Whom the kubeconfig, the flags and the system say to trust, and in which form. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  base64,
  type Cell,
  type Cells,
  type Fields,
  pem,
  trusting,
  trustingText,
  type World,
} from '../cell.ts';

export function authorities({ made, folder }: World): Cells {
  const file = (name: string, text: string): string => {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    return path;
  };
  const root = pem(made.root);
  const broken = pem(made.other).replace(/[A-Za-z0-9+/]{20}\n/, 'AAAAAAAAAAAAAAAAAAAA\n');
  const der = execFileSync('openssl', ['x509', '-in', made.root.certificate, '-outform', 'DER']);
  const trusts = (text: string | Buffer): Cell => ({ cluster: trustingText(text) });
  const useless = (cell: Cell): Cell => ({ ...cell, says: /holds no certificate in PEM/ });
  const data = (text: string): Cell => ({
    cluster: { 'certificate-authority-data': text },
    says: /not base64/,
  });
  const padded = base64(root.padEnd(Math.ceil(root.length / 3) * 3 + 1, '\n'));
  const unverified: Fields = { 'insecure-skip-tls-verify': true };
  const strange: Cell = { server: { chain: [made.alone] } };
  const system = (env: Record<string, string>, cluster: Fields = {}): Cell => ({ cluster, env });
  const store = dirname(file('store/of-any-name', root));
  return {
    accepted: {
      'the second of two': { cluster: trusting(made.other, made.root) },
      'between other text': trusts(`# mine\n${root}\n# end\n`),
      'with line ends of Windows': trusts(root.replaceAll('\n', '\r\n')),
      'without lines': trusts(root.replace(/(?<!-)\n(?!-)/g, '')),
      'without a line end at the end': trusts(root.trim()),
      'after its key': trusts(readFileSync(made.root.key, 'utf8') + root),
      'after one that is broken': trusts(broken + root),
      'before one that is broken': trusts(root + broken),
      'in a file': { cluster: { 'certificate-authority': made.root.certificate } },
      'in base64 with line breaks': {
        cluster: { 'certificate-authority-data': base64(root).replace(/.{64}/g, '$&\n') },
      },
      'by --certificate-authority over another': {
        cluster: trusting(made.other),
        flags: { certificateAuthority: made.root.certificate },
      },
      'nobody, unverified': { ...strange, cluster: unverified },
      'nobody, unverified and expired': { server: { chain: [made.late] }, cluster: unverified },
      'nobody, unverified and signed with SHA-1': { server: { chain: [made.sha1] }, cluster: unverified },
      'nobody, unverified with a name': { ...strange, cluster: { ...unverified, 'tls-server-name': 'x' } },
      'nobody by --insecure-skip-tls-verify': { ...strange, flags: { insecureSkipTlsVerify: true } },
      'nobody with --insecure-skip-tls-verify=false': {
        ...strange,
        cluster: unverified,
        flags: { insecureSkipTlsVerify: false },
      },
      'the system by SSL_CERT_FILE': system({ SSL_CERT_FILE: made.root.certificate }),
      'the system by SSL_CERT_FILE, an intermediate alone': {
        ...system({ SSL_CERT_FILE: made.intermediate.certificate }),
        server: { chain: [made.viaIntermediate] },
      },
      'the system by SSL_CERT_FILE with tls-server-name': {
        ...system({ SSL_CERT_FILE: made.root.certificate }, { 'tls-server-name': 'api.example.com' }),
        server: { chain: [made.dnsOnly] },
      },
      'the system by SSL_CERT_DIR': system({ SSL_CERT_DIR: store }),
      'the system by the second folder of SSL_CERT_DIR': system({ SSL_CERT_DIR: `/no/such:${store}` }),
    },
    refused: {
      'another one': { cluster: trusting(made.other), says: /not trusted/ },
      'by --certificate-authority another one': {
        flags: { certificateAuthority: made.other.certificate },
        says: /not trusted/,
      },
      indented: useless(trusts(root.replace(/^/gm, '  '))),
      'after a byte order mark': useless(trusts(`\ufeff${root}`)),
      'on one line with another': useless(trusts(pem(made.other).trim() + root)),
      'in DER': useless(trusts(der)),
      'in an empty file': useless({ cluster: { 'certificate-authority': file('empty', '') } }),
      'in a file with an empty line': useless({ cluster: { 'certificate-authority': file('blank', '\n') } }),
      'in text without any': useless(trusts('hello')),
      broken: useless(trusts(broken)),
      'as TRUSTED CERTIFICATE': useless(trusts(root.replaceAll('CERTIFICATE', 'TRUSTED CERTIFICATE'))),
      'as X509 CERTIFICATE': useless(trusts(root.replaceAll('CERTIFICATE', 'X509 CERTIFICATE'))),
      'with a header': useless(trusts(root.replace('CERTIFICATE-----\n', 'CERTIFICATE-----\nA: b\n\n'))),
      'cut short': useless(trusts(root.slice(0, -30))),
      'in a file that is not there': {
        cluster: { 'certificate-authority': '/no/such/file' },
        says: /^cannot read the certificate authority of cluster "test": \/no\/such\/file: no such file\.$/,
      },
      'by --certificate-authority in a file that is not there': {
        flags: { certificateAuthority: '/no/such/file' },
        says: /cannot read the certificate authority/,
      },
      'in a folder': { cluster: { 'certificate-authority': folder }, says: /it is a folder/ },
      'in base64 with more after it': data(`${base64(root)}!!!`),
      'in base64 with blanks': data(base64(root).replace(/.{64}/g, '$& ')),
      'in base64 without its padding': data(padded.replace(/=+$/, '')),
      'in base64 for addresses': data(base64(`${root}>>>???`).replaceAll('/', '_').replaceAll('+', '-')),
      'as PEM in place of base64': data(root),
      'in a file and in data': {
        cluster: { ...trusting(made.root), 'certificate-authority': made.root.certificate },
        says: /sets both certificate-authority and certificate-authority-data/,
      },
      'and nobody': {
        cluster: { ...trusting(made.root), ...unverified },
        says: /sets both a certificate authority and insecure-skip-tls-verify/,
      },
      'and nobody by flags': {
        flags: { insecureSkipTlsVerify: true, certificateAuthority: made.root.certificate },
        says: /sets both a certificate authority and insecure-skip-tls-verify/,
      },
      'the system': { cluster: {}, says: /not trusted/ },
      'the system by SSL_CERT_FILE, another one': {
        ...system({ SSL_CERT_FILE: made.other.certificate }),
        says: /not trusted/,
      },
      'the system by SSL_CERT_FILE that is not there': {
        ...system({ SSL_CERT_FILE: '/no/such' }),
        says: /not trusted/,
      },
      'the system by SSL_CERT_DIR that is not there': {
        ...system({ SSL_CERT_DIR: '/no/such' }),
        says: /not trusted/,
      },
      'another one, whatever SSL_CERT_FILE says': {
        ...system({ SSL_CERT_FILE: made.root.certificate }, trusting(made.other)),
        says: /not trusted/,
      },
    },
    laxer: {
      // Nothing of it is verified, but Go cannot read it.
      'nobody, unverified with a negative serial number': {
        server: { chain: [made.negative] },
        cluster: unverified,
      },
    },
  };
}
