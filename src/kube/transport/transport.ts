import type { Readable } from 'node:stream';

export interface WireRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path with query, below the server's base path: `/api/v1/pods?limit=1`. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Ends the request at once, even if it has an effect. */
  readonly signal?: AbortSignal;
  /** Tens of megabytes are expected, so another connection may carry the answer. */
  readonly bulk?: boolean;
  /**
   * A list or a watch, whose reader repeats it; other answers are read whole within a deadline and repeated if safe.
   */
  readonly stream?: boolean;
  /** A request that may be repeated although it isn't a GET, such as a dry run or a review. */
  readonly harmless?: boolean;
  /** Any answer is enough, so it isn't repeated: a probe. */
  readonly anyAnswer?: boolean;
  /** Once aborted, the request isn't repeated; an answer under way is awaited. */
  readonly enough?: AbortSignal;
  /** Called before each attempt is sent, after any wait for a login. */
  readonly leaving?: () => void;
}

export function isWatch({ path }: WireRequest): boolean {
  return /[?&]watch=(?:1|true)(?:&|$)/.test(path);
}

export interface WireResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Must be read to the end or destroyed, or else the connection stays taken. */
  readonly body: Readable;
}

export interface Waiting {
  /** The party that must answer: `the exec plugin aws of user "prod"`. */
  readonly who: string;
  readonly since: number;
}

export interface Transport {
  /** `https://host:port`, for messages; never holds credentials. */
  readonly server: string;
  /** Resolves with any HTTP status (401: already retried with fresh credentials); rejects with a `SourceError`. */
  request(request: WireRequest): Promise<WireResponse>;
  readonly waiting?: Waiting | undefined;
  close(): Promise<void>;
}

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
