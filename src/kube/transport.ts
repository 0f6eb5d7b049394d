/** The connection to one API server, as discovery, list, watch and look-ups need it. */
import type { Readable } from 'node:stream';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query, below the server's own base path: `/api/v1/pods?limit=1`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** Tens of megabytes are expected: the answer may be carried in another way than the many small ones. */
  readonly bulk?: boolean;
}

export interface WireResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Must be read to the end or destroyed, else the connection stays taken. */
  readonly body: Readable;
}

export interface Transport {
  /** `https://host:port`, for messages; never holds credentials. */
  readonly server: string;
  /**
   * Sends one request. Resolves with any HTTP status (a 401 was already retried once with fresh
   * credentials); rejects with a `SourceError` when no answer came.
   */
  request(request: WireRequest): Promise<WireResponse>;
  close(): Promise<void>;
}
