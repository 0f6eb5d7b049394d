import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { SourceBatch } from '../../../../src/model/exchange/changes.ts';
import { builtInTypes } from '../../../../src/source/built-in-types.ts';
import { command } from '../../console.ts';
import { ask, ReviewingSource, type Rules, type Serving, startServing } from './serving.ts';

const cluster = `
- {kind: Namespace, name: shop, namespace: ''}
- {kind: Namespace, name: bank, namespace: ''}
- {kind: ConfigMap, name: rates, owners: [v1 Secret vault]}
- {kind: Secret, name: vault}
- {kind: ConfigMap, name: ledger, namespace: bank, deletionTimestamp: '2026-11-21T11:30:00Z', finalizers: [bank.example/audit]}
- {kind: ConfigMap, name: till, deletionTimestamp: '2026-11-21T11:50:00Z', finalizers: [shop.example/till]}
`;

const paths = ['/metrics', '/v1alpha1/check', '/v1alpha1/tree', '/v1alpha1/why'].map(path => `path ${path}`);
const rules: Rules = {
  admin: [...paths, '*.* in *'],
  clerk: [...paths, 'configmaps. in shop', 'namespaces. in *'],
  prometheus: ['path /metrics'],
  nobody: [],
};

const secrets = builtInTypes.find(({ kind }) => kind === 'Secret');
const blind: Partial<SourceBatch> = {
  statuses: [{ type: secrets ?? builtInTypes[0]!, state: 'blind', count: 0, facts: false, reason: '403' }],
};

let serving: Serving | undefined;

async function serve(source: ReviewingSource, ...words: string[]): Promise<Serving> {
  serving = await startServing(source, words);
  return serving;
}

async function ready(at: Serving, status = 200): Promise<string> {
  for (;;) {
    const answer = await ask(at, '/readyz');
    if (answer.status === status && !answer.body.includes('listed yet')) return answer.body;
  }
}

afterEach(async () => {
  await serving?.end();
  serving = undefined;
});

describe('what is answered, and to whom', () => {
  it('answers probes to everybody, and all else to those whom the API server knows and allows the path', async () => {
    const at = await serve(new ReviewingSource(cluster, rules));
    await ready(at);
    const statusOf = async (path: string, token?: string) => (await ask(at, path, token)).status;
    expect(await statusOf('/healthz')).toBe(200);
    expect(await statusOf('/metrics')).toBe(401);
    expect(await statusOf('/metrics', 'token-stranger')).toBe(401);
    expect(await statusOf('/metrics', 'token-nobody')).toBe(403);
    expect(await statusOf('/metrics', 'token-prometheus')).toBe(200);
    expect(await statusOf('/v1alpha1/check?all-namespaces=true')).toBe(401);
    expect(await statusOf('/v1alpha1/check?all-namespaces=true', 'token-prometheus')).toBe(403);
    expect(await statusOf('/v1alpha1/check?all-namespaces=true', 'token-admin')).toBe(200);
    // Who isn't let in learns nothing about paths either.
    expect(await statusOf('/secrets', 'token-admin')).toBe(403);
  });

  it('tells a caller nothing that they may not list, and what they could not see', async () => {
    const at = await serve(new ReviewingSource(cluster, rules));
    await ready(at);
    const whole = await ask(at, '/v1alpha1/check?all-namespaces=true', 'token-admin');
    expect(whole.body).toContain('ledger');
    const own = await ask(at, '/v1alpha1/check?namespace=shop', 'token-clerk');
    expect(JSON.parse(own.body)).toMatchObject({
      kind: 'FindingList',
      items: [{ object: { name: 'till' } }],
    });
    expect(own.body).not.toContain('ledger');
    const { basis } = JSON.parse(own.body) as { basis: { blindSpots: readonly { resource: string }[] } };
    expect(basis.blindSpots).toContainEqual({ resource: 'secrets', reason: '403' });
    expect(basis.blindSpots).toContainEqual({ resource: 'configmaps', reason: '403; seen only in shop' });
    const other = await ask(at, '/v1alpha1/check?namespace=bank', 'token-clerk');
    expect(other.body).not.toContain('ledger');
    const everywhere = await ask(at, '/v1alpha1/tree?all-namespaces=true', 'token-clerk');
    expect(everywhere.body).not.toMatch(/ledger|till|vault/u);
    const hidden = await ask(at, '/v1alpha1/why?namespace=bank&target=cm/ledger', 'token-clerk');
    expect(hidden.status).toBe(400);
    expect(hidden.body).not.toContain('audit');
    // That the object isn't known and that it may not be seen is one and the same answer.
    const absent = await ask(at, '/v1alpha1/why?namespace=bank&target=cm/absent', 'token-clerk');
    expect(absent.body).toBe(hidden.body.replace('ledger', 'absent'));
  });

  it('takes an owner that a caller may not list for unseen, and not for absent', async () => {
    const at = await serve(new ReviewingSource(cluster, rules));
    await ready(at);
    const answer = await ask(at, '/v1alpha1/tree?namespace=shop&target=cm/rates', 'token-clerk');
    expect(answer.body).toContain('"status": "Unknown"');
    expect(answer.body).not.toContain('"verdict": "DeleteBackground"');
  });

  it('asks once about a token and a permission, and lets nobody in where the API server does not answer', async () => {
    const source = new ReviewingSource(cluster, rules);
    const at = await serve(source);
    await ready(at);
    await ask(at, '/metrics', 'token-prometheus');
    await ask(at, '/metrics', 'token-prometheus');
    expect(source.reviews).toEqual(['token', 'access path /metrics']);
    source.fails = { status: 403, body: { message: 'tokenreviews is forbidden' } };
    expect((await ask(at, '/metrics', 'token-admin')).status).toBe(503);
    expect(at.said()).toContain('creating a TokenReview was refused: tokenreviews is forbidden');
    source.fails = undefined;
    expect((await ask(at, '/metrics', 'token-admin')).status).toBe(200);
  });

  it('takes no flags of its own as parameters, nor anything as a flag that stands in a target', async () => {
    const at = await serve(new ReviewingSource(cluster, rules));
    await ready(at);
    for (const query of [
      'filename=/etc/passwd',
      'kubeconfig=x',
      'audit-log=-',
      'target=--filename=/etc/passwd',
    ]) {
      const { status, body } = await ask(at, `/v1alpha1/why?namespace=shop&${query}`, 'token-admin');
      expect([query, status]).toEqual([query, 400]);
      expect(body).not.toContain('root:');
    }
    expect((await ask(at, '/v1alpha1/check?namespace=shop&all=maybe', 'token-admin')).status).toBe(400);
    for (const query of ['', '?namespace=', '?all-namespaces=false'])
      expect((await ask(at, `/v1alpha1/check${query}`, 'token-admin')).body).toContain('namespace=NAME');
  });

  it('answers GET without a body alone', async () => {
    const at = await serve(new ReviewingSource(cluster, rules));
    const headers = { authorization: 'Bearer token-admin' };
    const posted = await fetch(`${at.url}/v1alpha1/check`, { method: 'DELETE', headers });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET']);
    const sent = await fetch(`${at.url}/v1alpha1/check`, { method: 'POST', headers, body: 'x'.repeat(1000) });
    expect(sent.status).toBe(413);
  });

  it('closes what is no request', async () => {
    const at = await serve(new ReviewingSource(cluster, rules));
    const socket = connect(Number(new URL(at.url).port), '127.0.0.1');
    socket.end('hello\r\n\r\n');
    await new Promise(resolve => socket.once('close', resolve).resume());
    expect((await ask(at, '/healthz')).status).toBe(200);
  });
});

describe('while not everything is seen', () => {
  it('is not ready with a kind that cannot be seen, unless that is meant so, and tells it in either case', async () => {
    const at = await serve(new ReviewingSource(cluster, rules, blind));
    expect(await ready(at, 503)).toBe('not ready: 1 kind cannot be seen\n');
    const { body } = await ask(at, '/metrics', 'token-admin');
    expect(body).toContain('gc_tree_blind_spots{expected="false"} 1');
    await at.end();
    const meant = await serve(new ReviewingSource(cluster, rules, blind), '--tolerate-blind=secrets');
    await ready(meant);
    expect((await ask(meant, '/metrics', 'token-admin')).body).toContain(
      'gc_tree_blind_spots{expected="true"} 1',
    );
  });

  it('is not ready once the connection is lost, and leaves out its numbers a minute later', async () => {
    const source = new ReviewingSource(cluster, rules);
    const at = await serve(source);
    await ready(at);
    expect((await ask(at, '/metrics', 'token-admin')).body).toMatch(
      /^gc_tree_findings\{.*namespace="shop"\} 1$/mu,
    );
    const lost = (since: string): SourceBatch => ({
      changes: [],
      connection: { state: 'lost', reason: 'ECONNREFUSED', since: Date.parse(since) },
    });
    // The clock of this test stands at noon.
    source.emit(lost('2026-11-21T11:59:30Z'));
    expect(await ready(at, 503)).toContain('the connection to the API server is lost');
    const soon = (await ask(at, '/metrics', 'token-admin')).body;
    expect(soon).toContain('gc_tree_view_live 0');
    expect(soon).toContain('gc_tree_view_age_seconds 30');
    expect(soon).toContain('gc_tree_stuck_deletions 2');
    source.emit(lost('2026-11-21T11:58:30Z'));
    for (;;) {
      const { body } = await ask(at, '/metrics', 'token-admin');
      if (body.includes('gc_tree_view_age_seconds 30')) continue;
      expect(body).toContain('gc_tree_view_age_seconds 90');
      expect(body).not.toMatch(/^gc_tree_(findings|stuck|objects|podgc|severity|pending|deleting|oldest)/mu);
      break;
    }
  });
});

describe('the end', () => {
  it('says that it is not ready for as long as it was told to go on, and ends with 0', async () => {
    const source = new ReviewingSource(cluster, rules);
    const at = await serve(source, '--shutdown-delay-duration=1s');
    await ready(at);
    const ended = at.end();
    serving = undefined;
    expect(await ended).toBe(0);
    expect(source.closed).toBe(true);
    await expect(fetch(`${at.url}/healthz`)).rejects.toThrow();
  });
});

describe('wrong use', () => {
  const refused: readonly (readonly [string, string])[] = [
    ['serve sts/web', 'serve takes no target'],
    ['serve --bind-address 0.0.0.0', 'TLS is required on a non-loopback address'],
    ['serve --bind-address web', 'is no IP address'],
    ['serve --tls-cert-file a', 'go together'],
    ['serve --tls-cert-file /nowhere/a --tls-private-key-file /nowhere/b', 'cannot be read (ENOENT)'],
    ['serve --port 99999', 'no whole number from 0 to 65535'],
    ['serve --demo shop --bind-address 0.0.0.0 --insecure-http', 'knows no users'],
    ['serve -f manifests', 'leave -f out'],
  ];

  it.each(refused)('%s', async (words, said) => {
    const { exitCode, err } = await command(words, { source: new ReviewingSource(cluster, rules) });
    expect([exitCode, err.replaceAll('\n', ' ')]).toEqual([2, expect.stringContaining(said)]);
  });
});
