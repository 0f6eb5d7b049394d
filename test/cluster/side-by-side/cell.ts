/** One cell of the comparison: what stands at the other end, and what the kubeconfig and the environment say. */

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { dirname, join, relative } from 'node:path';
import type { ConnectionFlags } from '../../../src/source/connection-flags.ts';
import type { Certificate } from '../../harness/certificates.ts';
import { ask, type Question, type Side } from './compare.ts';
import {
  httpProxy,
  type Redirect,
  type Running,
  socksProxy,
  type TlsServer,
  versionServer,
} from './servers.ts';
import type { Certificates } from './tls/certificates.ts';

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
  /** In a folder of the cell's own, which is the home; executable where they begin with `#!`. */
  readonly files?: Readonly<Record<string, string>>;
  /** Who asks is somebody else to the server: kubectl sends other credentials than we do. */
  readonly sendsOther?: true;
  /** What our sentence says where we refuse. */
  readonly says?: RegExp;
}

/** In every text of a cell, `HOME` stands for its folder, and `HERE` for the way there from where both run. */
function placed<T>(cell: T, folder: string): T {
  const text = JSON.stringify(cell, (_key, value: unknown) => (value instanceof RegExp ? undefined : value));
  const put = text.replaceAll('HOME', folder).replaceAll('HERE', relative(process.cwd(), folder));
  return JSON.parse(put) as T;
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

/** What one side did, beyond its answer. */
interface Compared extends Side {
  /** What it last told the server of who it is, by the names of headers. */
  readonly sent: Readonly<Record<string, readonly string[]>>;
  /** What a plugin wrote into the file `told`, as a value; null where none ran. */
  readonly told: unknown;
}

export async function compare(world: World, given: Cell): Promise<{ kubectl: Compared; ours: Compared }> {
  const { made, kubectl } = world;
  const folder = mkdtempSync(join(world.folder, 'home-'));
  const {
    files = {},
    user,
    flags,
    env,
  } = placed({ files: given.files, user: given.user, flags: given.flags, env: given.env }, folder);
  const cell = given;
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), text, { mode: text.startsWith('#!') ? 0o700 : 0o600 });
  }
  let sent: Compared['sent'] = {};
  const heard = (request: IncomingMessage): void => {
    sent = whoIsIt(request);
  };
  const running: Running[] = [];
  const start = async (starting: Promise<Running>): Promise<number> => {
    const server = await starting;
    running.push(server);
    return server.port;
  };
  try {
    const { server } = cell;
    const tls = server === 'http' ? undefined : { chain: [made.good], ...server };
    const isV6 = cell.address?.startsWith('https://[::1]') === true && cell.proxy === undefined;
    const host = isV6 ? '::1' : '127.0.0.1';
    const port = await start(versionServer({ tls, host, redirect: cell.redirect, heard }));
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
    const asked = async (who: 'kubectl' | 'ours'): Promise<Compared> => {
      sent = {};
      const side = await ask(question, who);
      const told = join(folder, 'told');
      const text = existsSync(told) ? readFileSync(told, 'utf8') : 'null';
      rmSync(told, { force: true });
      return { ...side, sent, told: JSON.parse(text) as unknown };
    };
    return { kubectl: await asked('kubectl'), ours: await asked('ours') };
  } finally {
    for (const each of running) each.close();
  }

  function whoIsIt({ headersDistinct }: IncomingMessage): Compared['sent'] {
    const known = Object.entries(headersDistinct).filter(([name]) =>
      /^(?:authorization|impersonate-)/.test(name),
    );
    return Object.fromEntries(known.map(([name, values = []]) => [name, values]));
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
