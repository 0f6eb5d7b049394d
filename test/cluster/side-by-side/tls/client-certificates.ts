/** Client certificates and their keys, against a server that asks for them and one that doesn't. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Certificate } from '../../../harness/certificates.ts';
import { base64, type Cell, type Cells, type Fields, pem, type World } from '../cell.ts';

export function clientCertificates({ made, folder }: World): Cells {
  const text = (name: string, content: string): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const openssl = (name: string, key: Certificate, ...args: string[]): string => {
    execFileSync('openssl', [...args, '-in', key.key, '-out', join(folder, name)], { stdio: 'ignore' });
    return join(folder, name);
  };
  const keyOf = ({ key }: Certificate): string => readFileSync(key, 'utf8');
  const asking = (user: Fields, says?: RegExp): Cell => ({
    server: { requestCert: true, rejectUnauthorized: true, ca: [pem(made.root)] },
    user,
    ...(says && { says }),
  });
  const files = ({ certificate, key }: Certificate, otherKey = key): Fields => ({
    'client-certificate': certificate,
    'client-key': otherKey,
  });
  const data = (certificates: readonly Certificate[], key: Certificate): Fields => ({
    'client-certificate-data': base64(certificates.map(pem).join('')),
    'client-key-data': base64(keyOf(key)),
  });
  const parameters = execFileSync('openssl', ['ecparam', '-name', 'prime256v1']).toString();
  const sec1 = openssl('sec1.key', made.user, 'ec');
  const keyFirst = text('key-first', keyOf(made.user) + pem(made.user));
  const certificateFirst = text('certificate-first', pem(made.user) + keyOf(made.user));
  const missing: Fields = { 'client-certificate': '/no/such', 'client-key': made.user.key };
  const garbage: Fields = { 'client-certificate-data': base64('x'), 'client-key-data': base64('y') };
  const refusedByServer = /closed before an answer came|refused the client certificate/;
  const encrypted = /the client key is encrypted/;
  const apart = /do not belong together/;
  return {
    accepted: {
      'with a key on P-256': asking(files(made.user)),
      'with a key on P-521': asking(files(made.user521)),
      'with a key of RSA': asking(files(made.userRsa)),
      'with a key of Ed25519': asking(files(made.userEd)),
      'over TLS 1.2': {
        ...asking(files(made.user)),
        server: { ...(asking({}).server as object), maxVersion: 'TLSv1.2' },
      },
      'with its intermediate': asking(data([made.userVia, made.intermediate], made.userVia)),
      'with a key in PKCS #1': asking(
        files(made.userRsa, openssl('pkcs1.key', made.userRsa, 'rsa', '-traditional')),
      ),
      'with a key in SEC 1': asking(files(made.user, sec1)),
      'with a key after its parameters': asking(
        files(made.user, text('parameters.key', parameters + readFileSync(sec1, 'utf8'))),
      ),
      'in one file with its key': asking({
        'client-certificate': certificateFirst,
        'client-key': certificateFirst,
      }),
      'in one file after its key': asking({ 'client-certificate': keyFirst, 'client-key': keyFirst }),
      'as data with a key in a file': asking({
        'client-certificate-data': base64(pem(made.user)),
        'client-key': made.user.key,
      }),
      'that nobody trusts, and nobody asks for': { user: files(made.userStrange) },
      'of which there is a key alone, and nobody asks': { user: { 'client-key': made.user.key } },
    },
    refused: {
      'of which there is none': asking({}, refusedByServer),
      'of which there is a key alone': asking({ 'client-key': made.user.key }, refusedByServer),
      'that has expired': asking(files(made.userLate), refusedByServer),
      'that nobody trusts': asking(files(made.userStrange), refusedByServer),
      'without its intermediate': asking(files(made.userVia), refusedByServer),
      'after its intermediate': asking(data([made.intermediate, made.userVia], made.userVia), apart),
      'with the key of another': asking(files(made.user, made.userRsa.key), apart),
      'with the key of another in data, which nobody asks for': {
        user: data([made.user], made.userRsa),
        says: apart,
      },
      'with an encrypted key': asking(
        files(made.user, openssl('encrypted.key', made.user, 'pkcs8', '-topk8', '-passout', 'pass:x')),
        encrypted,
      ),
      'with a key that is encrypted in the old way': asking(
        files(
          made.userRsa,
          openssl('old.key', made.userRsa, 'rsa', '-traditional', '-aes128', '-passout', 'pass:x'),
        ),
        encrypted,
      ),
      'with a key in DER': asking(
        files(made.user, openssl('der.key', made.user, 'ec', '-outform', 'DER')),
        /the client key is not a private key in PEM/,
      ),
      'without a key': asking({ 'client-certificate': made.user.certificate }, /without its key/),
      'in a file that is not there': asking(
        missing,
        /cannot read the client certificate or key of user "test"/,
      ),
      'in a file that is not there, and nobody asks': {
        user: missing,
        says: /cannot read the client certificate or key of user "test"/,
      },
      'in a file that is not there, for plain http': {
        server: 'http',
        user: missing,
        says: /cannot read the client certificate or key of user "test"/,
      },
      'that is none': asking(garbage, /the client certificate is not in PEM/),
      'that is none, and nobody asks': { user: garbage, says: /the client certificate is not in PEM/ },
      'in an empty file': asking(
        { 'client-certificate': text('none', ''), 'client-key': made.user.key },
        /the client certificate is not in PEM/,
      ),
      'in a file and in data': asking(
        { ...files(made.user), ...data([made.user], made.user) },
        /sets both client-certificate and client-certificate-data/,
      ),
    },
    stricter: {
      // kubectl says so when a server asks.
      'with the key of another in a file, which nobody asks for': {
        user: files(made.user, made.userRsa.key),
        says: apart,
      },
    },
  };
}
