/**
 * What becomes of every kind of request in every kind of trouble, on real sockets. The two tables say what must happen;
 * `matrix-cells.ts` holds each cell to its word. Wherever lists and watches are disturbed, no cell may end, or stay for
 * long, with an old graph that is called live.
 */
import { describe, it } from 'vitest';
import type { Fault } from './faulty-server.ts';
import { type Cell, type RequestKind, ways } from './matrix-cells.ts';

/**
 * - `again`: it is sent again by itself, and ends as if nothing had been.
 * - `told`: it isn't sent again; whoever asked gets the server's answer or an error that says what went wrong.
 * - `given up`: the same, where it was sent again in vain, after a minute at most.
 * - `late`: the same after 40 s without an answer.
 * - `looked at`: a change is sent once. Its object is read, whether it was carried out or not, and what is said is true.
 * - `refused`: a change that the server didn't look at is sent again in vain, after a minute at most; nothing was changed.
 * - `blind`: the kind counts as one that cannot be seen, with the reason; the others go on.
 * - `behind`: what is known is called old.
 */
const faults = ['429', '500', '503', 'reset', 'hang', 'truncated', 'GOAWAY'] as const;

const once: Record<RequestKind, string> = {
  //           429      500        503      reset      hang       truncated  GOAWAY
  discovery: ' again  | told      | again  | again     | late      | again     | again   ',
  rediscovery: 'again | again     | again  | again     | again     | again     | again   ',
  review: '    again  | told      | again  | again     | late      | again     | again   ',
  'dry run': ' again  | told      | again  | again     | late      | again     | again   ',
  'backup GET': 'again| told      | again  | again     | late      | again     | again   ',
  list: '      again  | again     | again  | again     | again     | again     | again   ',
  watch: '     again  | again     | again  | again     | again     | again     | again   ',
  DELETE: '    again  | looked at | again  | looked at | looked at | looked at | again   ',
  PATCH: '     again  | looked at | again  | looked at | looked at | looked at | again   ',
  POST: '      again  | looked at | again  | looked at | looked at | looked at | again   ',
};

const always: Record<RequestKind, string> = {
  //            429       500         503        reset       hang        truncated   GOAWAY
  discovery: '  given up | told      | given up | given up  | late      | given up  | given up',
  rediscovery: 'behind  | behind    | behind   | behind    | behind    | behind    | behind  ',
  review: '     given up | told      | given up | given up  | late      | given up  | given up',
  'dry run': '  given up | told      | given up | given up  | late      | given up  | given up',
  'backup GET': 'given up| told      | given up | given up  | late      | given up  | given up',
  list: '       blind    | blind     | blind    | blind     | blind     | blind     | blind   ',
  watch: '      behind   | blind     | blind    | behind    | behind    | behind    | behind  ',
  DELETE: '     refused  | looked at | looked at| looked at | looked at | looked at | refused ',
  PATCH: '      refused  | looked at | looked at| looked at | looked at | looked at | refused ',
  POST: '       refused  | looked at | looked at| looked at | looked at | looked at | refused ',
};

function cells(table: Record<RequestKind, string>): [RequestKind, Fault, Cell][] {
  return Object.entries(table).flatMap(([kind, line]) =>
    line.split('|').map((cell, index): [RequestKind, Fault, Cell] => {
      const fault = faults[index];
      if (fault === undefined) throw new Error(`${kind}: more cells than faults`);
      return [kind as RequestKind, fault, cell.trim() as Cell];
    }),
  );
}

describe.each([
  ['HTTP/2', 'once', once, 1],
  // What a connection does matters once; what lasts is the same on any.
  ['HTTP/1.1', 'once', once, 1],
  ['HTTP/2', 'as long as it lasts', always, Infinity],
] as const)('in front of a server that fails: %s, %s', (protocol, _, table, times) => {
  // GOAWAY is HTTP/2's.
  const possible = cells(table).filter(([, fault]) => protocol === 'HTTP/2' || fault !== 'GOAWAY');
  it.each(possible)('%s and %s: %s', async (kind, fault, cell) => {
    await ways[kind]({ protocol, kind, fault, cell, times });
  });
});
