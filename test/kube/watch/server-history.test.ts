/** What two looks at an API server, one after the other, say of the history between them. */
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { Transport } from '../../../src/kube/transport/transport.ts';
import { type HistorySign, ServerHistory } from '../../../src/kube/watch/server-history.ts';

/** A list of leases at a version; by identity of the process, the second at which it was renewed. */
interface Look {
  readonly version: string;
  readonly renewed: Readonly<Record<string, number>>;
}

function answering(looks: readonly Look[]): Transport {
  const left = [...looks];
  return {
    server: 'https://server',
    request: () => {
      const { version = '', renewed = {} } = left.shift() ?? {};
      const items = Object.entries(renewed).map(([holderIdentity, second]) => ({
        spec: { holderIdentity, renewTime: new Date(second * 1000).toISOString() },
      }));
      const body = JSON.stringify({ metadata: { resourceVersion: version }, items });
      return Promise.resolve({ status: 200, headers: {}, body: Readable.from([Buffer.from(body)]) });
    },
    close: () => Promise.resolve(),
  };
}

const before: Look = { version: '100', renewed: { old: 10 } };

test.each<[string, Look, Partial<HistorySign>]>([
  ['a process that served before still serves', { version: '101', renewed: { old: 20 } }, { isSame: true }],
  ['of two one was replaced', { version: '101', renewed: { old: 20, new: 20 } }, { isSame: true }],
  ['another process serves', { version: '101', renewed: { new: 20 } }, { isDoubtful: true }],
  [
    'another serves beside a lease that nobody renews',
    { version: '101', renewed: { old: 10, new: 20 } },
    { isDoubtful: true },
  ],
  ['the version went back', { version: '99', renewed: { old: 20 } }, { wentBack: true }],
  ['no lease tells', { version: '101', renewed: {} }, {}],
])('%s', async (_, after, sign) => {
  const history = new ServerHistory(answering([before, after]));
  const { signal } = new AbortController();
  await history.look(signal);
  const nothing: HistorySign = { wentBack: false, isSame: false, isDoubtful: false };
  expect(await history.look(signal)).toEqual({ ...nothing, ...sign });
});
