/**
 * The real kubectl and our transport side by side, over TLS and proxies: which connections they accept and which
 * they refuse. Where the two differ is listed as such, with the reason.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { proxyFromEnvironment } from '../../../src/kube/config/choose-proxy.ts';
import { ServerWarnings, warningsIn } from '../../../src/kube/transport/warnings.ts';
import { controlPlaneBinaries } from '../../harness/processes/binaries.ts';
import { type Cell, type Cells, compare, type World } from './cell.ts';
import { ask } from './compare.ts';
import { impersonations } from './logins/impersonations.ts';
import { kubercs } from './logins/kubercs.ts';
import { logins } from './logins/logins.ts';
import { pluginAnswers } from './logins/plugin-answers.ts';
import { excluded, included } from './no-proxy.ts';
import { proxies } from './proxies.ts';
import { redirects } from './redirects.ts';
import { httpProxy, versionServer } from './servers.ts';
import { authorities } from './tls/authorities.ts';
import { makeCertificates } from './tls/certificates.ts';
import { clientCertificates } from './tls/client-certificates.ts';
import { names } from './tls/names.ts';
import { protocols } from './tls/protocols.ts';
import { serverCertificates } from './tls/server-certificates.ts';

// On a cluster of somebody's own there is no kubectl of a known version.
const isElsewhere = process.env['GC_TREE_TEST_KUBECONFIG'] !== undefined;
const folder = await mkdtemp(join(tmpdir(), 'gc-tree-side-by-side-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

const world: World | undefined = isElsewhere
  ? undefined
  : {
      folder,
      kubectl: (await controlPlaneBinaries()).kubectl,
      made: await makeCertificates(folder),
    };

const outcomes = {
  accepted: { kubectl: true, ours: true },
  refused: { kubectl: false, ours: false },
  stricter: { kubectl: true, ours: false },
  laxer: { kubectl: false, ours: true },
} as const;

if (world === undefined) it.skip('kubectl and the transport', () => {});
else compareWith(world);

function compareWith(known: World): void {
  describe.each<[string, (world: World) => Cells]>([
    ['a server whose certificate is', serverCertificates],
    ['a server whose certificate is made for', names],
    ['a server that speaks', protocols],
    ['a server, trusting', authorities],
    ['a server, with a client certificate', clientCertificates],
    ['a server through a proxy', proxies],
    ['a server that redirects', redirects],
    ['a server, logging in', logins],
    ['a server, logging in', pluginAnswers],
    ['a server, acting as somebody else', impersonations],
    ['a server, with a kuberc', kubercs],
  ])('%s', (_what, cells) => {
    const listed = Object.entries(cells(known)).flatMap(([outcome, byName]) =>
      Object.entries(byName as Record<string, Cell>).map(([name, cell]) => ({
        name,
        cell,
        outcome: outcome as keyof typeof outcomes,
      })),
    );

    it.each(listed)('$name, is $outcome', async ({ cell, outcome }) => {
      const { kubectl, ours } = await compare(known, cell);
      expect(kubectl.accepted, `kubectl: ${kubectl.said}`).toBe(outcomes[outcome].kubectl);
      expect(ours.accepted, `ours: ${ours.said}`).toBe(outcomes[outcome].ours);
      if (outcome === 'accepted' || outcome === 'refused') expect(ours.told).toEqual(kubectl.told);
      if (outcome === 'accepted') {
        const isSame = isDeepStrictEqual(ours.sent, kubectl.sent);
        expect(isSame, JSON.stringify([kubectl.sent, ours.sent])).toBe(cell.sendsOther !== true);
      }
      if (ours.accepted) return;
      expect(ours.said).toMatch(cell.says ?? /./);
      // One line in words: no code, and no password.
      expect(ours.said).toMatch(/^(?:[^\n]+[.?]|status \d+)$/);
      expect(ours.said).not.toMatch(/ERR_|undefined|me:|:pass/);
    });
  });

  describe('a Warning header', () => {
    it.each([
      '299 - "one"',
      '299 - "one", 299 - "two", 299 - "one"',
      '299 agent "one" "Thu, 01 Jan 1970 00:00:00 GMT", 299 - "two"',
      '299 - "a \\"quoted\\" word, and \\\\"',
      '199 - "another code", 299 - "one"',
      '299 - ""',
      '299 - "no end',
      '399 - "no code", 299 - "one"',
      '299 "no agent"',
      '299 - "one" trailing, 299 - "two"',
      '299 - "one", nonsense, 299 - "two"',
      '299  -  "more blanks"',
      '299 - "one","two"',
    ])('%j is understood alike', async warning => {
      const server = await versionServer({ tls: undefined, host: '127.0.0.1', redirect: undefined, warning });
      try {
        const cluster = { server: `http://127.0.0.1:${server.port}` };
        const { accepted, said } = await ask({ ...known, cluster }, 'kubectl');
        expect(accepted).toBe(true);
        const warnings = new ServerWarnings();
        for (const text of warningsIn(warning)) warnings.add(text);
        expect(warnings.lines.map(line => `Warning: ${line}`)).toEqual(said === '' ? [] : said.split('\n'));
      } finally {
        server.close();
      }
    });
  });

  describe('NO_PROXY', () => {
    it.each([
      ...excluded.map(each => ({ ...each, asked: false })),
      ...included.map(each => ({ ...each, asked: true })),
    ])('"$list" for $host: the proxy is asked: $asked', async ({ list, host, asked }) => {
      const proxy = await httpProxy({ to: 1, status: 502 });
      const env = { HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`, NO_PROXY: list };
      const server = `https://${host}:6443`;
      try {
        await ask({ ...known, cluster: { server }, env, flags: { requestTimeout: '1s' } }, 'kubectl');
        expect(proxy.connections()).toBe(asked ? 1 : 0);
      } finally {
        proxy.close();
      }
      expect(proxyFromEnvironment(server, env) !== '').toBe(asked);
    });
  });
}
