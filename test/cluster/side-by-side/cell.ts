/** One cell of the comparison: what stands at the other end, and what the kubeconfig and the environment say. */
import { readFileSync } from 'node:fs';
import type { ConnectionFlags } from '../../../src/kube/config/connection.ts';
import type { Certificate } from '../../harness/certificates.ts';
import type { Certificates } from './certificates.ts';
import { ask, type Question, type Side } from './compare.ts';
import {
  httpProxy,
  type Redirect,
  type Running,
  socksProxy,
  type TlsServer,
  versionServer,
} from './servers.ts';

export type Fields = Readonly<Record<string, unknown>>;

export interface Cell {
  /** Shows the good certificate unless told. */
  readonly server?: Partial<TlsServer> | 'http';
  readonly redirect?: Redirect;
  /** Its address in the kubeconfig; `https://127.0.0.1` with its port unless told, `http` for one without TLS. */
  readonly address?: string;
  /** In place of the authority that signed the good certificate. */
  readonly cluster?: Fields;
  readonly user?: Fields;
  readonly flags?: ConnectionFlags;
  readonly env?: Readonly<Record<string, string>>;
  readonly proxy?: Proxy;
  /** What our sentence says where we refuse. */
  readonly says?: RegExp;
}

/** It leads to the server, whatever is asked for. */
export interface Proxy {
  /** What it speaks, and what its address says unless told. */
  readonly kind: 'http' | 'https' | 'socks5';
  /** `proxy-url` of the kubeconfig unless told. */
  readonly from?: string;
  /** With `PORT` in place of its port. */
  readonly address?: string;
  /** Of one that speaks TLS; the good certificate unless told. */
  readonly tls?: Partial<TlsServer>;
  readonly wants?: string;
  readonly status?: number;
}

/** Cells by name, and by what comes of them. */
export interface Cells {
  readonly accepted?: Readonly<Record<string, Cell>>;
  readonly refused?: Readonly<Record<string, Cell>>;
  /** kubectl accepts and we refuse. */
  readonly stricter?: Readonly<Record<string, Cell>>;
  /** kubectl refuses and we accept. */
  readonly laxer?: Readonly<Record<string, Cell>>;
}

export interface World {
  readonly made: Certificates;
  readonly folder: string;
  readonly kubectl: string;
}

export async function compare(world: World, cell: Cell): Promise<{ kubectl: Side; ours: Side }> {
  const { made, folder, kubectl } = world;
  const running: Running[] = [];
  const start = async (starting: Promise<Running>): Promise<number> => {
    const server = await starting;
    running.push(server);
    return server.port;
  };
  try {
    const { server, flags, user, env } = cell;
    const tls = server === 'http' ? undefined : { chain: [made.good], ...server };
    const isV6 = cell.address?.startsWith('https://[::1]') === true && cell.proxy === undefined;
    const host = isV6 ? '::1' : '127.0.0.1';
    const port = await start(versionServer({ tls, host, redirect: cell.redirect }));
    const address = (cell.address ?? `${server === 'http' ? 'http' : 'https'}://127.0.0.1:PORT`).replace(
      'PORT',
      String(port),
    );
    const proxy = cell.proxy === undefined ? undefined : await startProxy(cell.proxy, port);
    const question: Question = {
      kubectl,
      folder,
      cluster: {
        ...(cell.cluster ?? trusting(made.root)),
        server: address,
        ...(cell.proxy?.from === undefined && proxy !== undefined && { 'proxy-url': proxy }),
      },
      ...(user && { user }),
      ...(flags && { flags }),
      env: { ...env, ...(cell.proxy?.from !== undefined && { [cell.proxy.from]: proxy ?? '' }) },
    };
    const [theirs, ours] = await Promise.all([ask(question, 'kubectl'), ask(question, 'ours')]);
    return { kubectl: theirs, ours };
  } finally {
    for (const each of running) each.close();
  }

  async function startProxy(wish: Proxy, to: number): Promise<string> {
    const { kind, wants, status, address = `${kind}://127.0.0.1:PORT` } = wish;
    const options = { to, ...(wants !== undefined && { wants }), ...(status !== undefined && { status }) };
    const tls = kind === 'https' ? { tls: { chain: [made.good], ...wish.tls } } : {};
    const port = await start(kind === 'socks5' ? socksProxy(options) : httpProxy({ ...options, ...tls }));
    return address.replace('PORT', String(port));
  }
}

/** Fields of a cluster that trusts these. */
export function trusting(...authorities: readonly Certificate[]): Fields {
  return trustingText(authorities.map(pem).join(''));
}

export function trustingText(text: string | Buffer): Fields {
  return { 'certificate-authority-data': base64(text) };
}

export function pem({ certificate }: Certificate): string {
  return readFileSync(certificate, 'utf8');
}

export function base64(text: string | Buffer): string {
  return Buffer.from(text).toString('base64');
}
