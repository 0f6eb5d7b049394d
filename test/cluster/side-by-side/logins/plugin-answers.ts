/** What an exec plugin answers, and what becomes of it. */
import { readFileSync } from 'node:fs';
import type { Certificate } from '../../../harness/certificates.ts';
import { type Cell, type Cells, type Fields, pem, type World } from '../cell.ts';
import { byPlugin, plugin, v1, v1beta1 } from './logins.ts';

export function pluginAnswers({ made }: World): Cells {
  const answering = (answer: string, says?: RegExp): Cell => ({
    user: byPlugin(),
    files: { 'bin/login': plugin(answer) },
    ...(says && { says }),
  });
  const status = (fields: Fields): string =>
    JSON.stringify({ kind: 'ExecCredential', apiVersion: v1, status: fields });
  const lasting = (expirationTimestamp: string): string => status({ token: 'a', expirationTimestamp });
  return {
    accepted: {
      'by a plugin that answers a certificate': {
        ...answering(status({ clientCertificateData: pem(made.user), clientKeyData: keyOf(made.user) })),
        server: { requestCert: true, rejectUnauthorized: true, ca: [pem(made.root)] },
      },
      'by a plugin that answers a time': answering(lasting('2999-01-02T03:04:05Z')),
      'by a plugin that answers a time elsewhere': answering(lasting('2999-01-02T03:04:05.123+02:00')),
      'by a plugin that answers a time that has passed': answering(lasting('2001-01-02T03:04:05Z')),
      'by a plugin that answers no time': answering(status({ token: 'a', expirationTimestamp: null })),
      'by a plugin that answers in YAML': answering(
        `apiVersion: ${v1}\nkind: ExecCredential\nstatus:\n  token: yaml\n`,
      ),
      'by a plugin that answers without a kind': answering(`{"apiVersion":"${v1}","status":{"token":"a"}}`),
      'by a plugin that answers with more': answering(status({ token: 'a', other: 1 })),
    },
    refused: {
      'by a plugin that says nothing': answering('', /printed no ExecCredential/),
      'by a plugin that answers text': answering('token', /printed no ExecCredential/),
      'by a plugin that answers null': answering('null', /printed no ExecCredential/),
      'by a plugin that answers a list': answering('[]', /printed no ExecCredential/),
      'by a plugin that answers in another version': answering(
        status({ token: 'a' }).replace(v1, v1beta1),
        /answers in/,
      ),
      'by a plugin that answers without a version': answering(
        '{"kind":"ExecCredential","status":{"token":"a"}}',
        /answers in none/,
      ),
      'by a plugin that answers with another kind': answering(
        status({ token: 'a' }).replace('ExecCredential', 'Pod'),
        /printed no ExecCredential/,
      ),
      'by a plugin that answers no status': answering(
        `{"kind":"ExecCredential","apiVersion":"${v1}"}`,
        /no status/,
      ),
      'by a plugin that answers nothing of use': answering(status({}), /neither token nor certificate/),
      'by a plugin that answers a number': answering(status({ token: 5 }), /printed no ExecCredential/),
      'by a plugin that answers a certificate alone': answering(
        status({ clientCertificateData: pem(made.user) }),
        /only one of/,
      ),
      'by a plugin that answers a certificate alone, and a token': answering(
        status({ token: 'a', clientCertificateData: pem(made.user) }),
        /only one of/,
      ),
      'by a plugin that answers a certificate that is none': answering(
        status({ clientCertificateData: 'a', clientKeyData: 'b' }),
        /the client certificate is not in PEM/,
      ),
      'by a plugin that answers a time that is none': answering(lasting('soon'), /no time of RFC 3339/),
      'by a plugin that answers a day': answering(lasting('2999-01-02'), /no time of RFC 3339/),
    },
  };
}

function keyOf({ key }: Certificate): string {
  return readFileSync(key, 'utf8');
}
