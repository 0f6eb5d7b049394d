/**
 * Stands between the proxy with the faults and the API server, and adds the invented objects to the lists and watches of
 * their kinds, so that both together are one API server with a history: whoever lists again or resumes a watch gets what
 * the others have got. An API server on the same processors doesn't write as many events as a soak needs.
 */
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, createServer, request, type Server } from 'node:https';
import type { Certificate } from '../harness/certificates.ts';
import { endToEnd } from '../harness/fault-proxy.ts';
import { portOf } from '../harness/processes/ports.ts';
import { encodeEvent, encodeStatus } from '../kube/encode.ts';
import {
  type Depth,
  encodeInvented,
  type InventedKind,
  type InventedObject,
  inventedKinds,
  WIDGET,
} from './objects.ts';
import { cutFrames, cutLines, eventVersion, listVersion, withItems } from './protobuf.ts';
import type { InventedEvent, World } from './world.ts';

/** What was sent of a kind, in order. */
interface Sent {
  /** That a client is at who has got everything up to here. */
  readonly version: string;
  /** Up to which the API server's own events had been passed on by then. */
  readonly real: string;
  /** Undefined for an event or a list of the API server. */
  readonly event: InventedEvent | undefined;
}

interface Watcher {
  readonly kind: InventedKind;
  readonly namespace: string | undefined;
  readonly form: Form;
  readonly outgoing: ServerResponse;
}

/** The form of an answer: protobuf, or JSON for whole custom resources, which API servers encode in no other way. */
type Form = Depth | 'json';

interface Collection {
  readonly kind: InventedKind;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
}

/** About three minutes of five hundred events a second. */
const REMEMBERED = 100_000;
const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const JSON_TYPE = 'application/json';

export class Overlay {
  url = '';
  /** Watches that went on where they were, and those that could not. */
  resumed = 0;
  refused = 0;
  readonly #world: () => World;
  readonly #upstream: string;
  readonly #agent: Agent;
  readonly #server: Server;
  readonly #sent = new Map<InventedKind, Sent[]>(inventedKinds.map(kind => [kind, []]));
  readonly #watchers = new Set<Watcher>();

  constructor(options: {
    readonly world: () => World;
    readonly upstream: string;
    readonly upstreamCa: string;
    readonly certificate: Certificate;
  }) {
    this.#world = options.world;
    this.#upstream = options.upstream;
    this.#agent = new Agent({ keepAlive: true, ca: readFileSync(options.upstreamCa) });
    const { certificate, key } = options.certificate;
    this.#server = createServer(
      { cert: readFileSync(certificate), key: readFileSync(key) },
      (incoming, outgoing) => this.#handle(incoming, outgoing),
    );
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject).listen(0, '127.0.0.1', resolve);
    });
    this.url = `https://127.0.0.1:${portOf(this.#server)}`;
  }

  async stop(): Promise<void> {
    this.#agent.destroy();
    const closed = new Promise(resolve => this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Passes it on to whoever watches. */
  readonly emit = (event: InventedEvent): void => {
    const { type } = event.object;
    const sent = this.#sent.get(type) ?? [];
    sent.push({ version: event.object.resourceVersion, real: sent.at(-1)?.real ?? '', event });
    if (sent.length > REMEMBERED * 1.2) sent.splice(0, sent.length - REMEMBERED);
    const frames = new Map<Form, Buffer>();
    for (const watcher of this.#watchers) {
      if (watcher.kind !== type || !isIn(event, watcher)) continue;
      const frame = frames.get(watcher.form) ?? frameOf(event, watcher.form);
      frames.set(watcher.form, frame);
      watcher.outgoing.write(frame);
    }
  };

  #handle(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const url = new URL(incoming.url ?? '/', this.#upstream);
    const collection = incoming.method === 'GET' ? collectionOf(url) : undefined;
    const isLook = url.searchParams.has('limit');
    if (collection === undefined || isLook) this.#pass(incoming, outgoing, url);
    else if (collection.name !== undefined) this.#get(collection, incoming, outgoing, url);
    else if (url.searchParams.get('watch') === '1') this.#watch(collection, incoming, outgoing, url);
    else this.#list(collection, incoming, outgoing, url);
  }

  #ask(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    url: URL,
    take: (answer: IncomingMessage) => void,
  ): void {
    const headers = endToEnd(incoming.headers);
    delete headers['accept-encoding'];
    const asked = request(url, { method: incoming.method ?? 'GET', headers, agent: this.#agent }, answer => {
      answer.on('error', () => outgoing.destroy());
      take(answer);
    });
    asked.on('error', () => outgoing.destroy());
    outgoing.on('error', () => {});
    outgoing.on('close', () => asked.destroy());
    incoming.pipe(asked);
  }

  #pass(incoming: IncomingMessage, outgoing: ServerResponse, url: URL): void {
    this.#ask(incoming, outgoing, url, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      outgoing.flushHeaders();
      answer.pipe(outgoing);
    });
  }

  /** One object by its name, in JSON. */
  #get(collection: Collection, incoming: IncomingMessage, outgoing: ServerResponse, url: URL): void {
    const { kind, namespace = '', name = '' } = collection;
    const object = this.#world().find(kind, namespace, name);
    if (object === undefined) {
      this.#pass(incoming, outgoing, url);
      return;
    }
    outgoing.writeHead(200, { 'content-type': JSON_TYPE });
    outgoing.end(JSON.stringify(jsonOf(object)));
  }

  #list(collection: Collection, incoming: IncomingMessage, outgoing: ServerResponse, url: URL): void {
    const form = formOf(incoming, collection.kind);
    const selected = /^metadata\.name=(.*)$/u.exec(url.searchParams.get('fieldSelector') ?? '')?.[1];
    this.#ask(incoming, outgoing, url, answer => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () => {
        const body = Buffer.concat(parts);
        if (answer.statusCode !== 200) {
          outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers)).end(body);
          return;
        }
        demandType(answer, form);
        // In one go, so that the version and what is added to the list are of one moment.
        const parsed = form === 'json' ? (JSON.parse(body.toString()) as JsonList) : undefined;
        const version = parsed?.metadata.resourceVersion ?? listVersion(body);
        this.#sent.get(collection.kind)?.push({ version, real: version, event: undefined });
        const items = this.#world()
          .objectsOf(collection.kind)
          .filter(object => collection.namespace === undefined || object.namespace === collection.namespace)
          .filter(({ name }) => selected === undefined || name === selected);
        outgoing.writeHead(200, { 'content-type': typeOf(form) });
        if (form === 'json')
          outgoing.end(
            JSON.stringify({ ...parsed, items: [...(parsed?.items ?? []), ...items.map(jsonOf)] }),
          );
        else {
          const encoded = items.map(object => encodeInvented(object, form));
          outgoing.end(withItems(body, encoded));
        }
      });
    });
  }

  #watch(collection: Collection, incoming: IncomingMessage, outgoing: ServerResponse, url: URL): void {
    const { kind, namespace } = collection;
    const form = formOf(incoming, kind);
    const isInitial = url.searchParams.get('sendInitialEvents') === 'true';
    const sent = this.#sent.get(kind) ?? [];
    const from = url.searchParams.get('resourceVersion') ?? '';
    let start = sent.length;
    if (!isInitial) {
      // The first of those with the version: what is told twice does no harm, what is left out would.
      const at = sent.findIndex(({ version }) => version === from);
      const mark = sent[at];
      if (mark === undefined || mark.real === '') {
        this.refused++;
        outgoing.writeHead(200, { 'content-type': `${typeOf(form)};stream=watch` });
        outgoing.end(goneFrame(form));
        return;
      }
      this.resumed++;
      start = at + 1;
      url.searchParams.set('resourceVersion', mark.real);
    }
    this.#ask(incoming, outgoing, url, answer => {
      outgoing.writeHead(answer.statusCode ?? 502, endToEnd(answer.headers));
      outgoing.flushHeaders();
      if (answer.statusCode !== 200) {
        answer.pipe(outgoing);
        return;
      }
      demandType(answer, form);
      const watcher: Watcher = { kind, namespace, form, outgoing };
      if (isInitial) {
        for (const object of this.#world().objectsOf(kind))
          if (isIn({ object }, watcher)) outgoing.write(frameOf({ type: 'ADDED', object }, form));
      } else {
        const missed = sent.slice(start).flatMap(({ event }) => event ?? []);
        for (const event of missed) if (isIn(event, watcher)) outgoing.write(frameOf(event, form));
      }
      this.#watchers.add(watcher);
      outgoing.on('close', () => this.#watchers.delete(watcher));
      const pass = (frame: Buffer | string, version: string | undefined): void => {
        outgoing.write(frame);
        if (version !== undefined) sent.push({ version, real: version, event: undefined });
      };
      answer.on(
        'data',
        form === 'json'
          ? cutLines(line => pass(line, jsonVersion(line)))
          : cutFrames(frame => pass(frame, eventVersion(frame))),
      );
      answer.on('end', () => {
        this.#watchers.delete(watcher);
        outgoing.end();
      });
    });
  }
}

function isIn({ object }: Pick<InventedEvent, 'object'>, { namespace }: Pick<Watcher, 'namespace'>): boolean {
  return namespace === undefined || object.namespace === namespace;
}

interface JsonList {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly unknown[];
}

function jsonVersion(line: string): string | undefined {
  const { object } = JSON.parse(line) as { object: { metadata?: { resourceVersion?: string } } };
  return object.metadata?.resourceVersion;
}

function jsonOf({ type, owners, creationTimestamp, deletionTimestamp, ...object }: InventedObject): object {
  const { namespace, name, uid, resourceVersion, finalizers, labels } = object;
  const moment = (seconds: number | undefined): string | undefined =>
    seconds === undefined ? undefined : new Date(seconds * 1000).toISOString();
  const metadata = {
    namespace,
    name,
    uid,
    resourceVersion,
    finalizers,
    labels,
    ownerReferences: owners?.map(owner => ({ apiVersion: 'v1', ...owner })),
    creationTimestamp: moment(creationTimestamp),
    deletionTimestamp: moment(deletionTimestamp),
  };
  return { apiVersion: type.apiVersion, kind: type.kind, metadata };
}

function goneFrame(form: Form): Buffer | string {
  const message = 'too old resource version';
  if (form !== 'json') return encodeEvent('ERROR', 'Status', encodeStatus(410, message), 'v1');
  const object = {
    apiVersion: 'v1',
    kind: 'Status',
    status: 'Failure',
    code: 410,
    reason: 'Expired',
    message,
  };
  return `${JSON.stringify({ type: 'ERROR', object })}\n`;
}

function frameOf({ type, object }: InventedEvent, form: Form): Buffer {
  if (form === 'json') return Buffer.from(`${JSON.stringify({ type, object: jsonOf(object) })}\n`);
  const raw = encodeInvented(object, form);
  return form === 'metadata'
    ? encodeEvent(type, 'PartialObjectMetadata', raw)
    : encodeEvent(type, object.type.kind, raw, object.type.apiVersion);
}

function formOf({ headers }: IncomingMessage, kind: InventedKind): Form {
  const first = String(headers.accept ?? '').split(',')[0] ?? '';
  if (first.includes('as=PartialObjectMetadata')) return 'metadata';
  return kind === WIDGET ? 'json' : 'full';
}

function typeOf(form: Form): string {
  return form === 'json' ? JSON_TYPE : PROTOBUF;
}

/** A client that is answered in another type than it asked for would miss the invented objects. */
function demandType({ headers }: IncomingMessage, form: Form): void {
  const type = String(headers['content-type']);
  if (!type.startsWith(typeOf(form))) throw new Error(`a read of an invented kind was answered in ${type}`);
}

function collectionOf({ pathname }: URL): Collection | undefined {
  const [, root, namespace, resource, name] =
    /^(\/api\/v1|\/apis\/[^/]+\/[^/]+)(?:\/namespaces\/([^/]+)(?=\/))?\/([^/]+)(?:\/([^/]+))?$/u.exec(
      pathname,
    ) ?? [];
  const kind = inventedKinds.find(each => each.root === root && each.resource === resource);
  return kind && { kind, namespace, name };
}
