import { plainText } from '../config/known-credentials.ts';
import { UnusableMaterial, WrongName } from './tls-settings.ts';
import { ProxyFailure } from './tunnel.ts';

export interface Route {
  /** `https://host:port`, without credentials. */
  readonly server: string;
  /** `http://proxy:3128` without credentials, or `''`. */
  readonly proxy: string;
}

/** Returns true if the connection failed before a request: at the proxy, or in the TLS handshake. */
export function isUnconnected(error: unknown): boolean {
  const causes = causesOf(error);
  const { code, message } = nearest(causes);
  return (
    causes.some(
      each => each instanceof ProxyFailure || each instanceof WrongName || each instanceof UnusableMaterial,
    ) ||
    code in tlsByCode ||
    byMessage.some(([pattern]) => pattern.test(message))
  );
}

/** Returns true if no trusted authority has signed the server's certificate. */
export function isUntrusted(error: unknown): boolean {
  const causes = causesOf(error);
  return !causes.some(each => each instanceof ProxyFailure) && tlsByCode[nearest(causes).code] === untrusted;
}

/** Returns a sentence without its subject, the server: the problem, and what to check. */
export function explainDialError(error: unknown, { server, proxy }: Route): string {
  const proxyFailure = causesOf(error).find(each => each instanceof ProxyFailure);
  if (proxyFailure !== undefined) return explainProxy(proxyFailure, proxy);
  const { hostname, protocol } = new URL(server);
  return explainPeer(error, { host: hostname, proxy: '', plain: protocol === 'http:' });
}

function explainProxy({ status, cause }: ProxyFailure, proxy: string): string {
  if (status === 407) return `${authentication(proxy)} (407).`;
  if (status !== undefined) return `the proxy ${proxy} answered ${status}; check proxy-url or HTTPS_PROXY.`;
  const message = cause instanceof Error ? cause.message : '';
  if (/^Socks5 Authentication failed|no accepted authentication type/.test(message)) {
    return `${authentication(proxy)}.`;
  }
  const refusal = /^Socks5 proxy rejected connection - (\w+)/.exec(message)?.[1];
  if (refusal !== undefined) return `the proxy ${proxy} could not connect to it (${refusal}).`;
  const sentence = explainPeer(cause, { host: URL.parse(proxy)?.hostname ?? '', proxy });
  return sentence.includes(proxy) ? sentence : `the proxy ${proxy}: ${sentence}`;
}

function authentication(proxy: string): string {
  return `the proxy ${proxy} rejects the user and password of proxy-url or HTTPS_PROXY`;
}

interface Peer {
  readonly host: string;
  readonly proxy: string;
  readonly plain?: boolean;
}

function explainPeer(error: unknown, peer: Peer): string {
  const causes = causesOf(error);
  const unusable = causes.find(each => each instanceof UnusableMaterial);
  if (unusable !== undefined) return unusable.message;
  const misnamed = causes.find(each => each instanceof WrongName);
  if (misnamed !== undefined) return explainName(misnamed);
  const { code, message } = nearest(causes);
  const known = byCode[code] ?? tlsByCode[code];
  if (known !== undefined) return known(peer);
  const certificate = byMessage.find(([pattern]) => pattern.test(message))?.[1];
  if (certificate !== undefined) return certificate;
  if (/^ERR_(?:SSL|OSSL|TLS|CRYPTO)/.test(code) || code === 'EPROTO') return tlsFailure(code, message);
  return `${plainText(message, 160) || code}.`;
}

function explainName({ wanted, made }: WrongName): string {
  const names =
    made === ''
      ? ' (it holds no name but a common name, which no longer counts)'
      : ` but for ${plainText(made, 120)}`;
  return `its certificate is not valid for ${plainText(wanted, 120)}${names}; fix the address, or pass --tls-server-name.`;
}

type Sentence = (peer: Peer) => string;

const noAnswer: Sentence = () => 'no answer; check the address, the VPN or the firewall.';
const closed: Sentence = ({ plain }) =>
  plain === true
    ? 'the connection was closed before an answer came; should the address start with https:// ?'
    : 'the connection was closed before an answer came; is a load balancer or proxy in between?';
const noHost: Sentence = ({ host, proxy }) =>
  proxy === ''
    ? `the host name ${host} cannot be resolved; check the address, DNS or the VPN.`
    : `the host name of the proxy ${proxy} cannot be resolved; check proxy-url or HTTPS_PROXY.`;

const byCode: Readonly<Record<string, Sentence>> = {
  ECONNREFUSED: ({ proxy }) =>
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
  CERT_HAS_EXPIRED: () =>
    "the server's certificate has expired; renew it on the server, and check the clock here.",
  CERT_NOT_YET_VALID: () => "the server's certificate is not valid yet; check the clocks here and there.",
  CERT_REVOKED: () => "the server's certificate has been revoked.",
};

// OpenSSL's messages for verification errors without a Node code.
const byMessage: readonly (readonly [RegExp, string])[] = [
  [
    /signature digest algorithm too weak/,
    'its certificate, or that of its authority, is signed with SHA-1 or weaker, which is no longer accepted; have it reissued.',
  ],
  [/key too weak/, 'the key of its certificate, or of its authority, is too short; have it reissued.'],
  [
    /certificate purpose/,
    'its certificate, or one in its chain, may not be used for this by its key usage; have it reissued.',
  ],
  [/subtree violation/, 'its certificate is for a name or address that its authority may not sign for.'],
  [
    /invalid CA certificate|key usage does not include certificate signing|path length constraint/,
    'its certificate is signed by another that may not sign certificates.',
  ],
  [/negative serial number/, 'its certificate has a negative serial number; have it reissued.'],
  [/critical extension/, 'its certificate holds a critical extension that is not understood.'],
];

function tlsFailure(code: string, message: string): string {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG|HTTP_REQUEST/.test(code + message.toUpperCase())) {
    return 'it does not speak TLS; should the address start with http:// ?';
  }
  if (/ALERT_(?:BAD|UNKNOWN|CERTIFICATE)|ALERT_UNKNOWN_CA|CERTIFICATE_REQUIRED|ALERT BAD/.test(code)) {
    return 'the server refused the client certificate; it may have expired or belong to another cluster.';
  }
  if (/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL/.test(code)) return 'it speaks no TLS 1.2 or later.';
  if (/HANDSHAKE_FAILURE/.test(code)) {
    return 'it shares no cipher or kind of key with kubectl and us; is its certificate of a usual kind?';
  }
  return `the TLS handshake failed (${code}).`;
}

/** Lists the error and its causes, outermost first; of several attempts only the last. */
export function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  let current = error;
  while (current instanceof Error && causes.length < 6) {
    causes.push(current);
    const { errors } = current as AggregateError;
    current = Array.isArray(errors) && errors.length > 0 ? errors.at(-1) : current.cause;
  }
  return causes;
}

/** Returns the innermost error code and its message. */
export function nearest(causes: readonly Error[]): { readonly code: string; readonly message: string } {
  const coded = causes.findLast(each => codeOf(each) !== '');
  return {
    code: coded === undefined ? '' : codeOf(coded),
    message: coded?.message || (causes.find(each => each.message !== '')?.message ?? ''),
  };
}

function codeOf(error: Error): string {
  const { code } = error as NodeJS.ErrnoException;
  return typeof code === 'string' ? code : '';
}
