/**
 * A small JSON client for the API server under test: keep-alive connections, token or client certificate,
 * nothing of the product's own code, so that tests check it from the outside.
 */
import { Agent, request } from 'node:https';

export interface ApiResponse {
  readonly status: number;
  readonly body: string;
}

export interface ApiRequest {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** With the query: `/api/v1/pods?limit=1`. */
  readonly path: string;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly contentType?: string;
  /** What the answer may be; JSON of the object itself unless told. */
  readonly accept?: string;
  /** Milliseconds until it is given up; 60,000 unless told. */
  readonly timeout?: number;
  /** A user to impersonate. */
  readonly as?: string;
}

/** One line of a watch. */
export interface WatchEvent<T> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  readonly object: T;
}

export interface ApiClientOptions {
  /** `https://127.0.0.1:port` */
  readonly server: string;
  readonly ca: Buffer | string | undefined;
  readonly token?: string | undefined;
  readonly cert?: Buffer | string | undefined;
  readonly key?: Buffer | string | undefined;
  readonly connections?: number;
}

export class ApiClient {
  readonly #options: ApiClientOptions;
  readonly #agent: Agent;

  constructor(options: ApiClientOptions) {
    this.#options = options;
    this.#agent = new Agent({
      keepAlive: true,
      maxSockets: options.connections ?? 8,
      ...(options.ca === undefined ? {} : { ca: options.ca }),
      ...(options.cert === undefined ? {} : { cert: options.cert }),
      ...(options.key === undefined ? {} : { key: options.key }),
    });
  }

  /** Resolves with whatever the server answers; rejects when no answer comes. */
  async send(options: ApiRequest): Promise<ApiResponse> {
    const payload = options.body === undefined ? undefined : JSON.stringify(options.body);
    const headers: Record<string, string> = { accept: options.accept ?? 'application/json' };
    if (this.#options.token !== undefined) headers['authorization'] = `Bearer ${this.#options.token}`;
    if (options.as !== undefined) headers['impersonate-user'] = options.as;
    if (payload !== undefined) {
      headers['content-type'] = options.contentType ?? 'application/json';
      headers['content-length'] = String(Buffer.byteLength(payload));
    }
    return new Promise((resolve, reject) => {
      const outgoing = request(
        new URL(options.path, this.#options.server),
        { method: options.method ?? 'GET', agent: this.#agent, headers, timeout: options.timeout ?? 60_000 },
        incoming => {
          let body = '';
          incoming.setEncoding('utf8').on('data', (text: string) => {
            body += text;
          });
          incoming.on('error', reject);
          incoming.on('end', () => resolve({ status: incoming.statusCode ?? 0, body }));
        },
      );
      outgoing.on('timeout', () => outgoing.destroy(new Error('no answer')));
      outgoing.on('error', (error: NodeJS.ErrnoException) => {
        // The API server closes what was idle for 90 s, which a busy process has not heard of yet.
        if (outgoing.reusedSocket && error.code === 'ECONNRESET') return resolve(this.send(options));
        error.message = `${options.method ?? 'GET'} ${options.path}: ${error.message}`;
        reject(error);
      });
      outgoing.end(payload);
    });
  }

  /** The parsed body of a 2xx answer; rejects with the server's message otherwise. */
  async json<T>(options: ApiRequest): Promise<T> {
    const { status, body } = await this.send(options);
    if (status < 200 || status > 299) {
      throw new Error(`${options.method ?? 'GET'} ${options.path}: ${status} ${body.slice(0, 500)}`);
    }
    return JSON.parse(body) as T;
  }

  /**
   * Hands over every event of a watch as it arrives, on a connection of its own, until the function that comes back is
   * called. `path` with the query, `watch=1` in it. A watch that ends before, as the server ends those that it cannot
   * keep up with, isn't taken up again: `ended` is called.
   */
  watch<T>(path: string, on: (event: WatchEvent<T>) => void, ended = (): void => {}): () => void {
    const { server, ca, token, cert, key } = this.#options;
    const outgoing = request(new URL(path, server), {
      agent: false,
      headers: {
        accept: 'application/json',
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      },
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
    });
    outgoing.on('response', incoming => {
      let rest = '';
      incoming.setEncoding('utf8').on('data', (text: string) => {
        const lines = `${rest}${text}`.split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) on(JSON.parse(line) as WatchEvent<T>);
      });
      incoming.on('error', () => {});
    });
    // Whoever gives no `ended` notices by what never comes.
    outgoing.on('error', () => {});
    let isStopped = false;
    outgoing.on('close', () => {
      if (!isStopped) ended();
    });
    outgoing.end();
    return () => {
      isStopped = true;
      outgoing.destroy();
    };
  }

  close(): void {
    this.#agent.destroy();
  }
}
