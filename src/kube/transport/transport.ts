/** The connection to one API server, as discovery, list, watch and look-ups need it. */
import type { Readable } from 'node:stream';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query, below the server's own base path: `/api/v1/pods?limit=1`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends it at once, whatever it does then. */
  readonly signal?: AbortSignal;
  /** Tens of megabytes are expected: the answer may be carried in another way than the many small ones. */
  readonly bulk?: boolean;
  /**
   * A list or a watch: its reader notices its silence, and asks again by itself. Everything else is small: it is
   * read to its end within a deadline, and sent again where that is safe.
   */
  readonly stream?: boolean;
  /** No GET, but sent twice it does no more than sent once: a dry run, a review. */
  readonly harmless?: boolean;
  /** Any answer will do, so it isn't sent again for one: a probe. */
  readonly anyAnswer?: boolean;
  /** Once aborted it isn't sent again; what was sent is waited for. */
  readonly enough?: AbortSignal;
  /** Called each time that it is about to be sent: before that it waits for a login. */
  readonly leaving?: () => void;
}

export function isWatch({ path }: WireRequest): boolean {
  return /[?&]watch=(?:1|true)(?:&|$)/.test(path);
}

export interface WireResponse {
  readonly status: number;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
  /** Must be read to the end or destroyed, else the connection stays taken. */
  readonly body: Readable;
}

export interface Waiting {
  /** Who is to answer: `the exec plugin aws of user "prod"`. */
  readonly who: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
}

export interface Transport {
  /** `https://host:port`, for messages; never holds credentials. */
  readonly server: string;
  /** Resolves with any HTTP status (401: already retried with fresh credentials); rejects with a `SourceError`. */
  request(request: WireRequest): Promise<WireResponse>;
  /** What all requests wait for just now before they can be sent. */
  readonly waiting?: Waiting | undefined;
  close(): Promise<void>;
}

/** The same transport, whose requests go through `request`. */
export function withRequest(transport: Transport, request: Transport['request']): Transport {
  return {
    server: transport.server,
    get waiting() {
      return transport.waiting;
    },
    request,
    close: () => transport.close(),
  };
}
