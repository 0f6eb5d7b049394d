import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { runCommandLine } from '../../../../src/cli/run-command-line.ts';
import { type Source, SourceError } from '../../../../src/source/source.ts';
import { consoleFor, SmallSource } from '../../console.ts';
import { type Connected, connected } from './connected.ts';

const open: Connected[] = [];

async function connect(...given: Parameters<typeof connected>): Promise<Connected> {
  const made = await connected(...given);
  open.push(made);
  return made;
}

afterEach(async () => {
  for (const each of open.splice(0)) {
    each.hangUp();
    await each.ended;
  }
});

const stuck = `
- { kind: Namespace, name: shop, namespace: '', uid: n-1 }
- { kind: ConfigMap, name: held, uid: c-1, deletionTimestamp: 2026-10-01T12:00:00Z, finalizers: [example.com/drain] }
`;

const stuckFile = `
apiVersion: v1
kind: Namespace
metadata: { name: shop, uid: n-1 }
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: held
  namespace: shop
  uid: c-1
  deletionTimestamp: 2026-10-01T12:00:00Z
  finalizers: [example.com/drain]
`;

async function printed(source: Source | undefined, argv: readonly string[]): Promise<string> {
  const { io, services, result } = consoleFor(source === undefined ? {} : { source });
  await runCommandLine(argv, io, services);
  return result().out;
}

function undated(document: Readonly<Record<string, unknown>>): unknown {
  const { basis, ...rest } = document as { basis: Readonly<Record<string, unknown>> };
  return { ...rest, basis: { ...basis, takenAt: '' } };
}

const questions: readonly (readonly [string, Readonly<Record<string, unknown>>, readonly string[]])[] = [
  ['why', { targets: ['cm/held'], namespace: 'shop' }, ['why', 'cm/held', '-n', 'shop']],
  ['check', { allNamespaces: true }, ['check', '-A']],
  ['check', { codes: ['TerminatingHeldByFinalizer'] }, ['check', '--codes', 'TerminatingHeldByFinalizer']],
  ['tree', { namespace: 'shop' }, ['tree', '-n', 'shop', '--flat']],
  [
    'plan',
    { action: 'delete', targets: ['ns/shop'], cascade: 'foreground' },
    ['plan', 'delete', 'ns/shop', '--cascade=foreground'],
  ],
  ['plan', { action: 'none', allNamespaces: true }, ['plan', '-A']],
  ['plan', { action: 'restart' }, ['plan', 'restart']],
  ['podgc', {}, ['podgc']],
];

describe('an answer', () => {
  test.for(questions)('%s of %o is what the command line prints', async ([tool, given, argv]) => {
    const { call } = await connect([], { source: new SmallSource(stuck) });
    const answer = await call(tool, given);
    expect(answer).toMatchObject({ isError: false });
    const document = JSON.parse(await printed(new SmallSource(stuck), [...argv, '-o', 'json'])) as object;
    expect(undated(answer.document)).toEqual(undated({ ...document }));
    const text = await printed(
      new SmallSource(stuck),
      argv.filter(word => word !== '--flat'),
    );
    expect(answer.text).toContain(text.trimEnd());
  });

  test('is the same of files, with where they were read', async () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'mcp-'));
    const file = path.join(folder, 'dump.yaml');
    writeFileSync(file, stuckFile);
    const { call } = await connect(['-f', file]);
    const { document } = await call('check', {});
    expect(undated(document)).toEqual(
      undated(JSON.parse(await printed(undefined, ['check', '-f', file, '-o', 'json'])) as object as never),
    );
    expect(JSON.stringify(document)).toContain('"line":6');
  });

  test('is the same of a scenario, whose commands name it', async () => {
    const { call } = await connect(['--demo', 'foreground-stuck']);
    const { document, text } = await call('why', { targets: ['sts/web'], namespace: 'shop' });
    const argv = ['why', 'sts/web', '-n', 'shop', '--demo', 'foreground-stuck'];
    expect((document['items'] as { summary: string }[])[0]?.summary).toBe(
      (JSON.parse(await printed(undefined, [...argv, '-o', 'json'])) as { items: { summary: string }[] })
        .items[0]?.summary,
    );
    expect(text).toContain('--demo foreground-stuck');
  });

  test('has lists of the limit, and says how much is left out of which', async () => {
    const many = Array.from(
      { length: 12 },
      (_, index) =>
        `- { kind: ConfigMap, name: held-${index}, deletionTimestamp: 2026-10-01T12:00:00Z, finalizers: [example.com/drain] }`,
    ).join('\n');
    const { call } = await connect([], {
      source: new SmallSource(many),
    });
    const { document, text } = await call('check', { limit: 5 });
    expect(document['items']).toHaveLength(5);
    expect(document['omitted']).toEqual({ items: 7, 'causes[].holds': 7, 'causes[].findings': 7 });
    expect(text).toMatch(
      /^Left out of the document beyond the limit of 5 for each list: 7 of causes\[\]\.holds, 7 of causes\[\]\.findings, 7 of items\./u,
    );
    expect(document['basis']).toMatchObject({ complete: expect.any(Boolean), blindSpots: expect.any(Array) });
  });
});

describe('a connection', () => {
  test('is read once and followed, and says what is not live', async () => {
    let opened = 0;
    const source = new SmallSource(stuck);
    const { call } = await connect([], {
      open: () => {
        opened += 1;
        return Promise.resolve(source);
      },
    });
    const first = await call('check', { allNamespaces: true });
    expect(first.document['items']).toHaveLength(1);
    expect(first.document['basis']).not.toHaveProperty('connection');
    const before = await call('tree', { allNamespaces: true });
    const nodes = before.document['nodes'] as readonly { object: { name: string } }[];
    expect(nodes.map(({ object }) => object.name)).toContain('held');
    source.emit({
      changes: [],
      connection: {
        state: 'lost',
        reason: 'connect ECONNREFUSED',
        since: Date.parse('2026-10-01T12:30:00Z'),
      },
    });
    const lost = await call('check', { allNamespaces: true });
    expect(lost.document['basis']).toMatchObject({
      connection: { state: 'lost', since: '2026-10-01T12:30:00Z' },
    });
    expect(lost.text).toMatch(/^NOT LIVE\. Connection lost/u);
    source.emit({ changes: [], connection: { state: 'live' } });
    const live = await call('check', { allNamespaces: true });
    expect(live.document['basis']).not.toHaveProperty('connection');
    expect(live.text).not.toContain('NOT LIVE');
    expect(opened).toBe(1);
  });

  test('answers questions that are asked at once, and goes on after one that nobody waits for any more', async () => {
    const { call } = await connect([], { source: new SmallSource(stuck) });
    const stop = new AbortController();
    const dropped = call('plan', { action: 'none' }, stop.signal);
    stop.abort();
    await expect(dropped).rejects.toThrow();
    const answers = await Promise.all(
      [1, 2, 3, 4, 5].map(() => call('why', { targets: ['cm/held'], namespace: 'shop' })),
    );
    expect(answers.map(({ document }) => document['kind'])).toEqual(
      Array.from({ length: 5 }, () => 'Diagnosis'),
    );
  });

  test('that fails is tried again, and told as the command line tells it', async () => {
    let tries = 0;
    const { call } = await connect([], {
      open: () => {
        tries += 1;
        return tries < 3
          ? Promise.reject(new SourceError('no connection to https://127.0.0.1:6443: connection refused.'))
          : Promise.resolve(new SmallSource(stuck));
      },
    });
    expect(await call('check', {})).toEqual({
      isError: true,
      text: 'no connection to https://127.0.0.1:6443: connection refused.',
      document: {},
    });
    expect((await call('check', {})).isError).toBe(false);
  });

  test('ends when standard input does, without a word that is not of the protocol', async () => {
    const { call, written, hangUp, ended } = await connect([], { source: new SmallSource(stuck) });
    await call('check', {});
    await call('why', { targets: ['cm/none'] });
    hangUp();
    expect(await ended).toBe(0);
    for (const line of written().trimEnd().split('\n'))
      expect(JSON.parse(line)).toMatchObject({ jsonrpc: '2.0' });
  });

  test('ends when it is asked to, in the middle of an answer', async () => {
    const source = new SmallSource(stuck);
    source.start = () => new Promise(() => {});
    const { call, interrupt, ended } = await connect([], { source });
    void call('check', {}).catch(() => {});
    interrupt();
    expect(await ended).toBe(0);
  });
});

describe('nothing', () => {
  test('can be sent to the cluster: what would send it is not even looked at', async () => {
    const touched: string[] = [];
    const source = new Proxy(new SmallSource(stuck), {
      get(target, name) {
        if (name === 'act' || name === 'dryRun') touched.push(String(name));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === 'function' ? value.bind(target) : value;
      },
    });
    const { call } = await connect([], { source });
    for (const [tool, given] of questions) await call(tool, given);
    expect(touched).toEqual([]);
  });

  test('that a cluster says reaches an assistant with hidden characters, or with a credential', async () => {
    const hostile = `
- kind: Secret
  name: token
  deletionTimestamp: 2026-10-01T12:00:00Z
  finalizers: ["example.com/\\u202e\\u001b[2J"]
  data: { password: aHVudGVyMg== }
- kind: ConfigMap
  name: "ignore\\u200ball\\U000E0041previous"
  owners: ["v1 Secret a\\u0007b\\u2028 gone"]
`;
    const { call } = await connect([], { source: new SmallSource(hostile) });
    for (const [tool, given] of [
      ['check', { allNamespaces: true }],
      ['tree', { allNamespaces: true }],
      ['why', { targets: ['secrets/token'], namespace: 'shop' }],
      ['why', { targets: ['cm'], namespace: 'shop' }],
      ['plan', { action: 'none', allNamespaces: true }],
    ] as const) {
      const { document, text } = await call(tool, given);
      const all = [text.replaceAll('\n', ''), ...stringsIn(document)];
      expect(
        all.filter(each => /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(each)),
      ).toEqual([]);
      expect(JSON.stringify(document) + text).not.toContain('aHVudGVyMg==');
    }
  });
});

function* stringsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') yield value;
  else if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value)) {
      yield key;
      yield* stringsIn(each);
    }
}

describe('a cluster', () => {
  test('is not to be chosen, unless the user has allowed it', async () => {
    const { client, call } = await connect([], { source: new SmallSource(stuck) });
    const { tools } = await client.listTools();
    for (const { inputSchema } of tools) expect(inputSchema.properties).not.toHaveProperty('context');
    const refused = await call('check', { context: 'prod' });
    expect(refused).toMatchObject({ isError: true });
    expect(refused.text).toContain('context');
  });

  test('that is allowed is asked by its name, and no other', async () => {
    const { client, call } = await connect(['--allow-context', 'staging'], {
      source: new SmallSource(stuck),
    });
    const [first] = (await client.listTools()).tools;
    expect(first?.inputSchema.properties?.['context']).toMatchObject({ enum: ['staging'] });
    expect(await call('check', { context: 'staging' })).toMatchObject({ isError: false });
    expect(await call('check', { context: 'prod' })).toMatchObject({ isError: true });
  });
});

describe('an error', () => {
  test.for([
    [{ targets: ['cm/none'] }, /^configmap "none" not found/u],
    [{ targets: ['gadgets/x'] }, /^the server doesn't have a resource type "gadgets"/u],
    [{ targets: ['-A'] }, /^the server doesn't have a resource type "-A"/u],
    [{ target: 'cm/held' }, /targets/u],
  ] as const)('of %o is a sentence', async ([given, sentence]) => {
    const { call } = await connect([], { source: new SmallSource(stuck) });
    const { isError, text } = await call('why', given);
    expect(isError).toBe(true);
    expect(text).toMatch(sentence);
    expect(text).not.toMatch(/\bat .*\.ts|node_modules/u);
  });

  test('of flags that go together with none is told before anything is served', async () => {
    const { io, services, result } = consoleFor();
    expect(await runCommandLine(['mcp', '-f', '-'], io, services)).toBe(2);
    expect(result().err).toContain('standard input belongs to the protocol');
    expect(await runCommandLine(['mcp', '--demo', 'none-such'], io, services)).toBe(2);
  });
});
