/**
 * In front of a real API server that holds one namespace: a server that shows it many times, in the very bytes of the
 * real one. Lists are multiplied, copies of the namespace and of its nodes are answered from the first ones, and all else
 * is passed on, discovery and watches among it. It keeps nothing of its own, and costs little beside what it sends.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, request } from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { endToEnd, type FaultProxyOptions, startFaultProxy } from '../../harness/fault-proxy.ts';
import { namespaceName, nodeName, Template } from '../../harness/population/template.ts';
import { type Copies, MultipliedList } from './list.ts';

const LISTS = /^GET (?:\/api|\/apis\/[^/?]+)\/[^/?]+\/[^/?]+(?:\?(?!.*\b(?:watch|limit)=).*)?$/u;
const COUNTS = /^GET (?:\/api|\/apis\/[^/?]+)\/[^/?]+\/[^/?]+\?limit=1$/u;
const COPIES = /^GET [^?]*\/(?:namespaces\/team|nodes\/node)-(?!0*1\b)\d+(?!.*\bwatch=)/u;
/** Its initial events would be those of the first namespace alone. */
const WATCH_LISTS = /^GET .*\bsendInitialEvents=/u;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const METADATA = `${PROTOBUF};as=PartialObjectMetadataList;g=meta.k8s.io;v=v1`;

interface Answer {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Known {
  readonly body: Buffer;
  readonly list: MultipliedList;
}

/** Resolves with its URL. It serves as long as the process lives. */
export async function serveMultiplied(options: FaultProxyOptions, copies: Copies): Promise<string> {
  const server = new MultiplyingServer(options, copies);
  const proxy = await startFaultProxy(options);
  const add = (match: RegExp, by: (incoming: IncomingMessage) => Promise<Answered>): void => {
    const answer = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
      by(incoming).then(
        ({ status, headers, parts }) => {
          const { 'content-length': _length, ...others } = endToEnd(headers);
          outgoing.writeHead(status, others);
          pipeline(Readable.from(parts), outgoing, () => {});
        },
        () => outgoing.destroy(),
      );
    };
    proxy.addRule({ match, fault: { kind: 'answered', by: answer } });
  };
  proxy.addRule({ match: WATCH_LISTS, fault: { kind: 'status', status: 422 } });
  add(LISTS, incoming => server.list(incoming));
  add(COUNTS, incoming => server.count(incoming));
  add(COPIES, incoming => server.copy(incoming));
  return proxy.url;
}

interface Answered extends Pick<Answer, 'status' | 'headers'> {
  readonly parts: Iterable<Buffer>;
}

class MultiplyingServer {
  readonly #upstream: string;
  readonly #copies: Copies;
  readonly #agent: Agent;
  /** By path and encoding. Another body has other objects. */
  readonly #known = new Map<string, Known>();

  constructor({ upstream, upstreamCa }: FaultProxyOptions, copies: Copies) {
    this.#upstream = upstream;
    this.#copies = copies;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(upstreamCa) });
  }

  async list(incoming: IncomingMessage): Promise<Answered> {
    const answer = await this.#ask(incoming, incoming.url ?? '/');
    const list = this.#listOf(incoming, answer);
    return { ...answer, parts: list?.parts() ?? [answer.body] };
  }

  /** A list of one object, with the number of the others. */
  async count(incoming: IncomingMessage): Promise<Answered> {
    const path = incoming.url ?? '/';
    const [answer, whole] = await Promise.all([
      this.#ask(incoming, path),
      this.#ask(incoming, path.replace(/\?.*/u, ''), METADATA),
    ]);
    const list = this.#listOf(incoming, whole);
    if (list === undefined || isProtobuf(answer)) return { ...answer, parts: [answer.body] };
    const body = JSON.parse(answer.body.toString()) as {
      readonly items: readonly unknown[];
      readonly metadata: object;
    };
    const remainingItemCount = list.count - body.items.length;
    const counted = { ...body, metadata: { ...body.metadata, remainingItemCount } };
    return { ...answer, parts: [Buffer.from(JSON.stringify(counted))] };
  }

  /** What is in a copy of the namespace, or a copy of a node, in any encoding. */
  async copy(incoming: IncomingMessage): Promise<Answered> {
    let copy = 0;
    const { nodes } = this.#copies;
    const first = (incoming.url ?? '/')
      .replace(/\/namespaces\/team-(\d+)/u, (_, number: string) => {
        copy = Number(number) - 1;
        return `/namespaces/${namespaceName(1)}`;
      })
      .replace(/\/nodes\/node-(\d+)/u, (_, number: string) => {
        copy = Math.floor((Number(number) - 1) / nodes);
        return `/nodes/${nodeName(Number(number) - copy * nodes)}`;
      });
    const answer = await this.#ask(incoming, first);
    const template = new Template(answer.body, nodes);
    const body = Buffer.alloc(template.length);
    template.write(copy, body, 0);
    return { ...answer, parts: [body] };
  }

  #listOf({ url = '' }: IncomingMessage, answer: Answer): MultipliedList | undefined {
    if (!isProtobuf(answer) || answer.status !== 200) return undefined;
    const key = `${url.replace(/\?.*/u, '')} ${answer.headers['content-type'] ?? ''}`;
    const known = this.#known.get(key);
    if (known?.body.equals(answer.body) === true) return known.list;
    const list = new MultipliedList(answer.body, this.#copies);
    this.#known.set(key, { body: answer.body, list });
    return list;
  }

  #ask({ headers }: IncomingMessage, path: string, accept = headers.accept): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const { 'accept-encoding': _encoding, ...others } = endToEnd(headers);
      const options = { agent: this.#agent, headers: { ...others, ...(accept !== undefined && { accept }) } };
      const outgoing = request(new URL(path, this.#upstream), options, answer => {
        const parts: Buffer[] = [];
        answer.on('data', (part: Buffer) => parts.push(part));
        answer.on('error', reject);
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(parts) }),
        );
      });
      outgoing.on('error', reject);
      outgoing.end();
    });
  }
}

function isProtobuf({ headers }: Answer): boolean {
  return headers['content-type']?.startsWith(PROTOBUF) === true;
}
