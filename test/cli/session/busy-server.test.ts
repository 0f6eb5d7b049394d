import { PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { runCommandLine } from '../../../src/cli/run-command-line.ts';
import { ClusterSource } from '../../../src/kube/cluster-source.ts';
import { Pauses } from '../../../src/kube/transport/with-retries.ts';
import { catalogueOf, widgets } from '../../kube/follow.ts';
import { consoleFor } from '../console.ts';

it('a server that is too busy for a list is named, with how long is waited for it', async () => {
  const source = new ClusterSource({
    transport: {
      server: 'https://busy',
      request: async ({ path, signal }) => {
        const body = new PassThrough();
        signal?.addEventListener('abort', () => body.destroy());
        const isList = path.includes('widgets');
        if (isList || path === '/version') body.end('{}');
        return {
          status: isList ? 429 : 200,
          headers: { 'retry-after': '20', 'content-type': 'application/json' },
          body,
        };
      },
      close: async () => {},
    },
    discovery: {
      refresh: () => Promise.resolve(catalogueOf([widgets])),
      cached: () => Promise.resolve(undefined),
      recalled: () => Promise.resolve(undefined),
    },
    context: 'busy',
    namespace: 'default',
    pauses: new Pauses(() => Date.now()),
  });
  const { io, services, result } = consoleFor({
    source,
    now: () => Date.now(),
    onError: (_text, interrupt) => interrupt(),
  });
  await runCommandLine(['tree'], io, services);
  expect(result().err).toMatch(
    /^kubectl gc-tree: the API server is too busy \(429\); trying again in [23]\ds$/m,
  );
}, 10_000);
