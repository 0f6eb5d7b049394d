/**
 * An API server over TLS with Secrets in it, which may be one of the careless kind: what it refuses it refuses by
 * repeating what it was asked with, and warns of it as well.
 */
import type { JsonRecord } from '../../src/model/json/json.ts';
import { list, record } from '../../src/model/json/json.ts';
import { StubApi } from '../kube/faults/stub-api.ts';
import { type Handler, httpsServer } from '../kube/local-server.ts';

const cluster = `
- {kind: ConfigMap, name: app}
- {kind: ConfigMap, name: bystander, finalizers: [example.com/hold], deletionTimestamp: '2026-11-21T11:30:00Z', deletionGracePeriodSeconds: 0}
- {kind: Secret, name: db, owners: [v1 ConfigMap app]}
- {kind: PersistentVolumeClaim, name: disk}
`;

export interface EchoingServer {
  readonly url: string;
  /** Every request is refused, in words that repeat its credentials. */
  isCareless: boolean;
}

/** `secret` is laid over every Secret that is answered. Ended after the test. */
export async function echoingServer(secret: JsonRecord): Promise<EchoingServer> {
  const api = new StubApi(cluster, ['secrets']);
  const whole = (text: string): string =>
    text
      .split('\n')
      .map(line => (line === '' ? line : JSON.stringify(withData(JSON.parse(line), secret))))
      .join('\n');
  const handle: Handler = (request, response) => {
    const parts: Buffer[] = [];
    response.on('error', () => {});
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      if (server.isCareless) {
        const { authorization = 'nothing' } = headers;
        const [, credential = ''] = authorization.split(' ');
        const decoded = Buffer.from(credential, 'base64').toString();
        const message = `no entry for ${authorization} (${credential}, ${decoded}, ${encodeURIComponent(credential)})`;
        const json = {
          'content-type': 'application/json',
          warning: `299 - "${message.replace(/[^ -~]/gu, '')}"`,
        };
        response.writeHead(403, json).end(JSON.stringify({ kind: 'Status', code: 403, message }));
        return;
      }
      const asked = {
        method,
        url,
        contentType: headers['content-type'] ?? '',
        body: Buffer.concat(parts).toString(),
      };
      const { status, contentType, body, follow } = api.answer(asked);
      response.writeHead(status, { 'content-type': contentType });
      if (follow === undefined) response.end(whole(body));
      else {
        response.write(whole(body) || '');
        response.flushHeaders();
        response.on(
          'close',
          follow(line => response.write(whole(line))),
        );
      }
    });
  };
  const { url } = await httpsServer(handle);
  const server: EchoingServer = { url, isCareless: false };
  return server;
}

function withData(value: unknown, secret: JsonRecord): unknown {
  if (Array.isArray(value)) return list(value).map(each => withData(each, secret));
  if (typeof value !== 'object' || value === null) return value;
  const fields = record(value);
  const inner = Object.fromEntries(
    Object.entries(fields).map(([key, each]) => [key, withData(each, secret)]),
  );
  if (fields['kind'] === 'SecretList') {
    const items = list(inner['items']).map(each => laidOver(record(each), secret));
    return { ...inner, items };
  }
  return fields['kind'] === 'Secret' && 'metadata' in fields ? laidOver(inner, secret) : inner;
}

function laidOver(object: JsonRecord, { annotations, ...data }: JsonRecord): JsonRecord {
  return { ...object, ...data, metadata: { ...record(object['metadata']), annotations } };
}
