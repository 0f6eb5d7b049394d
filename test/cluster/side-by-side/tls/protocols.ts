/** Versions, ciphers, key exchanges and signatures of TLS, and servers without it. */
import type { Cell, Cells, World } from '../cell.ts';
import type { TlsServer } from '../servers.ts';

export function protocols({ made }: World): Cells {
  const each = (values: readonly string[], cell: (value: string) => Cell): Record<string, Cell> =>
    Object.fromEntries(values.map(value => [value, cell(value)]));
  const cipher = (value: string): Cell => ({
    server: {
      ...(value.includes('ECDSA') ? {} : { chain: [made.rsa2048] }),
      maxVersion: 'TLSv1.2',
      ciphers: `${value}:@SECLEVEL=0`,
      dhparam: 'auto',
    },
  });
  const group = (ecdhCurve: string): Cell => ({ server: { ecdhCurve } });
  const signature = (sigalgs: string): Cell => ({
    server: {
      ...(/ECDSA/i.test(sigalgs) ? {} : { chain: [made.rsa2048] }),
      sigalgs,
      maxVersion: 'TLSv1.2',
    },
  });
  const noneShared = (cells: Record<string, Cell>): Record<string, Cell> =>
    Object.fromEntries(
      Object.entries(cells).map(([name, cell]) => [
        name,
        { ...cell, says: /shares no cipher or kind of key/ },
      ]),
    );
  const old: Partial<TlsServer> = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1' };
  return {
    accepted: {
      'TLS 1.2 alone': { server: { maxVersion: 'TLSv1.2' } },
      'TLS 1.3 alone': { server: { minVersion: 'TLSv1.3' } },
      ...each(
        [
          'ECDHE-RSA-AES128-GCM-SHA256',
          'ECDHE-RSA-AES256-GCM-SHA384',
          'ECDHE-RSA-CHACHA20-POLY1305',
          'ECDHE-RSA-AES128-SHA',
          'ECDHE-RSA-AES256-SHA',
          'ECDHE-ECDSA-AES128-SHA',
        ],
        cipher,
      ),
      ...each(['X25519', 'P-384', 'P-521'], group),
      ...each(['ecdsa_secp256r1_sha256', 'rsa_pss_rsae_sha256', 'RSA+SHA256'], signature),
      'http to a server without TLS': { server: 'http' },
      'no scheme to a server without TLS': { server: 'http', address: '127.0.0.1:PORT' },
    },
    refused: {
      'TLS 1.0 alone': { server: { ...old, maxVersion: 'TLSv1' }, says: /no TLS 1\.2 or later/ },
      'TLS 1.1 at most': { server: old, says: /no TLS 1\.2 or later/ },
      'TLS 1.1 at most, unverified': {
        server: old,
        cluster: { 'insecure-skip-tls-verify': true },
        says: /no TLS 1\.2 or later/,
      },
      ...noneShared(
        each(
          [
            'AES128-GCM-SHA256',
            'AES256-SHA',
            'DHE-RSA-AES128-GCM-SHA256',
            'ECDHE-RSA-AES128-SHA256',
            'ECDHE-RSA-AES256-SHA384',
            'ECDHE-ARIA128-GCM-SHA256',
            'ECDHE-ECDSA-AES128-CCM',
          ],
          cipher,
        ),
      ),
      ...noneShared(each(['X448', 'ffdhe2048', 'secp256k1'], group)),
      ...noneShared(each(['ECDSA+SHA1', 'RSA+SHA1', 'RSA+SHA224'], signature)),
      'https to a server without TLS': {
        server: 'http',
        address: 'https://127.0.0.1:PORT',
        says: /does not speak TLS/,
      },
      'http to a server with TLS': { address: 'http://127.0.0.1:PORT' },
    },
  };
}
