/** What a server's certificate is made for, against the address or `tls-server-name`. */
import type { Certificate } from '../../../harness/certificates.ts';
import { type Cell, type Cells, trusting, type World } from '../cell.ts';

export function names({ made }: World): Cells {
  const shows = (certificate: Certificate): Cell => ({ server: { chain: [certificate] } });
  const called = (name: string, certificate: Certificate): Cell => ({
    ...shows(certificate),
    cluster: { ...trusting(made.root), 'tls-server-name': name },
  });
  const name = 'api.example.com';
  const refused: Readonly<Record<string, Cell>> = {
    'an address, common name alone': shows(made.addressAsName),
    'an address in a DNS name': shows(made.addressAsDns),
    'a DNS name alone for an address': shows(made.dnsOnly),
    'a mail address alone': shows(made.mail),
    'a common name alone': called(name, made.nameOnly),
    'another name': called('x.example.com', made.dnsOnly),
    'an address in a DNS name for that address': called('127.0.0.1', made.addressAsDns),
    'another address': called('10.0.0.1', made.addressOnly),
    'a wildcard for two labels': called('a.b.example.com', made.wild),
    'a wildcard for none': called('example.com', made.wild),
    'a wildcard for a part of a label': called(name, made.partWild),
    'a wildcard in the middle': called(name, made.midWild),
    'a wildcard alone': called('localhost', made.allWild),
    'a name with a final dot for one without': called(name, made.dotted),
    'a strange name': called('api example.com', made.dnsOnly),
    'two names in one': called(name, made.twoInOne),
    'localhost, made for another name': { ...shows(made.dnsOnly), address: 'https://localhost:PORT' },
    'an IPv4 address for an IPv6 address': { address: 'https://[::1]:PORT' },
  };
  return {
    accepted: {
      'an address': shows(made.addressOnly),
      'an address mapped to IPv6': shows(made.mapped),
      'a name by tls-server-name': called(name, made.dnsOnly),
      'a name by --tls-server-name': { ...shows(made.dnsOnly), flags: { tlsServerName: name } },
      'an address by tls-server-name': called('127.0.0.1', made.addressOnly),
      'an address in brackets': called('[127.0.0.1]', made.addressOnly),
      'an IPv4 address mapped to IPv6 by tls-server-name': called('::ffff:127.0.0.1', made.addressOnly),
      'an IPv6 address': { ...shows(made.v6), address: 'https://[::1]:PORT' },
      'an IPv6 address by tls-server-name': called('::1', made.v6),
      'an IPv6 address in brackets': called('[::1]', made.v6),
      'an IPv6 address written in another way': called('0:0:0:0:0:0:0:1', made.v6),
      'a wildcard': called(name, made.wild),
      'a wildcard for a name with an underscore': called('api_server.example.com', made.wild),
      'a wildcard for a name of other letters': called('xn--bcher-kva.example.com', made.wild),
      'a wildcard below the top': called('api.local', made.topWild),
      'a name with a final dot': called(`${name}.`, made.dnsOnly),
      'a name with a final dot in the certificate as well': called(`${name}.`, made.dotted),
      'a name in capitals': called('API.example.com', made.dnsOnly),
      'a name that the certificate has in capitals': called(name, made.shouting),
      'a name with an underscore': called('api_server.example.com', made.under),
      localhost: { address: 'https://localhost:PORT' },
      'LOCALHOST in capitals': { address: 'https://LOCALHOST:PORT' },
    },
    refused: Object.fromEntries(
      Object.entries(refused).map(([key, cell]) => [key, { ...cell, says: /certificate is not valid for / }]),
    ),
  };
}
