/**
 * What answers for the webhooks of many worlds: one HTTPS server, which the API server reaches by Services that lead to this
 * machine, as there is no network of pods. Its path says whom it answers for, and how.
 */
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type JsonRecord, list, record, text } from '../../../src/model/json/json.ts';
import { issueCertificate } from '../../harness/certificates.ts';
import type { WebhookBackend } from './random-worlds.ts';

export class Webhooks {
  readonly #server: Server;
  readonly backend: WebhookBackend;
  /** Requests that it has refused, by world. */
  readonly #refused = new Map<string, number>();

  private constructor(server: Server, certificate: Buffer) {
    this.#server = server;
    const { port } = server.address() as AddressInfo;
    this.backend = { port, caBundle: certificate.toString('base64') };
    server.on('request', (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      request.on('end', () => {
        const [, answer = '', prefix = ''] = (request.url ?? '').split('?')[0]?.split('/') ?? [];
        const allowed = answer === 'allow';
        if (!allowed) this.#refused.set(prefix, (this.#refused.get(prefix) ?? 0) + 1);
        const { apiVersion, kind, request: asked } = JSON.parse(body) as JsonRecord;
        const { uid } = record(asked);
        const status = allowed ? {} : { status: { message: 'it is to stay', code: 403 } };
        response.setHeader('content-type', 'application/json');
        // An open connection would still be used after its Service is deleted.
        if (kind === 'ConversionReview') response.setHeader('connection', 'close');
        const decided = kind === 'ConversionReview' ? converted(record(asked)) : { allowed, ...status };
        response.end(JSON.stringify({ apiVersion, kind, response: { uid: text(uid), ...decided } }));
      });
    });
  }

  /** `services`: `name.namespace` of all that it is to be reached by. The folder is for its certificate. */
  static async start(folder: string, services: readonly string[]): Promise<Webhooks> {
    const names = ['IP:127.0.0.1', 'DNS:localhost', ...services.map(each => `DNS:${each}.svc`)];
    const { certificate, key } = await issueCertificate(folder, 'webhooks', {
      subject: '/CN=webhooks',
      extensions: [`subjectAltName=${names.join(',')}`],
    });
    const cert = readFileSync(certificate);
    const server = createServer({ cert, key: readFileSync(key) });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return new Webhooks(server, cert);
  }

  /** How many requests about a world it has refused so far. */
  refused(prefix: string): number {
    return this.#refused.get(prefix) ?? 0;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise(resolve => this.#server.close(() => resolve()));
  }
}

/** Converts objects whose versions have the same fields. */
function converted({ desiredAPIVersion, objects }: JsonRecord): JsonRecord {
  const convertedObjects = list(objects).map(each => ({ ...record(each), apiVersion: desiredAPIVersion }));
  return { convertedObjects, result: { status: 'Success' } };
}
