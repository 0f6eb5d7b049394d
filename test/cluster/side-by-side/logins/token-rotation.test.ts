/**
 * A token file that changes or goes while its token is in use. The real kubectl looks at it again after most of a minute
 * and cannot be told the time, so that its half is behind TOKEN_ROTATION; our transport takes the same steps at once.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createTransport } from '../../../../src/kube/auth/http-transport.ts';
import { resolveConnection } from '../../../../src/kube/config/resolve-connection.ts';
import { controlPlaneBinaries } from '../../../harness/processes/binaries.ts';
import { trusting } from '../cell.ts';
import { ask, kubeconfigOf } from '../compare.ts';
import { versionServer } from '../servers.ts';
import { makeCertificates } from '../tls/certificates.ts';

const folder = await mkdtemp(join(tmpdir(), 'gc-tree-token-rotation-'));
const made = await makeCertificates(folder);
afterAll(() => rm(folder, { recursive: true, force: true }));
afterEach(() => void vi.restoreAllMocks());

/** client-go reads it again ten seconds before the minute is over. */
const WAIT_SECONDS = 52;

const changes: [string, (file: string) => Promise<void>, string][] = [
  ['is replaced', file => writeFile(file, 'second'), 'second'],
  ['is gone', file => rm(file), 'first'],
  ['is empty', file => writeFile(file, ''), 'first'],
];

/** A server that notes the tokens, and what to ask it with, under a token file. */
async function setUp(who: string, later?: (file: string) => Promise<void>) {
  const tokenFile = join(folder, who);
  await writeFile(tokenFile, 'first');
  const sent: (string | undefined)[] = [];
  const server = await versionServer({
    tls: { chain: [made.good] },
    host: '127.0.0.1',
    redirect: undefined,
    heard: ({ headers }) => void sent.push(headers.authorization),
    ...(later && { later: { seconds: WAIT_SECONDS, meanwhile: () => later(tokenFile) } }),
  });
  const cluster = { ...trusting(made.root), server: `https://127.0.0.1:${server.port}` };
  return { question: { folder, cluster, user: { token: '', tokenFile } }, tokenFile, sent, server };
}

describe('a token file that', () => {
  it.skipIf(process.env['TOKEN_ROTATION'] === undefined).concurrent.each(changes)(
    '%s, to kubectl',
    async (what, change, after) => {
      const { kubectl } = await controlPlaneBinaries();
      const { question, sent, server } = await setUp(`kubectl ${what}`, change);
      try {
        const { accepted, said } = await ask({ ...question, kubectl }, 'kubectl');
        expect(accepted, said).toBe(true);
        expect(sent).toEqual(['Bearer first', `Bearer ${after}`]);
      } finally {
        server.close();
      }
    },
    120_000,
  );

  it.each(changes)('%s, to us', async (what, change, after) => {
    const { question, tokenFile, sent, server } = await setUp(`ours ${what}`);
    const kubeconfig = await kubeconfigOf(question);
    const transport = createTransport(resolveConnection({ kubeconfig }, {}));
    const get = async () => {
      const { body } = await transport.request({ method: 'GET', path: '/version' });
      for await (const _ of body);
    };
    try {
      await get();
      await change(tokenFile);
      await get();
      const later = Date.now() + 61_000;
      vi.spyOn(Date, 'now').mockImplementation(() => later);
      await get();
      expect(sent).toEqual(['Bearer first', 'Bearer first', `Bearer ${after}`]);
    } finally {
      await transport.close();
      server.close();
    }
  });
});
