/** Estimates the API server's clock from the Date of its answers, to compare its timestamps with now. */
import { type Transport, type WireRequest, type WireResponse, withRequest } from './transport.ts';

/** The longest duration in milliseconds of a useful answer; `Date` is in whole seconds. */
const TELLING_MS = 4_000;
/** The variation in milliseconds between readings of one difference. */
const SAME_MS = 2_000;

export interface ServerClock {
  /** Milliseconds to add to this machine's clock; 0 if both seem to agree. */
  readonly offset: number;
}

/** Lets the transport's answers set the clock. `now` is in milliseconds since the epoch. */
export function withServerClock(
  transport: Transport,
  now: () => number = Date.now,
): { readonly transport: Transport; readonly clock: ServerClock } {
  const clock = { offset: 0 };
  const request = async (wanted: WireRequest): Promise<WireResponse> => {
    const asked = now();
    const response = await transport.request(wanted);
    // A list's body may arrive late, but its Date is from its first byte.
    const offset = offsetBy(response.headers['date'], asked, now());
    if (offset !== undefined && Math.abs(offset - clock.offset) > SAME_MS) clock.offset = offset;
    return response;
  };
  return { clock, transport: withRequest(transport, request) };
}

/** Returns the smallest difference that explains the date; undefined if it shows nothing. */
function offsetBy(date: string | undefined, asked: number, answered: number): number | undefined {
  const at = Date.parse(date ?? '');
  if (Number.isNaN(at) || answered - asked > TELLING_MS) return undefined;
  // The server wrote the date between the two moments, within that second.
  const least = at - answered;
  const most = at + 1_000 - asked;
  if (least > 0) return least;
  return most < 0 ? most : 0;
}
