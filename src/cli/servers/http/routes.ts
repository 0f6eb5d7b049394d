/**
 * Routes and access: probes are public; for all else the API server must know the caller and allow the path, as in
 * kube-rbac-proxy and Kubernetes' own components.
 */

import type { Health } from './health.ts';
import { type Answer, type Answerer, type Asked, failure, plain } from './http-server.ts';
import type { Metrics, Told } from './metrics.ts';
import { type Caller, type Reviewer, ReviewFailed } from './reviews.ts';

const documentNames = ['tree', 'why', 'check', 'podgc', 'plan', 'history'] as const;
export type DocumentName = (typeof documentNames)[number];

export interface DocumentRequest {
  readonly name: DocumentName;
  readonly query: URLSearchParams;
  /** Undefined for a simulated cluster, which is public. */
  readonly caller: Caller | undefined;
  readonly gone: AbortSignal;
}

export interface RouteOptions {
  readonly metrics: Metrics;
  /** Undefined for a simulated cluster, which is public. */
  readonly reviewer: Reviewer | undefined;
  readonly health: () => Health;
  readonly told: () => Told;
  /** May reject with `ReviewFailed`. */
  readonly document: (request: DocumentRequest) => Promise<Answer>;
  /** Answers an AdmissionReview; undefined without a guard. Never rejects. */
  readonly admission?: ((body: string) => Promise<Answer>) | undefined;
  /** Set if only clients with a certificate may send an AdmissionReview. */
  readonly needsCertificate?: boolean;
  readonly log: (line: string) => void;
}

/** Requests under review or being answered at a time. */
const MOST_AT_ONCE = 64;

export function routes(options: RouteOptions): Answerer {
  const { metrics, log } = options;
  let running = 0;
  return async asked => {
    const url = parsed(asked.target);
    const handler = handlerOf(url?.pathname ?? '');
    let answer: Answer;
    if (url === undefined) answer = failure(400, 'this is no path');
    else if (isProbe(handler)) answer = probe(handler, options);
    else if (handler === 'admission') answer = await admit(asked, options);
    else if (running >= MOST_AT_ONCE) answer = busy('too many requests at once');
    else {
      running += 1;
      try {
        answer = await protectedAnswer(url, handler, asked, options);
      } catch (error) {
        answer = failed(error, log);
      } finally {
        running -= 1;
      }
    }
    metrics.countRequest(handler, answer.status);
    return answer;
  };
}

export function busy(why: string): Answer {
  return { ...failure(429, `${why}: ask again in a moment`), headers: { 'retry-after': '5' } };
}

function parsed(target: string): URL | undefined {
  return target.startsWith('/') && !target.startsWith('//')
    ? (URL.parse(target, 'http://here') ?? undefined)
    : undefined;
}

const DOCUMENTS = '/v1alpha1/';
type Probe = 'healthz' | 'livez' | 'readyz';
type Handler = Probe | 'metrics' | 'admission' | DocumentName | 'none';

/** The path that takes a POST. */
export const ADMISSION_PATH = '/admission';

function handlerOf(path: string): Handler {
  if (path === ADMISSION_PATH) return 'admission';
  if (path === '/healthz' || path === '/livez' || path === '/readyz') return path.slice(1) as Probe;
  if (path === '/metrics') return 'metrics';
  const name = path.startsWith(DOCUMENTS) ? path.slice(DOCUMENTS.length) : '';
  return documentNames.find(each => each === name) ?? 'none';
}

function isProbe(handler: Handler): handler is Probe {
  return handler === 'healthz' || handler === 'livez' || handler === 'readyz';
}

function probe(handler: Probe, { health }: RouteOptions): Answer {
  if (handler !== 'readyz') return plain(200, 'ok\n');
  const { reasons } = health();
  return reasons.length === 0 ? plain(200, 'ok\n') : plain(503, `not ready: ${reasons.join('; ')}\n`);
}

/** Asks for no token: API servers prove who they are by a certificate, or by nothing. */
function admit(
  { body, isVerified }: Asked,
  { admission, needsCertificate = false }: RouteOptions,
): Promise<Answer> {
  if (admission === undefined || body === undefined)
    return Promise.resolve(failure(404, 'serve --guard answers AdmissionReviews here'));
  if (needsCertificate && !isVerified)
    return Promise.resolve(failure(401, 'send a certificate that an authority of --client-ca-file issued'));
  return admission(body);
}

async function protectedAnswer(
  { pathname, searchParams: query }: URL,
  handler: Exclude<Handler, Probe | 'admission'>,
  { token, gone }: Asked,
  { reviewer, metrics, told, document }: RouteOptions,
): Promise<Answer> {
  let caller: Caller | undefined;
  if (reviewer !== undefined) {
    caller = token === undefined ? undefined : await reviewer.callerOf(token);
    if (caller === undefined)
      return {
        ...failure(401, 'send the bearer token of a user or ServiceAccount of this cluster'),
        headers: { 'www-authenticate': 'Bearer' },
      };
    const path = handler === 'none' ? pathname : canonical(handler);
    if (!(await reviewer.allows(caller, { nonResourceAttributes: { path, verb: 'get' } })))
      return failure(
        403,
        `${caller.username} may not get the path ${path}: a ClusterRole with nonResourceURLs allows it`,
      );
  }
  if (handler === 'none')
    return failure(
      404,
      `there is ${documentNames.map(name => DOCUMENTS + name).join(', ')}, /metrics, /healthz and /readyz`,
    );
  if (handler !== 'metrics') return document({ name: handler, query, caller, gone });
  return { status: 200, body: await metrics.render(told()), contentType: metrics.contentType };
}

function canonical(handler: 'metrics' | DocumentName): string {
  return handler === 'metrics' ? '/metrics' : DOCUMENTS + handler;
}

function failed(error: unknown, log: RouteOptions['log']): Answer {
  if (error instanceof ReviewFailed) {
    log(`no caller can be let in: ${error.message}`);
    return {
      ...failure(503, 'the API server was asked who you are, and did not answer'),
      headers: { 'retry-after': '5' },
    };
  }
  log(`an answer failed: ${error instanceof Error ? error.message : String(error)}`);
  return failure(500, 'this answer failed; see the log of the server');
}
