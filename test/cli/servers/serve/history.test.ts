import { mkdtempSync, readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterEach, describe, expect, it } from 'vitest';
import type { ActivityList } from '../../../../src/cli/documents/definitions.ts';
import type { Change } from '../../../../src/model/exchange/changes.ts';
import { record } from '../../../../src/model/json/json.ts';
import { command } from '../../console.ts';
import { objects } from '../../documents/cluster.ts';
import { schemaOf } from '../../documents/schema.ts';
import { judge, post, reviewOf, startListed } from '../guard/reviewing.ts';
import { ask, ReviewingSource, type Rules, type Serving, startServing } from './serving.ts';

const cluster = `
- {kind: Namespace, name: shop, namespace: ''}
- {kind: Namespace, name: bank, namespace: ''}
- {kind: ConfigMap, name: rates, owners: [v1 Secret vault]}
- {kind: ConfigMap, name: till}
- {kind: Secret, name: vault}
- {kind: ConfigMap, name: ledger, namespace: bank}
- {kind: ConfigMap, name: ancient, deletionTimestamp: '2026-11-21T10:00:00Z', finalizers: [shop.example/till]}
`;

const rules: Rules = {
  admin: ['path /v1alpha1/history', 'path /v1alpha1/why', '*.* in *'],
  clerk: ['path /v1alpha1/history', 'path /v1alpha1/why', 'configmaps. in shop'],
  reader: ['path /v1alpha1/why', '*.* in *'],
  nobody: ['path /v1alpha1/history'],
  stranger: [],
};

const validate = new Ajv2020({ strict: true }).compile(schemaOf('ActivityList'));

let serving: Serving | undefined;
let source: ReviewingSource;

async function serve(...words: string[]): Promise<Serving> {
  source = new ReviewingSource(cluster, rules);
  serving = await startServing(source, words);
  while ((await ask(serving, '/readyz')).status !== 200);
  return serving;
}

function newFolder(): string {
  return path.join(mkdtempSync(path.join(tmpdir(), 'serve-')), 'history');
}

function deletionOf(...names: string[]): Change[] {
  return objects(cluster).flatMap((each): Change[] =>
    each.op === 'upsert' && names.includes(each.object.name)
      ? [{ op: 'delete', uid: each.object.uid, type: each.object.type }]
      : [],
  );
}

async function listFor(at: Serving, user: string, query: string): Promise<ActivityList> {
  const answer = await ask(at, `/v1alpha1/history?${query}`, `token-${user}`);
  expect([answer.status, answer.body]).toEqual([200, expect.any(String)]);
  const list = JSON.parse(answer.body) as ActivityList;
  expect([validate(list), validate.errors]).toEqual([true, null]);
  return list;
}

const told = ({ items }: ActivityList): readonly string[] =>
  items.map(({ what, object }) => `${what} ${object.kind} ${object.namespace}/${object.name}`);

afterEach(async () => {
  await serving?.end();
  serving = undefined;
});

describe('the history over HTTP', () => {
  it('tells what was deleted and why, as activity does, also after a restart', async () => {
    const folder = newFolder();
    const first = await serve(`--history=${folder}`);
    source.emit({ changes: deletionOf('vault') });
    source.emit({ changes: deletionOf('rates', 'ledger') });
    await expect
      .poll(async () => told(await listFor(first, 'admin', 'all-namespaces=true')))
      .toEqual([
        'Held ConfigMap shop/ancient',
        'Deleted Secret shop/vault',
        'Collected ConfigMap shop/rates',
        'Deleted ConfigMap bank/ledger',
      ]);
    const collected = (await listFor(first, 'admin', 'namespace=shop&kind=cm&name=rates')).items;
    expect(collected).toMatchObject([
      {
        because: expect.stringContaining('its only owner Secret vault'),
        causedBy: 2,
        action: { id: 2 },
      },
    ]);
    expect(told(await listFor(first, 'admin', 'namespace=bank'))).toEqual(['Deleted ConfigMap bank/ledger']);
    expect(told(await listFor(first, 'admin', 'namespace=shop&kind=secret'))).toEqual([
      'Deleted Secret shop/vault',
      'Collected ConfigMap shop/rates',
    ]);
    expect(told(await listFor(first, 'admin', 'all-namespaces=true&since=1h'))).not.toContain(
      'Held ConfigMap shop/ancient',
    );
    await first.end();
    const second = await serve(`--history=${folder}`);
    const list = await listFor(second, 'admin', 'namespace=shop&name=vault');
    expect(told(list)).toEqual(['Deleted Secret shop/vault', 'Collected ConfigMap shop/rates']);
    expect(list).toMatchObject({ since: '2026-11-21T12:00:00.000Z', omitted: 0, hidden: 0 });
  });

  it('tells callers nothing of objects that they may not list, nor what names one', async () => {
    const at = await serve(`--history=${newFolder()}`);
    source.emit({ changes: deletionOf('till') });
    source.emit({ changes: deletionOf('vault') });
    source.emit({ changes: deletionOf('rates', 'ledger') });
    await expect.poll(async () => told(await listFor(at, 'admin', 'all-namespaces=true'))).toHaveLength(5);
    const own = await listFor(at, 'clerk', 'namespace=shop');
    expect(told(own)).toEqual(['Deleted ConfigMap shop/till']);
    expect(JSON.stringify(own.items)).not.toMatch(/vault|ledger/u);
    // One names a Secret. Another one was requested before this namespace existed, and isn't counted either.
    expect(own.hidden).toBe(1);
    expect(own.basis.blindSpots).toContainEqual({ resource: 'secrets', reason: '403' });
    for (const query of ['namespace=bank', 'all-namespaces=true', 'namespace=shop&kind=secret&name=vault'])
      expect(await listFor(at, 'clerk', query)).toMatchObject({ items: [], omitted: 0 });
    expect(await listFor(at, 'nobody', 'namespace=shop')).toMatchObject({ items: [], hidden: 0 });
    expect((await ask(at, '/v1alpha1/history?namespace=shop', 'token-stranger')).status).toBe(403);
    expect((await ask(at, '/v1alpha1/history?namespace=shop')).status).toBe(401);
  });

  it('explains requests that it cannot answer', async () => {
    const at = await serve(`--history=${newFolder()}`);
    for (const [query, why] of [
      ['', 'set namespace=NAME or all-namespaces=true'],
      ['namespace=shop&target=cm/till', 'there is no parameter'],
      ['namespace=shop&namespace=bank', 'give namespace once'],
      ['namespace=shop&since=yesterday', 'since: yesterday is no duration'],
    ] as const) {
      const { status, body } = await ask(at, `/v1alpha1/history?${query}`, 'token-admin');
      expect([query, status, body]).toEqual([query, 400, expect.stringContaining(why)]);
    }
    await at.end();
    const without = await serve();
    const { status, body } = await ask(without, '/v1alpha1/history?namespace=shop', 'token-admin');
    expect([status, body]).toEqual([404, expect.stringContaining('serve --history FOLDER')]);
  });
});

describe('why of what is gone', () => {
  const whyOf = async (at: Serving, user: string, query: string): Promise<readonly [number, string]> => {
    const { status, body } = await ask(at, `/v1alpha1/why?${query}`, `token-${user}`);
    return [status, body];
  };

  it('is answered by the history, with the rights of the caller', async () => {
    const at = await serve(`--history=${newFolder()}`);
    source.emit({ changes: deletionOf('till') });
    source.emit({ changes: deletionOf('vault') });
    source.emit({ changes: deletionOf('rates', 'ledger') });
    await expect.poll(async () => told(await listFor(at, 'admin', 'all-namespaces=true'))).toHaveLength(5);
    const [status, body] = await whyOf(at, 'admin', 'namespace=shop&target=secret/vault');
    expect(status).toBe(200);
    const list = JSON.parse(body) as ActivityList;
    expect([validate(list), told(list)]).toEqual([
      true,
      ['Deleted Secret shop/vault', 'Collected ConfigMap shop/rates'],
    ]);
    expect((await whyOf(at, 'clerk', 'namespace=shop&target=cm/till&output=yaml'))[1]).toMatch(
      /^apiVersion: gc-tree.dev\/v1alpha1\nkind: ActivityList\n/u,
    );
    // Its reason names a Secret; the others may not be listed, or are somewhere else, or were never there.
    for (const [user, query] of [
      ['clerk', 'namespace=shop&target=cm/rates'],
      ['clerk', 'namespace=shop&target=secret/vault'],
      ['clerk', 'namespace=bank&target=cm/ledger'],
      ['admin', 'namespace=shop&target=cm/ledger'],
      ['admin', 'namespace=shop&target=cm/nothing'],
      ['admin', 'namespace=shop&target=cm/till&selector=a=b'],
      ['reader', 'namespace=shop&target=cm/till'],
    ] as const) {
      const [refused, why] = await whyOf(at, user, query);
      expect([user, query, refused]).toEqual([user, query, 400]);
      expect(why).not.toContain('ActivityList');
    }
  });
});

describe('who asked for it', () => {
  const guarded = async (folder: string): Promise<Serving> => {
    source = new ReviewingSource(cluster, rules);
    serving = await startListed(source, ['--guard', `--history=${folder}`]);
    return serving;
  };
  const askers = async (at: Serving): Promise<readonly string[]> =>
    (await listFor(at, 'admin', 'namespace=shop')).items
      .filter(({ what }) => what !== 'Held')
      .map(({ what, object, requests = [] }) =>
        [what, object.name, ...requests.map(({ user, verb }) => `${verb} by ${user}`)].join(' '),
      );

  it('tells the users whose requests came before, also after a restart', async () => {
    const folder = newFolder();
    const first = await guarded(folder);
    await judge(first, { kind: 'ConfigMap', name: 'till', user: 'alice' });
    await judge(first, { kind: 'Secret', name: 'vault', user: 'bob' });
    source.emit({ changes: deletionOf('till', 'vault') });
    const told = ['Deleted till delete by alice', 'Deleted vault delete by bob', 'Collected rates'];
    await expect.poll(() => askers(first)).toEqual(told.slice(0, 2));
    source.emit({ changes: deletionOf('rates') });
    await expect.poll(() => askers(first)).toEqual(told);
    await first.end();
    const file = path.join(folder, readdirSync(folder)[0] ?? '');
    const why = await command(`why cm/till -n shop --replay ${file}`);
    expect(why.out).toContain('ConfigMap shop/till was deleted');
    expect(why.err).toBe('Requests that came before it: delete by alice at 2026-11-21T12:00:00.000Z.\n');
    const other = await command(`why cm/rates -n shop --replay ${file}`);
    expect(other.err).toContain("Who made a request isn't in a recording");
    expect(await askers(await guarded(folder))).toEqual(told);
  });

  it('names no user for a dry run, for a component, or for a request that took something else away', async () => {
    const at = await guarded(newFolder());
    const dry = reviewOf({ kind: 'ConfigMap', name: 'till', user: 'alice' });
    const request = { ...record(dry['request']), dryRun: true };
    expect((await post(at, JSON.stringify({ ...dry, request }))).status).toBe(200);
    const user = 'system:serviceaccount:kube-system:generic-garbage-collector';
    await judge(at, { kind: 'ConfigMap', name: 'rates', user });
    const finalizers = ['shop.example/a'];
    await judge(at, {
      kind: 'Secret',
      name: 'vault',
      operation: 'UPDATE',
      before: { finalizers },
      after: { finalizers: [] },
    });
    source.emit({ changes: deletionOf('till', 'rates', 'vault') });
    await expect.poll(() => askers(at)).toHaveLength(3);
    expect((await askers(at)).join()).not.toContain(' by ');
  });
});

describe('activity --from', () => {
  const run = (at: Serving, words: string, user = 'admin') =>
    command(`activity --from=${at.url} --token=token-${user} ${words}`, {
      source: new ReviewingSource(cluster, rules),
    });

  it('prints the history of a server as activity prints its own, with who asked', async () => {
    source = new ReviewingSource(cluster, rules);
    const at = await startListed(source, ['--guard', `--history=${newFolder()}`]);
    serving = at;
    await judge(at, { kind: 'Secret', name: 'vault', user: 'alice\u001b[31m' });
    source.emit({ changes: deletionOf('vault') });
    source.emit({ changes: deletionOf('rates', 'ledger') });
    await expect.poll(async () => told(await listFor(at, 'admin', 'all-namespaces=true'))).toHaveLength(4);
    const { out, err, exitCode } = await run(at, '-n shop secret/vault');
    expect(out.split('\n')).toEqual([
      'TIME         WHAT       OBJECT: WHY',
      expect.stringMatching(
        /^12:00:00\.0Z  deleted    Secret shop\/vault: by a request; delete by alice\S*31m$/u,
      ),
      expect.stringMatching(
        /^12:00:00\.0Z  collected    ConfigMap shop\/rates: its only owner Secret vault /u,
      ),
      '',
    ]);
    expect(out).not.toContain('\u001b');
    expect([err, exitCode]).toEqual(['The history begins at 2026-11-21T12:00:00.000Z.\n', 0]);
    const json = await run(at, '-A --what=collected -o json');
    expect(JSON.parse(json.out)).toMatchObject({
      kind: 'ActivityEntry',
      what: 'Collected',
      basis: { source: 'cluster' },
    });
    const own = await run(at, '-n shop', 'clerk');
    expect(own.out).not.toMatch(/vault|ledger/u);
    expect(own.err).toContain('Left out because of objects that you may not list: 1 entry.');
  });

  it('explains in one line what it cannot do', async () => {
    const at = await serve(`--history=${newFolder()}`);
    for (const [words, why] of [
      ['', '--from knows no current namespace: add -n NAMESPACE or -A.'],
      ['-n shop cm/a cm/b', '--from takes one target at a time.'],
      ['-n shop -w', '--from asks a server, so --watch would do nothing.'],
      ['-n shop --context=prod', '--from asks a server, so --context would do nothing.'],
      ['-n shop --since=yesterday', `--from: ${at.url} answers 400: since: yesterday is no duration.`],
    ] as const) {
      const { out, err, exitCode } = await run(at, words);
      expect([words, out, err.trim().split('\n').length, exitCode]).toEqual([words, '', 1, 2]);
      expect(err).toContain(why);
    }
    expect((await run(at, '-n shop', 'stranger')).err).toContain(
      'answers 403: stranger may not get the path',
    );
    for (const from of ['ftp://a', 'here', 'https://user:pass@a'])
      expect((await command(`activity -A --from=${from}`)).err).toContain(
        '--from needs the address of a serve',
      );
    const plain = await command('activity -A --from=http://192.0.2.1 --token=abc');
    expect([plain.err, plain.exitCode]).toEqual([expect.stringContaining('a token needs https'), 2]);
    const since = await command('activity --since=1h', { source: new ReviewingSource(cluster, rules) });
    expect(since.err).toContain('--since is about a history');
    const { url } = at;
    await at.end();
    const { err, exitCode } = await command(`activity -A --from=${url}`);
    expect([err, exitCode]).toEqual([expect.stringMatching(/: --from: http:\S+ does not answer: /u), 2]);
  });
});

describe('the flags of the history', () => {
  it.each([
    [
      '--history-size=50Mi',
      '--history-size and --history-retention are about a history: add --history FOLDER.',
    ],
    [
      '--history-retention=7d',
      '--history-size and --history-retention are about a history: add --history FOLDER.',
    ],
    ['--history=h --history-size=1Mi', '--history-size: 1Mi is no size from 10Mi to 100Gi, such as 50Mi.'],
    ['--history=h --history-size=50MB', '--history-size: 50MB is no size from 10Mi to 100Gi, such as 50Mi.'],
    [
      '--history=h --history-retention=5m',
      '--history-retention: 5m is no time from 1h to 10000d, such as 7d.',
    ],
    [
      '--history=h --history-retention=week',
      '--history-retention: week is no duration. Write 90s, 5m or 1h30m.',
    ],
    ['--history=h --demo=fleet', '--history is about a cluster: leave --demo out.'],
    ['--history=/dev/null/h', '--history: '],
  ])('explains %s', async (words, why) => {
    const { err, exitCode } = await command(`serve --port=0 ${words}`, {
      source: new ReviewingSource(cluster, rules),
    });
    expect(err).toContain(`kubectl gc-tree: ${why}`);
    expect(err.trim().split('\n')).toHaveLength(1);
    expect(exitCode).toBe(2);
  });
});
