/**
 * What is stored in etcd, read and written past the API server, through etcd's JSON gateway: for objects that no API
 * server of today would store, and for populations that would take too long through one.
 */
import { Agent, request } from 'node:http';

interface KeyValue {
  readonly key: string;
  readonly value: Buffer;
}

const CONNECTIONS = 16;

const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64');

export class Etcd {
  readonly #url: string;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  /** `http://host:port` of its clients. */
  constructor(url: string) {
    this.#url = url;
  }

  async put(key: string, value: string | Buffer): Promise<void> {
    await this.#call('put', { key: base64(key), value: base64(value) });
  }

  /** Everything below a prefix, in the order of the keys. */
  async below(prefix: string): Promise<KeyValue[]> {
    const end = Buffer.from(prefix);
    // The first key behind all that begin with the prefix, whose last byte is below 0xff in ASCII.
    end[end.length - 1] = (end.at(-1) ?? 0) + 1;
    const { kvs = [] } = await this.#call<{ kvs?: { key: string; value: string }[] }>('range', {
      key: base64(prefix),
      range_end: base64(end),
    });
    return kvs.map(({ key, value }) => ({
      key: Buffer.from(key, 'base64').toString(),
      value: Buffer.from(value, 'base64'),
    }));
  }

  /** Writes all pairs, several at a time. */
  async putAll(pairs: Iterable<KeyValue>): Promise<void> {
    const queue = pairs[Symbol.iterator]();
    const worker = async (): Promise<void> => {
      for (let next = queue.next(); next.done !== true; next = queue.next())
        await this.put(next.value.key, next.value.value);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, worker));
  }

  close(): void {
    this.#agent.destroy();
  }

  #call<T>(method: 'put' | 'range', body: object): Promise<T> {
    return new Promise((resolve, reject) => {
      const outgoing = request(
        `${this.#url}/v3/kv/${method}`,
        { method: 'POST', agent: this.#agent },
        incoming => {
          let text = '';
          incoming.setEncoding('utf8').on('data', (chunk: string) => {
            text += chunk;
          });
          incoming.on('error', reject);
          incoming.on('end', () => {
            if (incoming.statusCode === 200) resolve(JSON.parse(text) as T);
            else reject(new Error(`etcd refuses to ${method}: ${text}`));
          });
        },
      );
      outgoing.on('error', reject);
      outgoing.end(JSON.stringify(body));
    });
  }
}
