/** Where an answer sends a request on to, and whether it may go there. */
import { SourceError } from '../../source/source.ts';
import { plainText } from '../auth/known-credentials.ts';
import type { WireRequest } from './transport.ts';

/** Requests in a row, as Go has it (net/http `defaultCheckRedirect`, Go 1.26). */
const MOST = 10;

const statuses = new Set([301, 302, 303, 307, 308]);

/** Sent as it is: as a URL, a path would be put in order. */
export interface Address {
  /** `https://host:port`. */
  readonly origin: string;
  readonly path: string;
}

interface Answer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/**
 * The address to ask in place of `asked`, the last of the addresses so far; undefined to take the answer as it is.
 * Throws a `SourceError` where it leads astray.
 *
 * Stricter than kubectl in two places. kubectl sends its credentials to whatever host an answer names
 * (client-go v0.36, transport/round_trippers.go), which an aggregated API server could use; here the host stays the
 * same. And kubectl makes a GET of a DELETE that is answered by 302, and calls it done; here only a GET goes on.
 */
export function redirectOf(
  { method }: Pick<WireRequest, 'method'>,
  { statusCode, headers }: Answer,
  asked: readonly Address[],
): Address | undefined {
  const { location } = headers;
  const last = asked.at(-1);
  if (
    method !== 'GET' ||
    !statuses.has(statusCode) ||
    typeof location !== 'string' ||
    location === '' ||
    last === undefined
  )
    return undefined;
  const from = new URL(last.path, last.origin);
  const next = URL.parse(location, from);
  if (next === null) throw new SourceError(`${last.origin} answered with a redirect that is no address.`);
  if (next.protocol !== from.protocol || next.hostname !== from.hostname) {
    const origin = plainText(next.origin, 160);
    throw new SourceError(
      `${last.origin} redirects to ${origin}, where credentials are not sent; if that is the cluster, pass it as --server or set it in the kubeconfig.`,
    );
  }
  if (asked.length >= MOST) throw new SourceError(`${last.origin} redirects ${MOST} times in a row.`);
  return { origin: next.origin, path: next.pathname + next.search };
}
