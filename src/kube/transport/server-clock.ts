/**
 * How far the API server's clock is from this machine's, by the Date of its answers: what the server has written down
 * (when a deletion was asked for, when a node went) can be compared with now only by its own clock.
 */
import { type Transport, type WireRequest, type WireResponse, withRequest } from './transport.ts';

/** Milliseconds that an answer may take to tell anything; `Date` itself is in whole seconds. */
const TELLING_MS = 4_000;
/** Milliseconds by which readings of the same difference vary. */
const SAME_MS = 2_000;

export interface ServerClock {
  /** Milliseconds to add to this machine's clock; 0 where both agree as far as can be seen. */
  readonly offset: number;
}

/** The same transport, whose small answers set the clock. `now` in milliseconds since the epoch. */
export function withServerClock(
  transport: Transport,
  now: () => number = Date.now,
): { readonly transport: Transport; readonly clock: ServerClock } {
  const clock = { offset: 0 };
  const request = async (wanted: WireRequest): Promise<WireResponse> => {
    const asked = now();
    const response = await transport.request(wanted);
    // The body of a list may be long in coming; its Date is as early as its first byte.
    const offset = offsetBy(response.headers['date'], asked, now());
    if (offset !== undefined && Math.abs(offset - clock.offset) > SAME_MS) clock.offset = offset;
    return response;
  };
  return { clock, transport: withRequest(transport, request) };
}

/** The smallest difference that explains the date; undefined where it shows nothing. */
function offsetBy(date: string | undefined, asked: number, answered: number): number | undefined {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at) || answered - asked > TELLING_MS) return undefined;
  // The server said so between the two moments, at some time within that second.
  const least = at - answered;
  const most = at + 1_000 - asked;
  if (least > 0) return least;
  return most < 0 ? most : 0;
}
