/** Between an API server and a guard: whose requests the API server asks about, and how long each answer takes. */
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { createServer, request, type Server } from 'node:https';
import { type JsonRecord, record, text } from '../../../src/model/json/json.ts';
import type { Certificate } from '../../harness/certificates.ts';
import { portOf } from '../../harness/processes/ports.ts';

export class Callers {
  readonly #server: Server;
  /** Reviews by user. */
  readonly users = new Map<string, number>();
  /** Milliseconds of each answer. */
  readonly durations: number[] = [];
  /** Answers that refuse. */
  refusals = 0;

  private constructor(guard: string, { certificate, key }: Certificate) {
    const cert = readFileSync(certificate);
    this.#server = createServer({ cert, key: readFileSync(key) }, (incoming, outgoing) => {
      this.#pass(incoming, guard).then(
        answer => outgoing.setHeader('content-type', 'application/json').end(answer),
        () => outgoing.destroy(),
      );
    });
  }

  async #pass(incoming: IncomingMessage, guard: string): Promise<string> {
    const body = await textOf(incoming);
    const user = text(record(record((JSON.parse(body) as JsonRecord)['request'])['userInfo'])['username']);
    this.users.set(user, (this.users.get(user) ?? 0) + 1);
    const began = performance.now();
    const answered = await new Promise<IncomingMessage>((resolve, reject) => {
      request(new URL(incoming.url ?? '', guard), { method: 'POST', rejectUnauthorized: false }, resolve)
        .on('error', reject)
        .end(body);
    });
    const answer = await textOf(answered);
    this.durations.push(performance.now() - began);
    if (answer.includes('"allowed":false')) this.refusals += 1;
    return answer;
  }

  static async before(guard: string, certificate: Certificate): Promise<Callers> {
    const callers = new Callers(guard, certificate);
    await new Promise<void>(resolve => callers.#server.listen(0, '127.0.0.1', resolve));
    return callers;
  }

  get url(): string {
    return `https://127.0.0.1:${portOf(this.#server)}`;
  }

  get components(): string[] {
    return [...this.users.keys()].filter(user => Callers.isComponent(user));
  }

  /** Checks for a user of the control plane's own components, or of a node; requests without a user are neither. */
  static isComponent(user = ''): boolean {
    return user.startsWith('system:') && !/^system:serviceaccount:(?!kube-system:)/u.test(user);
  }

  stop(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }
}

async function textOf(stream: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}
