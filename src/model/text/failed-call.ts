/** Errors of the calls that the API server makes to webhooks and to other API servers, as conditions and events quote them. */
import { shownName } from './shown.ts';

export interface FailedCall {
  /** `namespace/name` of the called Service; `''` if the error names none. */
  readonly service: string;
  /** Host and port that were called or dialled; `''` if the error names none. */
  readonly address: string;
  /** Set if no connection was made in time: `connection refused`. */
  readonly unreachable: string | undefined;
  /** A clause on the certificate, if it isn't trusted: `has expired`. */
  readonly distrust: string | undefined;
  /** The error without the request that it is about. */
  readonly why: string;
}

/** Go's `url.Error`, of which Kubernetes before 1.20 had no quotes around the URL. */
const request = /\b(?:Get|Post|Put) "?https?:\/\/([^\s/"]+)[^\s"]*?"?: (.*)$/su;
/** `ServiceResolver` of k8s.io/apiserver pkg/util/webhook, v0.36. */
const serviceHost = /^([a-z0-9-]+)\.([a-z0-9-]+)\.svc(?::\d+)?$/u;
/** Go's `net.OpError`. */
const dialled = /\bdial tcp (\[[^\]\s]+\]:\d+|[^\s:]+:\d+)/u;
/** kube-aggregator pkg/controllers/status/remote, v0.36: the discovery of an APIService. */
const discovery = /\b(?:response from|timed out waiting for) https:\/\/([^\s/"]+)/u;
/** A name that cannot be resolved isn't among them: nothing was called then. */
const unreachable =
  /connection refused|i\/o timeout|no route to host|network is unreachable|TLS handshake timeout|context deadline exceeded|Client\.Timeout exceeded|timed out(?= waiting for)/u;

/** Recognizes errors of Go's crypto/x509 (`verify.go`, Go 1.26). */
const distrusts: readonly (readonly [RegExp, string])[] = [
  [/x509: certificate has expired/u, 'has expired'],
  [/x509: certificate signed by unknown authority/u, 'no CA in the caBundle has issued'],
  [
    /x509: (?:certificate is (?:not )?valid for|cannot validate certificate|certificate relies on)/u,
    'is for another name',
  ],
];

function failedCallIn(said: string): FailedCall {
  const [, host, why = said] = request.exec(said) ?? [];
  const [, name, namespace] = serviceHost.exec(host ?? '') ?? [];
  const address = dialled.exec(said)?.[1] ?? host ?? discovery.exec(said)?.[1] ?? '';
  return {
    service: name === undefined || namespace === undefined ? '' : `${namespace}/${name}`,
    address,
    unreachable: unreachable.exec(why)?.[0],
    distrust: distrusts.find(([pattern]) => pattern.test(why))?.[1],
    why,
  };
}

export interface ConversionFailure {
  /** Kind of the objects that could not be converted. */
  readonly apiVersion: string;
  readonly kind: string;
  /** The whole error. */
  readonly said: string;
  readonly why: string;
}

/** Ends an error at the next of several that a condition lists. */
const NEXT_ERROR = String.raw`(?=, (?:Internal error occurred|admission webhook|conversion webhook|unexpected items)|$)`;

/** apiextensions-apiserver pkg/apiserver/conversion/webhook_converter.go, v0.36. A kind may hold dashes. */
const conversion = new RegExp(
  String.raw`conversion webhook for ([^\s,]+), Kind=([^\s,]+) (?:failed)?[:,]? ?(.*?)${NEXT_ERROR}`,
  'gsu',
);

/** `doesn't answer`, `answers with a certificate that has expired` */
function callVerb({ distrust }: FailedCall): string {
  return distrust === undefined ? "doesn't answer" : `answers with a certificate that ${distrust}`;
}

/** `the conversion webhook of Widget (example.com/v1), behind Service tools/hook, doesn't answer` */
function conversionFailureWords({ apiVersion, kind, why }: ConversionFailure): string {
  const call = failedCallIn(why);
  const { service } = call;
  const webhook = `the conversion webhook of ${shownName(kind)} (${shownName(apiVersion)})`;
  return service === '' ? `${webhook} fails` : `${webhook}, behind Service ${service}, ${callVerb(call)}`;
}

function conversionFailures(message: string): ConversionFailure[] {
  return [...message.matchAll(conversion)].map(([said, apiVersion = '', kind = '', why = '']) => ({
    apiVersion,
    kind,
    said,
    why,
  }));
}

export const ConversionFailure = { in: conversionFailures, words: conversionFailureWords };

export const FailedCall = { in: failedCallIn, verb: callVerb, nextError: NEXT_ERROR };
