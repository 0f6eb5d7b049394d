/** Network and TLS failures as one line that says what to look at. Error codes in, sentences out. */
import { constants } from 'node:http2';
import { SourceError } from '../source/source.ts';
import { plainText } from './auth/plain-text.ts';
import type { Fate } from './retry/retry-policy.ts';

export interface Target {
  /** `https://host:port`, without credentials. */
  readonly server: string;
  readonly contextName: string | undefined;
  /** `http://proxy:3128` without credentials, or `''`. */
  readonly proxy: string;
}

/** What is known of an undici or Node error: codes are looked for along the causes and in aggregates. */
interface Failure {
  readonly code: string;
  readonly message: string;
  readonly syscall: string;
  /** Of the stream that the server reset. */
  readonly http2ErrorCode: number | undefined;
}

/** A request that got no answer, or none to its end. */
export class ConnectionFailure extends SourceError {
  readonly fate: Fate;

  constructor(message: string, fate: Fate, cause?: unknown) {
    super(message, { cause });
    this.fate = fate;
  }

  /** As `isUnsent` of `model/act.ts` reads it: whatever was asked for, it wasn't done. */
  get unsent(): boolean {
    return this.fate === 'unsent' || this.fate === 'unprocessed';
  }
}

/**
 * The `SourceError` for a request that got no answer. An error that already is one is returned as it is.
 */
export function connectionError(error: unknown, target: Target): SourceError {
  if (error instanceof SourceError) return error;
  const failure = findFailure(error);
  const message = `can't reach ${target.server}${context(target)}: ${explain(failure, target)}`;
  return new ConnectionFailure(message, fateOf(failure), error);
}

/** The same for an answer whose body broke off. */
export function brokenAnswer(error: unknown, server: string): SourceError {
  if (error instanceof SourceError) return error;
  const message = `the answer of ${server} broke off; is a load balancer or proxy in between?`;
  return new ConnectionFailure(message, 'broken', error);
}

function fateOf({ code, message, syscall, http2ErrorCode }: Failure): Fate {
  // undici says this of the requests beyond a GOAWAY's last stream alone.
  const isUnprocessed =
    http2ErrorCode === constants.NGHTTP2_REFUSED_STREAM || /"GOAWAY" frame received/.test(message);
  if (isUnprocessed) return 'unprocessed';
  if (syscall === 'connect' || syscall === 'getaddrinfo' || unsentCodes.has(code) || code in tlsByCode)
    return 'unsent';
  return brokenCodes.has(code) ? 'broken' : 'other';
}

const unsentCodes = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_CONNECT_TIMEOUT']);

const brokenCodes = new Set([
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'UND_ERR_SOCKET',
  'UND_ERR_INFO',
  'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
  'ERR_HTTP2_STREAM_ERROR',
  'ERR_HTTP2_STREAM_CANCEL',
  'ERR_HTTP2_SESSION_ERROR',
  'ERR_HTTP2_GOAWAY_SESSION',
]);

function context({ contextName }: Target): string {
  return contextName === undefined ? '' : ` (context ${contextName})`;
}

function explain({ code, message }: Pick<Failure, 'code' | 'message'>, target: Target): string {
  const host = new URL(target.server).hostname;
  const known = byCode[code] ?? tlsByCode[code];
  if (known !== undefined) return known(host, message, target);
  if (/^ERR_(?:SSL|OSSL|TLS|CRYPTO)/.test(code) || code === 'EPROTO') return tlsFailure(code, message);
  if (/Proxy response \((\d+)\)/.test(message)) {
    return `the proxy ${target.proxy} answered ${/\((\d+)\)/.exec(message)?.[1]}; check proxy-url or HTTPS_PROXY.`;
  }
  return `${plainText(message, 160) || code}.`;
}

type Sentence = (host: string, message: string, target: Target) => string;

const noAnswer: Sentence = () => 'no answer; check the address, the VPN or the firewall.';
const closed: Sentence = () =>
  'the connection was closed before an answer came; is a load balancer or proxy in between?';
const noHost: Sentence = (host, _message, { proxy }) =>
  proxy === ''
    ? `the host name ${host} can't be resolved; check the address, DNS or the VPN.`
    : `a host name can't be resolved; check the proxy ${proxy} and the address.`;

const byCode: Readonly<Record<string, Sentence>> = {
  ECONNREFUSED: (_host, _message, { proxy }) =>
    proxy === ''
      ? 'connection refused; is the API server running, and is this its address?'
      : `connection refused; is the proxy ${proxy} running?`,
  ENOTFOUND: noHost,
  EAI_AGAIN: noHost,
  ETIMEDOUT: noAnswer,
  EHOSTUNREACH: noAnswer,
  ENETUNREACH: noAnswer,
  UND_ERR_CONNECT_TIMEOUT: noAnswer,
  UND_ERR_HEADERS_TIMEOUT: () => 'the connection stands, but no answer came in time.',
  ECONNRESET: closed,
  EPIPE: closed,
  UND_ERR_SOCKET: closed,
  UND_ERR_INFO: closed,
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: closed,
  ERR_HTTP2_STREAM_ERROR: closed,
  ERR_HTTP2_SESSION_ERROR: closed,
  ERR_HTTP2_GOAWAY_SESSION: closed,
};

const untrusted: Sentence = () =>
  'its certificate is signed by an authority that is not trusted; check certificate-authority in the kubeconfig, or pass --certificate-authority.';

const tlsByCode: Readonly<Record<string, Sentence>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  CERT_SIGNATURE_FAILURE: untrusted,
  CERT_UNTRUSTED: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: (host, message) => {
    const names = /altnames: (.*)$/.exec(message)?.[1];
    const made = names === undefined || names === '' ? '' : ` but for ${plainText(names, 120)}`;
    return `its certificate is not made for ${host}${made}; fix the address, or pass --tls-server-name.`;
  },
  CERT_HAS_EXPIRED: () =>
    "the server's certificate has expired; renew it on the server, and check the clock here.",
  CERT_NOT_YET_VALID: () => "the server's certificate is not valid yet; check the clocks here and there.",
  CERT_REVOKED: () => "the server's certificate has been revoked.",
};

function tlsFailure(code: string, message: string): string {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code + message.toUpperCase())) {
    return 'it does not speak TLS; should the address start with http:// ?';
  }
  if (/ALERT_(?:BAD|UNKNOWN|CERTIFICATE)|ALERT_UNKNOWN_CA|CERTIFICATE_REQUIRED|ALERT BAD/.test(code)) {
    return 'the server refused the client certificate; it may have expired or belong to another cluster.';
  }
  if (/PEM|ASN1|BAD_BASE64|X509/.test(code)) {
    return 'a certificate or key of the kubeconfig is not valid PEM; check certificate-authority and client-certificate.';
  }
  if (/KEY_VALUES_MISMATCH/.test(code)) return 'the client certificate and its key do not belong together.';
  return `the TLS handshake failed (${code}).`;
}

function findFailure(error: unknown): Failure {
  const found: { -readonly [K in keyof Failure]: Failure[K] } = {
    code: '',
    message: '',
    syscall: '',
    http2ErrorCode: undefined,
  };
  let current: unknown = error;
  for (let depth = 0; depth < 6 && current instanceof Error; depth++) {
    const { code, cause, message, syscall, http2ErrorCode } = current as Error & Record<string, unknown>;
    found.message = found.message === '' ? message : found.message;
    // A cause is nearer to the wire than what wraps it.
    if (typeof code === 'string' && code !== '')
      Object.assign(found, { code, message: message || found.message });
    if (typeof syscall === 'string') found.syscall = syscall;
    if (typeof http2ErrorCode === 'number') found.http2ErrorCode = http2ErrorCode;
    // Node's own message lists addresses only when an address doesn't match.
    const names = (current as { cert?: { subjectaltname?: unknown } }).cert?.subjectaltname;
    if (typeof names === 'string') found.message = `altnames: ${names}`;
    const { errors } = current as AggregateError;
    current = Array.isArray(errors) && errors.length > 0 ? errors.at(-1) : cause;
  }
  return found;
}
